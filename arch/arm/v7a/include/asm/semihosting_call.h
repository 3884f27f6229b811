/* SPDX-License-Identifier: MIT */
/* ARMv7-A part of asm/semihosting.h. */
#pragma once

static inline long semihosting_call(unsigned op, const void *block)
{
	register long r0 __asm__("r0") = op;
	register const void *r1 __asm__("r1") = block;

	__asm__ volatile("1:	.inst	0xe10f0070\n" /* HLT #0xf000 */
			 "	b	3f\n"
			 "2:	mvn	r0, #0\n"
			 "3:\n"
			 "	.pushsection __ex_table, \"a\"\n"
			 "	.balign	4\n"
			 "	.long	1b - ., 2b - .\n"
			 "	.popsection"
			 : "+r"(r0)
			 : "r"(r1)
			 : "memory", "cc");
	return r0;
}
