/* SPDX-License-Identifier: MIT */
/* The host's, and what ARM has beside: for tests of code that only ARM boards link. */
#pragma once

#include_next <asm/mmu.h>

void *arm_early_device(phys_addr_t pa);

/* test_asid.c's tables go by their address alone. */
static inline u32 table_base(const struct mmu *mmu)
{
	return mmu->root;
}
