/* SPDX-License-Identifier: MIT */
/* How user memory is opened, and read where a fault is but a jump. */
#pragma once

/* USER_START and USER_END as assembly can read them; uaccess.c asserts that they agree. */
#define UACCESS_START 0x10000
#define UACCESS_END   0x00007ffffffff000

#ifndef __ASSEMBLY__
#include <hotregs/types.h>

#include <asm/cpu.h>

struct pt_regs;

/* Opens and closes user memory to the next two (SMAP: Intel SDM vol. 3, 4.6.1). Any context. */
static inline void user_access_begin(void)
{
	if (cpu_has_smap)
		__asm__ volatile("stac" ::: "memory");
}

static inline void user_access_end(void)
{
	if (cpu_has_smap)
		__asm__ volatile("clac" ::: "memory");
}

/*
 * The FPU's state, as FXSAVE64 has it (SDM vol. 1, 10.5.1), between current's registers and an
 * aligned place that lies in user space. 0 or -EFAULT: it is not there, not aligned, or FXRSTOR
 * refuses what is. May sleep.
 */
int fpu_to_user(void __user *image);
int fpu_from_user(const void __user *image);

/*
 * Loads the two words at @addr, which lie in user space; false when they are not there: with
 * interrupts off their page fault is not resolved. Interrupts off, not from an NMI, whose end the
 * return from a page fault would be.
 */
static __always_inline bool user_load_pair(unsigned long addr, unsigned long *first,
					   unsigned long *second)
{
	unsigned long a, b;

	__asm__ goto("1:\tmovq (%[addr]), %[a]\n"
		     "2:\tmovq 8(%[addr]), %[b]\n\t"
		     ".pushsection __ex_table, \"a\"\n\t"
		     ".balign 4\n\t"
		     ".long 1b - ., %l[fault] - .\n\t"
		     ".long 2b - ., %l[fault] - .\n\t"
		     ".popsection"
		     : [a] "=&r"(a), [b] "=r"(b)
		     : [addr] "r"(addr)
		     : "memory"
		     : fault);
	*first = a;
	*second = b;
	return true;
fault:
	return false;
}
#endif
