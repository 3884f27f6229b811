/* SPDX-License-Identifier: MIT */
/*
 * Semihosting: calls that an emulator or a debugger answers (Arm, Semihosting for AArch32 and
 * AArch64, 2.0). By HLT, which QEMU takes on every A32 processor and which is an undefined
 * instruction on ARMv7 otherwise: then the exception table turns the call into a refusal, and one
 * image runs with a debugger and without.
 */
#pragma once

#include <hotregs/types.h>

#define SEMIHOSTING_OPEN  0x01
#define SEMIHOSTING_WRITE 0x05
#define SEMIHOSTING_TIME  0x11
#define SEMIHOSTING_EXIT  0x20 /* SYS_EXIT_EXTENDED */

#define SEMIHOSTING_APPLICATION_EXIT 0x20026 /* the reason SYS_EXIT_EXTENDED gives */

/*
 * Call @op with its block of arguments; what it returns, which is -1 for a failure and when nobody
 * answers. Any context in which a kernel fault may be taken.
 */
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

/* Does anybody answer? */
static inline bool semihosting_present(void)
{
	return semihosting_call(SEMIHOSTING_TIME, NULL) != -1;
}

/* Ends QEMU with status @code; returns when nobody answers. */
static inline void semihosting_exit(int code)
{
	long block[] = {SEMIHOSTING_APPLICATION_EXIT, code};

	semihosting_call(SEMIHOSTING_EXIT, block);
}
