/* SPDX-License-Identifier: MIT */
/* x86_64's part of struct cpu, as far as what is tested here knows it. */
#pragma once

#include <hotregs/types.h>

struct arch_cpu {
	unsigned long dr7;
};
