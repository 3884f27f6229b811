/* SPDX-License-Identifier: MIT */
/*
 * What a signal handler returns to: it asks the kernel for the interrupted registers, which the
 * frame at RSP has. The address in chains is the second instruction's, so that it is inside the
 * function for whoever looks one byte before.
 */
#include <uapi/syscall.h>

	.globl	signal_return, __signal_restorer
	.type	signal_return, @function
signal_return:
	nop
__signal_restorer:
	movl	$SYS_sigreturn, %eax
	syscall
	ud2
	.size	signal_return, . - signal_return
	.section .note.GNU-stack, "", @progbits
