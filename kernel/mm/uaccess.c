/* SPDX-License-Identifier: MIT */
/*
 * What every architecture's copies to and from user memory share: the table of instructions that
 * may fault there, what a string's copy comes to, and copies that do not fault.
 */
#include <hotregs/check.h>
#include <hotregs/string.h>

#include <arch/regs.h>
#include <arch/uaccess.h>

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
	return extable_find(regs_ip(regs));
}

bool extable_fixup(struct pt_regs *regs)
{
	unsigned long fixup = extable_find(regs_ip(regs));

	if (!fixup)
		return false;
	regs_set_ip(regs, fixup);
	return true;
}

ssize_t strncpy_from_user(char *dst, const char __user *src, size_t size)
{
	unsigned long addr = (unsigned long)src;
	size_t max;
	long n;

	might_sleep();
	if (!user_range_ok(addr, 1))
		return -EFAULT;
	max = MIN(size, USER_END - addr);
	n = arch_user_string_copy(dst, src, max);
	if (n < (long)max)
		return n;
	return max == size ? -ENAMETOOLONG : -EFAULT;
}

size_t copy_from_user_nofault(void *dst, unsigned long src, size_t n)
{
	struct user_reader reader = {0};
	size_t done = 0;

	while (done < n && user_reader_map(&reader, src + done)) {
		size_t offset = (src + done) & ~PAGE_MASK,
		       piece = MIN(n - done, PAGE_SIZE - offset);

		memcpy((u8 *)dst + done, reader.data + offset, piece);
		done += piece;
	}
	return done;
}
