/* SPDX-License-Identifier: MIT */
/* What user_copy.S shares with C: its limits; and how a sampler reads user memory. */
#pragma once

/* USER_START and USER_END as assembly can read them; user_reader.c asserts that they agree. */
#define UACCESS_START 0x10000
#define UACCESS_END   0x00007ffffffff000

#ifndef __ASSEMBLY__
#include <hotregs/types.h>

/*
 * Loads the two words at @addr, which lie in user space; false when they are not there: with
 * interrupts off their page fault is not resolved. Interrupts off.
 */
static __always_inline bool user_load_pair(unsigned long addr, unsigned long *first,
					   unsigned long *second)
{
	unsigned long a, b;

	__asm__ goto("1:\tldtr %[a], [%[addr]]\n"
		     "2:\tldtr %[b], [%[addr], #8]\n\t"
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
