/* SPDX-License-Identifier: MIT */
/* AArch64 part of arch/breakpoint.h: none yet. */
#pragma once

#include <hotregs/types.h>

#define BP_POOLS 1
#define BP_SLOTS 1

struct bp_form {
	unsigned long addr;
};

struct bp_bank {
	unsigned long value[BP_SLOTS];
};

static inline unsigned bp_pool(const struct bp_form *form)
{
	return 0;
}

static inline unsigned bp_pool_size(unsigned pool)
{
	return 0;
}
