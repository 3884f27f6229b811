/* SPDX-License-Identifier: MIT */
/*
 * Architecture contract: page tables. A struct mmu is one set of tables; the kernel's half is
 * shared by all. Callers serialise changes to one set; table pages come from page_alloc().
 */
#pragma once

#include <hotregs/types.h>

#define PAGE_SHIFT 12
#define PAGE_SIZE  4096UL
#define PAGE_MASK  (~(PAGE_SIZE - 1))

/* Rights and kind of a mapping. W and X together are refused with -EINVAL. */
#define MMU_READ   BIT(0)
#define MMU_WRITE  BIT(1)
#define MMU_EXEC   BIT(2)
#define MMU_USER   BIT(3)
#define MMU_DEVICE BIT(4) /* uncached */

struct mmu {
	phys_addr_t root;
	void *tables; /* lower tables of this set, a chain of pages */
	u32 asid;     /* the architecture's, for its TLB; 0 in a new set */
};

extern struct mmu kernel_mmu;

/*
 * Builds the kernel's tables: all RAM in the direct map, the image with the least rights that do;
 * loads them, and gives the page allocator the RAM that the boot tables did not reach. Once, after
 * page_init(); panics when it can not.
 */
void mmu_init(void);

/*
 * Maps one page. -ENOMEM, -EINVAL. Replaces what was there, which still needs mmu_flush() after; an
 * architecture where two translations of an address must not meet flushes the old one itself, too,
 * before the new one is there.
 */
int mmu_map(struct mmu *mmu, unsigned long va, phys_addr_t pa, unsigned prot);

/* Removes one page's mapping; returns its physical address, or 0 when nothing was mapped. */
phys_addr_t mmu_unmap(struct mmu *mmu, unsigned long va);

/* Changes the rights of one mapped page; -ENOENT when nothing is mapped. No TLB flush. */
int mmu_protect(struct mmu *mmu, unsigned long va, unsigned prot);

/* Looks @va up: physical address of the byte, and its MMU_* rights. False: not mapped. NMI-safe. */
bool mmu_lookup(const struct mmu *mmu, unsigned long va, phys_addr_t *pa, unsigned *prot);

/*
 * Finds the first mapped page at or above *@va and below @end: its address goes to *@va, the other
 * results are mmu_lookup()'s. False: there is none. What is not mapped is skipped a table at a
 * time.
 */
bool mmu_next(const struct mmu *mmu, unsigned long *va, unsigned long end, phys_addr_t *pa,
	      unsigned *prot);

/*
 * Both look at single pages of user space only, a table at a time.
 *
 * Shows the pages that are mapped in [start, end) of @mmu in @child, too, and makes them read-only
 * in both; takes a reference to each, and adds one to *shared. 0, or -ENOMEM, which leaves those
 * that were done. No TLB flush.
 */
int mmu_share(struct mmu *child, struct mmu *mmu, unsigned long start, unsigned long end,
	      size_t *shared);
/*
 * Removes the mappings of the first pages at or above *@va and below @end, @max at most. Returns
 * how many; their addresses are pa[]. All of them lie in [*first, *va), *va having moved on.
 */
unsigned mmu_unmap_next(struct mmu *mmu, unsigned long *va, unsigned long end, unsigned long *first,
			phys_addr_t pa[], unsigned max);

/*
 * [start, end) of user space was unmapped, and around it nothing is mapped in [low, high) (0 and
 * ~0UL: to the end of user space). Takes out the tables that were needed for [start, end) alone, a
 * chain for mmu_free_tables(); NULL: there are none. Until all of user space has been flushed on
 * every CPU that has the set loaded, processors and samplers may still be in them.
 */
void *mmu_trim(struct mmu *mmu, unsigned long start, unsigned long end, unsigned long low,
	       unsigned long high);
void mmu_free_tables(void *tables);

/*
 * An empty user half over the kernel's half; -ENOMEM. And its end, when no CPU has it loaded: frees
 * tables, not pages.
 */
int mmu_create(struct mmu *mmu);
void mmu_destroy(struct mmu *mmu);

/* The first physical address that is too high to be mapped. */
u64 mmu_phys_end(void);

/*
 * Loads a set of tables on this CPU. Interrupts off. What the CPU stored before is seen by all
 * others before it reads the first entry: mm_flush() builds on that.
 */
static inline void mmu_load(struct mmu *mmu);

/*
 * Makes changes for [start, end) visible to this CPU: of the kernel's half, or of the set that is
 * loaded here. Needed after all but a first mapping, more rights included. Any context.
 */
void mmu_flush(unsigned long start, unsigned long end);

/*
 * Layout of the address space (asm/mmu.h): USER_START, USER_END (first address past user space),
 * DIRECT_MAP_BASE, VMAP_START, VMAP_END, KERNEL_IMAGE_BASE. Of physical memory: RAM below
 * RAM_RESERVED_END is left alone, RAM from BOOT_MAP_END up is not mapped before mmu_init().
 * MMU_FLUSH_BROADCASTS: what mmu_flush() does to one processor's TLB it does to all of them.
 * ARCH_PAGE_OPS: it has a faster page_clear() and page_copy() than memset() and memcpy().
 */
#include <asm/mmu.h>

/* Any RAM address in the direct map. */
static inline void *phys_to_virt(phys_addr_t pa)
{
	return (void *)(unsigned long)(pa + DIRECT_MAP_BASE);
}

/* Inverse of phys_to_virt(); direct-map addresses only. */
static inline phys_addr_t virt_to_phys(const void *va)
{
	return (unsigned long)va - DIRECT_MAP_BASE;
}

#ifndef ARCH_PAGE_OPS
#include <hotregs/string.h>

/* Zeroes the page at @page. */
static inline void page_clear(void *page)
{
	memset(page, 0, PAGE_SIZE);
}

/* Copies a page's worth of bytes; @src need not be aligned. */
static inline void page_copy(void *page, const void *src)
{
	memcpy(page, src, PAGE_SIZE);
}
#endif
