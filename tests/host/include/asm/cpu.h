/* SPDX-License-Identifier: MIT */
/* Host part of struct cpu: nothing. */
#pragma once

#include <hotregs/types.h>

struct arch_cpu {
	u32 unused;
};
