/* SPDX-License-Identifier: MIT */
/*
 * Semihosting: calls that an emulator or a debugger answers (Arm, Semihosting for AArch32 and
 * AArch64, 2.0). By HLT, which QEMU takes on every processor and which is an undefined instruction
 * without a debugger: then the exception table turns the call into a refusal, and one image runs
 * with a debugger and without.
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
 * answers. Any context in which a kernel fault may be taken. The architecture's own.
 */
static inline long semihosting_call(unsigned op, const void *block);
#include <asm/semihosting_call.h>

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
