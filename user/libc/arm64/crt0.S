/* SPDX-License-Identifier: MIT */
/*
 * Where a program starts on AArch64. The kernel leaves argc at SP, then argv[] and envp[], each ending
 * in NULL. x29 zero marks the outermost frame: every user chain ends here.
 */
	.globl	_start
	.type	_start, %function
_start:
	mov	x29, #0
	mov	x30, #0
	ldr	x0, [sp]
	add	x1, sp, #8
	add	x2, x1, x0, lsl #3
	add	x2, x2, #8
	and	sp, x1, #-16	/* AAPCS64, 6.4.5: a multiple of 16; what is above stays */
	bl	__libc_start
	brk	#1000
	.size	_start, . - _start
	.section .note.GNU-stack, "", %progbits
