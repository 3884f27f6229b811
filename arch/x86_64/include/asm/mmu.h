/* SPDX-License-Identifier: MIT */
/* x86_64 part of arch/mmu.h: four-level paging (Intel SDM vol. 3, 4.5), 48-bit addresses. */
#pragma once

#define USER_START        0x0000000000010000UL /* page 0 and its neighbours are never mapped */
#define USER_END          0x00007ffffffff000UL
#define DIRECT_MAP_BASE   0xffff800000000000UL
#define VMAP_START        0xffffc00000000000UL
#define VMAP_END          0xffffc08000000000UL
#define KERNEL_IMAGE_BASE 0xffffffff80000000UL

#define RAM_RESERVED_END 0x10000UL     /* real-mode vectors, BIOS data, where an AP starts */
#define BOOT_MAP_END     0x100000000UL /* see boot/head.S */

#define MMU_FLUSH_BROADCASTS false

/* Loading CR3 is serializing: stores before it are done (Intel SDM vol. 3, 8.3). */
static inline void mmu_load(struct mmu *mmu)
{
	__asm__ volatile("movq %0, %%cr3" ::"r"(mmu->root) : "memory");
}

/* Without vector registers, REP is the fewest instructions for a page wherever they are counted. */
#define ARCH_PAGE_OPS

static inline void page_clear(void *page)
{
	unsigned long words = 512;

	__asm__ volatile("rep stosq" : "+D"(page), "+c"(words) : "a"(0UL) : "memory");
}

static inline void page_copy(void *page, const void *src)
{
	unsigned long words = 512;

	__asm__ volatile("rep movsq" : "+D"(page), "+S"(src), "+c"(words)::"memory");
}
