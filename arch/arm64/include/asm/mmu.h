/* SPDX-License-Identifier: MIT */
/*
 * AArch64 part of arch/mmu.h: four levels of tables (Arm ARM DDI 0487, D8.2). TTBR0 translates the
 * lower half, TTBR1 the upper one, which all address spaces share. Both halves are as large as one
 * root could show together; so the kernel's root has nothing where a user's would begin.
 */
#pragma once

#include <arch/cache.h>
#include <asm/constants.h>

#define USER_START      0x0000000000010000UL /* page 0 and its neighbours are never mapped */
#define USER_END        0x00007ffffffff000UL
#define DIRECT_MAP_BASE 0xffff800000000000UL
#define DIRECT_MAP_SIZE (1UL << 46)
#define VMAP_START      0xffffc00000000000UL
#define VMAP_END        0xffffc08000000000UL
#define EARLY_DEVICE    (IMAGE_LINK + 0x3fe00000UL) /* what arm_early_device() maps */

/* Where the image lies differs by loader: it is found at start. */
extern unsigned long arm64_image_offset;
#define KERNEL_IMAGE_BASE arm64_image_offset

/* Page 0 would look like mmu_unmap()'s "nothing"; and some boards' other CPUs wait in it. */
#define RAM_RESERVED_END 0x1000UL
/* What mmu_boot_map() has shown. */
extern phys_addr_t arm64_boot_map_end;
#define BOOT_MAP_END arm64_boot_map_end

/* asid.c: mmu_load(). The upper bits of mmu->asid say in which generation the lower 8 were given.
 */
void asid_load(struct mmu *mmu);

#define MMU_FLUSH_BROADCASTS true /* the operations are those for the inner shareable domain */

/* What a translation table base register is told of @mmu's tables. */
static inline u64 table_base(const struct mmu *mmu)
{
	return mmu->root;
}

static inline void mmu_load(struct mmu *mmu)
{
	asid_load(mmu);
}

/* --- Before mmu_init(): mmu_boot.c --- */

/* Finds where the image is, and takes the boot code's identity mapping away. Once, first. */
void mmu_boot_init(void);

/*
 * Shows [pa, pa + size) of RAM in the direct map, until mmu_init(); NULL when the board can have no
 * RAM there, or the boot tables no room. A phys_window_t.
 */
const void *mmu_boot_window(phys_addr_t pa, size_t size);

/*
 * Cuts boot_info.ram to what the direct map can show, and shows the lower part of it. Returns the
 * bytes of RAM that are lost by that.
 */
u64 mmu_boot_map(void);

/*
 * Maps 2 MiB of device registers around @pa, the one such window there is, at a fixed address that
 * stays valid; returns where @pa is. For a console before ioremap() works. Any context.
 */
void *arm_early_device(phys_addr_t pa);

/* Another processor begins with the boot tables, which are as the first one had them. */
static inline void mmu_boot_secondary(void)
{
}

#define ARCH_PAGE_OPS

/* mem.S */
void page_clear(void *page);
void page_copy(void *page, const void *src);
