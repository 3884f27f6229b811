/* SPDX-License-Identifier: MIT */
/*
 * Break- and watchpoint registers. Their numbers are part of the instruction that writes them, so
 * that C would need a switch: here there is one instruction for each (ARM DDI 0406C, C11.11: opc2
 * says which kind, CRm has the number).
 */
	.text

/* void NAME(unsigned n, u32 value): @n is below 16. */
.macro WRITER name, opc2
	.globl \name
	.type \name, %function
\name:
	.fnstart
	add pc, pc, r0, lsl #3 /* the PC is two instructions ahead */
	nop
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	mcr p14, 0, r1, c0, c\n, \opc2
	bx lr
	.endr
	.fnend
	.size \name, . - \name
.endm

	WRITER dbgbvr_write, 4
	WRITER dbgbcr_write, 5
	WRITER dbgwvr_write, 6
	WRITER dbgwcr_write, 7

	.section .note.GNU-stack, "", %progbits
