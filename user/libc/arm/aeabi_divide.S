/* SPDX-License-Identifier: MIT */
/*
 * What compiled code calls to divide 64-bit numbers (ARM IHI 0043, 4.3.1): numerator in R0-R1,
 * denominator in R2-R3; quotient in R0-R1, remainder in R2-R3.
 */
	.syntax unified
	.arm

	.macro DIVIDE name, function
	.globl	\name
	.type	\name, %function
\name:
	.fnstart
	push	{fp, lr}
	.save	{fp, lr}
	.setfp	fp, sp, #4
	add	fp, sp, #4
	sub	sp, sp, #16
	add	ip, sp, #8
	str	ip, [sp]
	bl	\function
	ldrd	r2, r3, [sp, #8]
	sub	sp, fp, #4
	pop	{fp, pc}
	.fnend
	.size	\name, . - \name
	.endm

	.section .text.__aeabi_uldivmod, "ax"
	DIVIDE	__aeabi_uldivmod, divide_unsigned
	.section .text.__aeabi_ldivmod, "ax"
	DIVIDE	__aeabi_ldivmod, divide_signed
	.section .note.GNU-stack, "", %progbits
