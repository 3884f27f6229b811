/* SPDX-License-Identifier: MIT */
/*
 * Descriptors of 4 KiB pages, 48 bits of address (Arm ARM DDI 0487, D8.3). Hardware manages no
 * access flag and no dirty state. Assembly includes this too.
 */
#pragma once

#define PTE_VALID         (1 << 0)
#define PTE_TABLE         (1 << 1) /* above the lowest level; else a block. On the lowest, a page */
#define PTE_DEVICE        (1 << 2) /* AttrIndx: of MAIR */
#define PTE_USER          (1 << 6) /* AP[1] */
#define PTE_READ_ONLY     (1 << 7) /* AP[2] */
#define PTE_INNER         (3 << 8) /* SH: inner shareable */
#define PTE_ACCESSED      (1 << 10)
#define PTE_NOT_GLOBAL    (1 << 11) /* belongs to an ASID */
#define PTE_PXN_BIT       53        /* EL1 does not execute it */
#define PTE_UXN_BIT       54        /* nor EL0 */
#define PTE_PXN_TABLE_BIT 59        /* of a table: all below has PXN */
#define PTE_UXN_TABLE_BIT 60

#define PTE_NORMAL (PTE_VALID | PTE_INNER | PTE_ACCESSED)

#ifndef __ASSEMBLY__
#include <hotregs/types.h>

#include <arch/mmu.h>
#include <asm/sysreg.h>

#define PTE_PRESENT   PTE_VALID
#define PTE_PXN       BIT(PTE_PXN_BIT)
#define PTE_UXN       BIT(PTE_UXN_BIT)
#define PTE_PXN_TABLE BIT(PTE_PXN_TABLE_BIT)
#define PTE_UXN_TABLE BIT(PTE_UXN_TABLE_BIT)
#define PTE_ADDRESS   0x0000fffffffff000UL

/* The entry of a page of 2^@shift bytes. What programs may execute the kernel never does. */
static inline u64 pte_make(phys_addr_t pa, unsigned prot, unsigned shift)
{
	u64 pte = pa | PTE_NORMAL | (shift == PAGE_SHIFT ? PTE_TABLE : 0);
	bool user = prot & MMU_USER, exec = prot & MMU_EXEC;

	if (prot & MMU_DEVICE)
		pte |= PTE_DEVICE;
	if (!(prot & MMU_WRITE))
		pte |= PTE_READ_ONLY;
	if (user)
		pte |= PTE_USER | PTE_NOT_GLOBAL;
	if (user || !exec)
		pte |= PTE_PXN;
	if (!user || !exec)
		pte |= PTE_UXN;
	return pte;
}

static inline unsigned pte_prot(u64 pte)
{
	u64 never = pte & PTE_USER ? PTE_UXN : PTE_PXN;

	return MMU_READ | (pte & PTE_READ_ONLY ? 0 : MMU_WRITE) | (pte & never ? 0 : MMU_EXEC) |
	       (pte & PTE_USER ? MMU_USER : 0) | (pte & PTE_DEVICE ? MMU_DEVICE : 0);
}

static inline u64 pte_read_only(u64 pte)
{
	return pte | PTE_READ_ONLY;
}

/* May a sampler read it for a program? A device's registers are not in the direct map, and reading
 * them has effects. */
static inline bool pte_user_memory(u64 pte)
{
	return (pte & (PTE_VALID | PTE_USER | PTE_DEVICE)) == (PTE_VALID | PTE_USER);
}

/* Of an entry above the lowest level. */
static inline bool pte_is_table(u64 entry)
{
	return (entry & (PTE_VALID | PTE_TABLE)) == (PTE_VALID | PTE_TABLE);
}

/* Shows the table at @pa for @va. */
static inline u64 pte_make_table(phys_addr_t pa, unsigned long va)
{
	return pa | PTE_VALID | PTE_TABLE | (va < USER_END ? PTE_PXN_TABLE : PTE_UXN_TABLE);
}

static inline phys_addr_t tables_root(const struct mmu *mmu, unsigned long va)
{
	return va < USER_END ? mmu->root : kernel_mmu.root;
}

/* That of the address space that is loaded, for user addresses. */
static inline phys_addr_t tables_loaded(void)
{
	return sysreg_read(TTBR0_EL1) & PTE_ADDRESS;
}

/* Break before make: two translations of one address must never meet in a TLB (D8.14.1). */
static inline void pte_break(u64 *entry, unsigned long va)
{
	WRITE_ONCE(*entry, 0);
	tlb_flush_range(va, va + PAGE_SIZE);
}
#endif
