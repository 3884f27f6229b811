/* SPDX-License-Identifier: MIT */
/* void __thread_start(struct pthread *): where the kernel lets a thread begin; it ends every chain. */
	.globl	__thread_start
	.type	__thread_start, %function
__thread_start:
	mov	x29, #0
	mov	x30, #0
	bl	__thread_main
	brk	#1000
	.size	__thread_start, . - __thread_start
	.section .note.GNU-stack, "", %progbits
