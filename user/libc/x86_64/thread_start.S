/* SPDX-License-Identifier: MIT */
/* void __thread_start(struct pthread *): where the kernel lets a thread begin; it ends every chain. */
	.globl	__thread_start
	.type	__thread_start, @function
__thread_start:
	xorl	%ebp, %ebp
	call	__thread_main
	ud2
	.size	__thread_start, . - __thread_start
	.section .note.GNU-stack, "", @progbits
