/* SPDX-License-Identifier: MIT */
/* Page-table entries of four-level paging (Intel SDM vol. 3, 4.5 and 4.9). */
#pragma once

#include <hotregs/types.h>

#include <arch/mmu.h>

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

/* The entry of a page of 2^@shift bytes. */
static inline u64 pte_make(phys_addr_t pa, unsigned prot, unsigned shift)
{
	/* Accessed and dirty are not looked at; set, they spare the CPU writing them. */
	u64 pte = pa | PTE_PRESENT | PTE_ACCESSED | PTE_DIRTY;

	if (prot & MMU_WRITE)
		pte |= PTE_WRITE;
	if (!(prot & MMU_EXEC))
		pte |= PTE_NX;
	if (prot & MMU_DEVICE)
		pte |= PTE_UNCACHED;
	if (shift > PT_SHIFT)
		pte |= PTE_LARGE;
	return pte | (prot & MMU_USER ? PTE_USER : PTE_GLOBAL);
}

static inline unsigned pte_prot(u64 pte)
{
	unsigned prot = MMU_READ;

	if (pte & PTE_WRITE)
		prot |= MMU_WRITE;
	if (!(pte & PTE_NX))
		prot |= MMU_EXEC;
	if (pte & PTE_USER)
		prot |= MMU_USER;
	if (pte & PTE_UNCACHED)
		prot |= MMU_DEVICE;
	return prot;
}

static inline u64 pte_read_only(u64 pte)
{
	return pte & ~PTE_WRITE;
}

/* May a sampler read it for a program? A device's registers are not in the direct map, and reading
 * them has effects. */
static inline bool pte_user_memory(u64 pte)
{
	return (pte & (PTE_PRESENT | PTE_USER | PTE_UNCACHED)) == (PTE_PRESENT | PTE_USER);
}

/* Of an entry above the lowest level. */
static inline bool pte_is_table(u64 entry)
{
	return (entry & (PTE_PRESENT | PTE_LARGE)) == PTE_PRESENT;
}

/* Shows the table at @pa for @va. The rights of a page are those that all levels allow. */
static inline u64 pte_make_table(phys_addr_t pa, unsigned long va)
{
	return pa | PTE_PRESENT | PTE_WRITE | PTE_ACCESSED | (va < USER_END ? PTE_USER : 0);
}

/* All of an address space is one set of tables. */
static inline phys_addr_t tables_root(const struct mmu *mmu, unsigned long va)
{
	return mmu->root;
}

/* That of the address space that is loaded, for user addresses. */
static inline phys_addr_t tables_loaded(void)
{
	u64 cr3;

	__asm__ volatile("movq %%cr3, %0" : "=r"(cr3));
	return cr3 & PTE_ADDRESS;
}

/* Walks see entries as soon as they are written; old ones are flushed when all are (mmu_flush()).
 */
static inline void tables_written(void)
{
}

static inline void pte_break(u64 *entry, unsigned long va)
{
}
