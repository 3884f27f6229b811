/* SPDX-License-Identifier: MIT */
/*
 * Page tables of four levels: what an architecture that has them builds on. Its asm/pte.h says what
 * an entry is: PTE_PRESENT, PTE_ADDRESS, and the functions pte_...() and tables_...().
 */
#pragma once

#include <hotregs/types.h>

#include <arch/mmu.h>

/* Address bits that each level resolves. */
#define LEVEL_BITS  9
#define TABLE_SHIFT (PAGE_SHIFT + LEVEL_BITS)     /* what a table of the lowest level shows */
#define TOP_SHIFT   (PAGE_SHIFT + 3 * LEVEL_BITS) /* what an entry of the root does */

#define PTES_PER_TABLE 512

static inline unsigned long pte_index(unsigned long va, unsigned shift)
{
	return va >> shift & (PTES_PER_TABLE - 1);
}

/* The entry of @va that shows 2^@shift bytes, made if needed; NULL: out of memory. */
u64 *page_tables_entry(struct mmu *mmu, unsigned long va, unsigned shift);

/*
 * Maps a range of the kernel's half with the largest pages that fit, up to 2^@max_shift bytes;
 * panics when memory is short.
 */
void map_kernel_range(unsigned long va, phys_addr_t pa, u64 size, unsigned prot,
		      unsigned max_shift);
