// SPDX-License-Identifier: MIT
/*
 * User memory without assembly: the exception table's look-up, and the sampler's reader, which
 * walks the loaded page tables by itself and therefore cannot fault.
 */
#include <arch/regs.h>
#include <arch/uaccess.h>
#include <asm/pte.h>
#include <asm/traps.h>
#include <asm/uaccess.h>

_Static_assert(UACCESS_START == USER_START && UACCESS_END == USER_END, "user_copy.S checks these");

/* user_copy.S */
long user_string_copy(char *dst, const char __user *src, size_t max);

struct extable_entry {
	s32 insn, fixup; /* offsets from themselves */
};

/* The fixup of the instruction at @ip, or 0. The table has a handful of entries. */
static unsigned long extable_find(unsigned long ip)
{
	extern const struct extable_entry __ex_table_start[], __ex_table_end[];

	for (const struct extable_entry *e = __ex_table_start; e < __ex_table_end; e++)
		if ((unsigned long)&e->insn + e->insn == ip)
			return (unsigned long)&e->fixup + e->fixup;
	return 0;
}

bool extable_covers(const struct pt_regs *regs)
{
	return extable_find(regs->ip);
}

bool extable_fixup(struct pt_regs *regs)
{
	unsigned long fixup = extable_find(regs->ip);

	if (!fixup)
		return false;
	regs->ip = fixup;
	return true;
}

ssize_t strncpy_from_user(char *dst, const char __user *src, size_t size)
{
	unsigned long addr = (unsigned long)src;
	size_t max;
	long n;

	if (!user_range_ok(addr, 1))
		return -EFAULT;
	max = MIN(size, USER_END - addr);
	n = user_string_copy(dst, src, max);
	if (n < (long)max)
		return n;
	return max == size ? -ENAMETOOLONG : -EFAULT;
}

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
