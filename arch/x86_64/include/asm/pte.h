/* SPDX-License-Identifier: MIT */
/* Page-table entries of four-level paging (Intel SDM vol. 3, 4.5 and 4.9). */
#pragma once

#include <hotregs/types.h>

#define PTE_PRESENT  BIT(0)
#define PTE_WRITE    BIT(1)
#define PTE_USER     BIT(2)
#define PTE_UNCACHED (BIT(3) | BIT(4)) /* PWT and PCD: uncached by the PAT's reset value */
#define PTE_ACCESSED BIT(5)
#define PTE_DIRTY    BIT(6)
#define PTE_LARGE    BIT(7) /* above the lowest level: maps a page */
#define PTE_GLOBAL   BIT(8) /* outlives a load of CR3 */
#define PTE_NX       BIT(63)
#define PTE_ADDRESS  0x000ffffffffff000UL

/* Address bits that the entries of each level resolve. */
#define PML4_SHIFT 39
#define PDPT_SHIFT 30
#define PD_SHIFT   21
#define PT_SHIFT   12
#define LEVEL_BITS 9

#define PTES_PER_TABLE 512

static inline unsigned long pte_index(unsigned long va, unsigned shift)
{
	return va >> shift & (PTES_PER_TABLE - 1);
}
