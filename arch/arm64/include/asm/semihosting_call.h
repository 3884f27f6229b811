/* SPDX-License-Identifier: MIT */
/* AArch64 part of asm/semihosting.h. */
#pragma once

static inline long semihosting_call(unsigned op, const void *block)
{
	register long x0 __asm__("x0") = op;
	register const void *x1 __asm__("x1") = block;

	__asm__ volatile("1:	hlt	#0xf000\n"
			 "	b	3f\n"
			 "2:	mov	x0, #-1\n"
			 "3:\n"
			 "	.pushsection __ex_table, \"a\"\n"
			 "	.balign	4\n"
			 "	.long	1b - ., 2b - .\n"
			 "	.popsection"
			 : "+r"(x0)
			 : "r"(x1)
			 : "memory", "cc");
	return x0;
}
