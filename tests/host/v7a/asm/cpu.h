/* SPDX-License-Identifier: MIT */
/* ARMv7-A's part of struct cpu, as far as what is tested here knows it. */
#pragma once

#include <asm/debugreg.h>

struct arch_cpu {
	struct arm_debug debug;
};

bool cpu_try(void (*fn)(void));
