// SPDX-License-Identifier: MIT
/*
 * The sampler's reader of user memory, which walks the loaded page tables by itself and therefore
 * can not fault.
 */
#include <arch/uaccess.h>
#include <asm/pte.h>
#include <asm/uaccess.h>

#include "page_tables.h"

_Static_assert(UACCESS_START == USER_START && UACCESS_END == USER_END, "user_copy.S checks these");

bool user_reader_map(struct user_reader *r, unsigned long addr)
{
	u64 entry;
	const u64 *table;

	if (!user_range_ok(addr, 1))
		return false;
	table = phys_to_virt(tables_loaded());
#pragma GCC unroll 3
	for (unsigned shift = TOP_SHIFT; shift > PAGE_SHIFT; shift -= LEVEL_BITS) {
		entry = READ_ONCE(table[pte_index(addr, shift)]);
		if (!pte_is_table(entry))
			return false;
		table = phys_to_virt(entry & PTE_ADDRESS);
	}
	entry = READ_ONCE(table[pte_index(addr, PAGE_SHIFT)]);
	if (!pte_user_memory(entry))
		return false;
	r->page = addr & PAGE_MASK;
	r->data = phys_to_virt(entry & PTE_ADDRESS);
	return true;
}
