/* SPDX-License-Identifier: MIT */
/*
 * Where a program starts on ARM. The kernel leaves argc at SP, then argv[] and envp[], each ending
 * in NULL. FP zero marks the outermost frame record, CANTUNWIND the outermost table entry: every
 * user chain ends here.
 */
	.syntax unified
	.arm
	.globl	_start
	.type	_start, %function
_start:
	.fnstart
	.cantunwind
	mov	fp, #0
	mov	lr, #0
	mov	r3, sp
	ldr	r0, [r3], #4
	mov	r1, r3
	add	r2, r1, r0, lsl #2
	add	r2, r2, #4
	bic	r3, r3, #7		/* AAPCS32, 6.2.1.2: SP is a multiple of 8 at every call */
	mov	sp, r3
	bl	__libc_start
	udf	#0
	.fnend
	.size	_start, . - _start
	.section .note.GNU-stack, "", %progbits
