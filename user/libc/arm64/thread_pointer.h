/* SPDX-License-Identifier: MIT */
/* Thread-local data on AArch64 (ELF for the Arm 64-bit Architecture, 5.8): by TPIDR_EL0. */
#pragma once

#include "../tls_variant1.h"

static inline struct pthread *thread_self(void)
{
	struct pthread *tp;

	__asm__("mrs %0, tpidr_el0" : "=r"(tp));
	return tp - 1;
}
