/* SPDX-License-Identifier: MIT */
/*
 * What a signal handler returns to: it asks the kernel for the interrupted registers, which the
 * frame at SP has. The table says the same (EHABI32, 10.3): at SP + UAPI_SIGNAL_FRAME_R4 are r4 to
 * r15. A return address is looked up one byte before, so the first instruction is never reached.
 */
#include <uapi/syscall.h>
#include <uapi/ucontext.h>

	.syntax unified
	.arm
	.globl	signal_return, __signal_restorer
	.type	signal_return, %function
signal_return:
	.fnstart
	/* vsp += UAPI_SIGNAL_FRAME_R4; pop {r4-r15} */
	.unwind_raw 0, (UAPI_SIGNAL_FRAME_R4 - 4) / 4, 0x8f, 0xff
	nop
__signal_restorer:
	mov	r7, #SYS_sigreturn
	svc	#0
	udf	#0
	.fnend
	.size	signal_return, . - signal_return
	.section .note.GNU-stack, "", %progbits
