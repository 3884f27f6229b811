/* SPDX-License-Identifier: MIT */
/* x86_64 part of arch/mmu.h: four-level paging (Intel SDM vol. 3, 4.5), 48-bit addresses. */
#pragma once

#define USER_START        0x0000000000010000UL /* page 0 and its neighbours are never mapped */
#define USER_END          0x00007ffffffff000UL
#define DIRECT_MAP_BASE   0xffff800000000000UL
#define VMAP_START        0xffffc00000000000UL
#define VMAP_END          0xffffc08000000000UL
#define KERNEL_IMAGE_BASE 0xffffffff80000000UL

static inline void mmu_load(const struct mmu *mmu)
{
	__asm__ volatile("movq %0, %%cr3" ::"r"(mmu->root) : "memory");
}
