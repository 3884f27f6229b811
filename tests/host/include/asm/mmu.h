/* SPDX-License-Identifier: MIT */
/* Host part of arch/mmu.h: physical addresses are host addresses. */
#pragma once

#define USER_START        0x0000000000010000UL
#define USER_END          0x00007ffffffff000UL
#define DIRECT_MAP_BASE   0UL
#define VMAP_START        0xffffc00000000000UL
#define VMAP_END          0xffffc08000000000UL
#define KERNEL_IMAGE_BASE 0xffffffff80000000UL

#ifndef MMU_FLUSH_BROADCASTS
#define MMU_FLUSH_BROADCASTS false
#endif

static inline void mmu_load(struct mmu *mmu)
{
	(void)mmu;
}
