// SPDX-License-Identifier: MIT
/*
 * The sampler's reader of user memory, which walks the loaded page tables by itself and therefore
 * can not fault.
 */
#include <arch/uaccess.h>
#include <asm/cp15.h>
#include <asm/pte.h>
#include <asm/uaccess.h>

_Static_assert(UACCESS_START == USER_START && UACCESS_END == USER_END, "user_copy.S checks these");

bool user_reader_map(struct user_reader *r, unsigned long addr)
{
	u32 *tables = phys_to_virt(cp_read(TTBR0) & PAGE_AT), entry;

	if (!user_range_ok(addr, 1))
		return false;
	entry = READ_ONCE(*l1_entry(tables, addr));
	if ((entry & L1_TYPE) != L1_TABLE)
		return false;
	entry = READ_ONCE(((u32 *)phys_to_virt(entry & L1_TABLE_AT))[l2_index(addr)]);
	/* A device's registers are not in the direct map, and reading them has effects. */
	if (!(entry & PAGE_USER) || !(entry & PAGE_TEX0))
		return false;
	r->page = addr & PAGE_MASK;
	r->data = phys_to_virt(entry & PAGE_AT);
	return true;
}
