/* SPDX-License-Identifier: MIT */
/*
 * Break- and watchpoint registers. Their numbers are part of the instruction that writes them, so
 * that C would need a switch: here there is one instruction for each (Arm ARM DDI 0487, D17.3).
 */
	.text

.macro WRITE_ONE reg, n
	msr \reg\n\()_el1, x1
	ret
.endm

/* void NAME(unsigned n, u64 value): @n is below 16. */
.macro WRITER name, reg
	.globl \name
	.type \name, %function
\name:
	adr x2, 1f
	add x2, x2, w0, uxtw #3
	br x2
1:
	.irp n, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15
	WRITE_ONE \reg, \n
	.endr
	.size \name, . - \name
.endm

	WRITER dbgbvr_write, dbgbvr
	WRITER dbgbcr_write, dbgbcr
	WRITER dbgwvr_write, dbgwvr
	WRITER dbgwcr_write, dbgwcr

	.section .note.GNU-stack, "", %progbits
