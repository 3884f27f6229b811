/* SPDX-License-Identifier: MIT */
/*
 * ARMv7-A part of arch/mmu.h: short-descriptor tables (ARM DDI 0406C, B3.5). TTBR0 translates the
 * lower 2 GiB, TTBR1 the upper ones, which all address spaces share.
 */
#pragma once

#include <arch/cache.h>
#include <asm/constants.h>

#define USER_START     0x00010000UL /* page 0 and its neighbours are never mapped */
#define USER_END       0x80000000UL
#define DIRECT_MAP     0x80000000UL /* RAM from the board's lowest address on */
#define DIRECT_MAP_END 0xc0000000UL
#define VMAP_START     0xd0000000UL
#define VMAP_END       0xf0000000UL /* IMAGE_LINK */
#define EARLY_DEVICE   0xff000000UL /* what arm_early_device() maps */

/* Where RAM begins differs by board, where the image lies, by loader: both are found at start. */
extern unsigned long arm_direct_map_offset, arm_image_offset;
#define DIRECT_MAP_BASE   arm_direct_map_offset
#define KERNEL_IMAGE_BASE arm_image_offset

/* Page 0 would look like mmu_unmap()'s "nothing"; and some boards' other CPUs wait in it. */
#define RAM_RESERVED_END 0x1000UL
#define BOOT_MAP_END     0x100000000ULL /* all RAM: see mmu_boot_map() in mmu_boot.c */

/* asid.c: mmu_load(). The upper bits of mmu->asid say in which generation the lower 8 were given.
 */
void asid_load(struct mmu *mmu);

#define MMU_FLUSH_BROADCASTS true /* the operations are those for the inner shareable domain */

/* What a table base register is told of @mmu's tables. */
static inline u32 table_base(const struct mmu *mmu)
{
	return (u32)mmu->root | TTBR_WALKS;
}

static inline void mmu_load(struct mmu *mmu)
{
	asid_load(mmu);
}

/* --- Before mmu_init(): mmu_boot.c --- */

/* Sets the offsets above and takes the boot code's identity mapping away. Once, first. */
void mmu_boot_init(void);

/*
 * Shows [pa, pa + size) of RAM in the direct map, and does so for good; NULL when the board can
 * have no RAM there. A phys_window_t.
 */
const void *mmu_boot_window(phys_addr_t pa, size_t size);

/*
 * Cuts boot_info.ram to what the direct map can show, and shows it. Returns the bytes of RAM that
 * are lost by that.
 */
u64 mmu_boot_map(void);

/*
 * Maps 1 MiB of device registers around @pa, the one such window there is, at a fixed address that
 * stays valid; returns where @pa is. For a console before ioremap() works. Any context.
 */
void *arm_early_device(phys_addr_t pa);

/*
 * Makes the boot tables, which nobody runs on any more, what another processor begins with. After
 * mmu_init(), and before the first one is started.
 */
void mmu_boot_secondary(void);

#define ARCH_PAGE_OPS

/* mem.S: loads and stores of eight registers at a time. */
void page_clear(void *page);
void page_copy(void *page, const void *src);
