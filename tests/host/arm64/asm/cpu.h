/* SPDX-License-Identifier: MIT */
/* AArch64's part of struct cpu, as far as what is tested here knows it. */
#pragma once

#include <asm/debugreg.h>

struct arch_cpu {
	struct arm_debug debug;
};
