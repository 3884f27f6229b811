/* SPDX-License-Identifier: MIT */
/* ARMv7-A part of arch/breakpoint.h: no slots are offered, so there are no forms. */
#pragma once

#define BP_POOLS 1
#define BP_SLOTS 1

struct bp_form {
	unsigned long addr;
};

struct bp_bank {
	unsigned long addr;
};

static inline unsigned bp_pool(const struct bp_form *form)
{
	return 0;
}

static inline unsigned bp_pool_size(unsigned pool)
{
	return 0;
}
