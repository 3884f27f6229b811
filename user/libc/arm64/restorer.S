/* SPDX-License-Identifier: MIT */
/*
 * What a signal handler returns to: it asks the kernel for the interrupted registers, which the
 * frame at SP has. The address in chains is the second instruction's, so that it is inside the
 * function for whoever looks one instruction before.
 */
#include <uapi/syscall.h>

	.globl	signal_return, __signal_restorer
	.type	signal_return, %function
signal_return:
	nop
__signal_restorer:
	mov	x8, #SYS_sigreturn
	svc	#0
	brk	#1000
	.size	signal_return, . - signal_return
	.section .note.GNU-stack, "", %progbits
