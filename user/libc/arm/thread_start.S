/* SPDX-License-Identifier: MIT */
/* void __thread_start(struct pthread *): where the kernel lets a thread begin; it ends every chain. */
	.syntax unified
	.arm
	.globl	__thread_start
	.type	__thread_start, %function
__thread_start:
	.fnstart
	.cantunwind
	mov	fp, #0
	mov	lr, #0
	bl	__thread_main
	udf	#0
	.fnend
	.size	__thread_start, . - __thread_start
	.section .note.GNU-stack, "", %progbits
