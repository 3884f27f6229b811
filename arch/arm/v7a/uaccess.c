// SPDX-License-Identifier: MIT
/*
 * User memory without assembly: the exception table's look-up, and the sampler's reader, which
 * walks the loaded page tables by itself and therefore cannot fault.
 */
#include <arch/regs.h>
#include <arch/uaccess.h>
#include <asm/cp15.h>
#include <asm/pte.h>
#include <asm/traps.h>
#include <asm/uaccess.h>

_Static_assert(UACCESS_START == USER_START && UACCESS_END == USER_END, "user_copy.S checks these");

/* user_copy.S */
long user_string_copy(char *dst, const char __user *src, size_t max);

struct extable_entry {
	s32 insn, fixup; /* offsets from themselves */
};

/* The fixup of the instruction at @pc, or 0. The table has a handful of entries. */
static unsigned long extable_find(unsigned long pc)
{
	extern const struct extable_entry __ex_table_start[], __ex_table_end[];

	for (const struct extable_entry *e = __ex_table_start; e < __ex_table_end; e++)
		if ((unsigned long)&e->insn + e->insn == pc)
			return (unsigned long)&e->fixup + e->fixup;
	return 0;
}

bool extable_covers(const struct pt_regs *regs)
{
	return extable_find(regs->pc);
}

bool extable_fixup(struct pt_regs *regs)
{
	unsigned long fixup = extable_find(regs->pc);

	if (!fixup)
		return false;
	regs->pc = fixup;
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
