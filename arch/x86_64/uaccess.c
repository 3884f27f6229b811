// SPDX-License-Identifier: MIT
/*
 * The sampler's reader of user memory, which walks the loaded page tables by itself and therefore
 * can not fault.
 */
#include <arch/uaccess.h>
#include <asm/pte.h>
#include <asm/uaccess.h>

_Static_assert(UACCESS_START == USER_START && UACCESS_END == USER_END, "user_copy.S checks these");

bool user_reader_map(struct user_reader *r, unsigned long addr)
{
	u64 pte;

	if (!user_range_ok(addr, 1))
		return false;
	__asm__ volatile("movq %%cr3, %0" : "=r"(pte));
#pragma GCC unroll 4
	for (unsigned shift = PML4_SHIFT; shift >= PT_SHIFT; shift -= LEVEL_BITS) {
		const u64 *table = phys_to_virt(pte & PTE_ADDRESS);

		pte = READ_ONCE(table[pte_index(addr, shift)]);
		if (!(pte & PTE_PRESENT) || !(pte & PTE_USER))
			return false;
	}
	/* A device's registers are not in the direct map, and reading them has effects. */
	if (pte & PTE_UNCACHED)
		return false;
	r->page = addr & PAGE_MASK;
	r->data = phys_to_virt(pte & PTE_ADDRESS);
	return true;
}
