/* SPDX-License-Identifier: MIT */
/* Zeroing and copying a page, by pairs of registers. Leaves, without a frame: their caller is in x30. */

	.text

/* void page_clear(void *page) */
	.globl page_clear
	.type page_clear, %function
page_clear:
	add x1, x0, #4096
1:	stp xzr, xzr, [x0]
	stp xzr, xzr, [x0, #16]
	stp xzr, xzr, [x0, #32]
	stp xzr, xzr, [x0, #48]
	stp xzr, xzr, [x0, #64]
	stp xzr, xzr, [x0, #80]
	stp xzr, xzr, [x0, #96]
	stp xzr, xzr, [x0, #112]
	add x0, x0, #128
	cmp x0, x1
	b.ne 1b
	ret
	.size page_clear, . - page_clear

/* void page_copy(void *page, const void *src): src need not be aligned */
	.globl page_copy
	.type page_copy, %function
page_copy:
	add x2, x0, #4096
1:	ldp x3, x4, [x1]
	ldp x5, x6, [x1, #16]
	ldp x7, x8, [x1, #32]
	ldp x9, x10, [x1, #48]
	add x1, x1, #64
	stp x3, x4, [x0]
	stp x5, x6, [x0, #16]
	stp x7, x8, [x0, #32]
	stp x9, x10, [x0, #48]
	add x0, x0, #64
	cmp x0, x2
	b.ne 1b
	ret
	.size page_copy, . - page_copy

	.section .note.GNU-stack, "", %progbits
