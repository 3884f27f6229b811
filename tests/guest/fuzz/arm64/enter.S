/* SPDX-License-Identifier: MIT */
/*
 * A system call with every register known, and which of them changed; AArch64. x0 has the result; all
 * others are the program's.
 */
#define NR 0
#define ARG(n) (8 + 8 * (n))
#define FP 56
#define RESULT 64
#define CHANGED 72
#define FPU 80

#define VALUE(n) (0x1dead000 + (n))

	.macro	set reg, value
	movz	\reg, #(\value) & 0xffff
	movk	\reg, #(\value) >> 16, lsl #16
	.endm

/* \reg should be \value: if not, bit \bit of x0, beside which x30 is free by now. */
	.macro	compare reg, value, bit
	set	x30, \value
	cmp	\reg, x30
	b.eq	1f
	orr	x0, x0, #1 << \bit
1:
	.endm

	.globl	enter
	.type	enter, %function
enter:
	stp	x29, x30, [sp, #-176]!
	stp	x19, x20, [sp, #16]
	stp	x21, x22, [sp, #32]
	stp	x23, x24, [sp, #48]
	stp	x25, x26, [sp, #64]
	stp	x27, x28, [sp, #80]
	stp	d8, d9, [sp, #96]
	stp	d10, d11, [sp, #112]
	stp	d12, d13, [sp, #128]
	stp	d14, d15, [sp, #144]
	str	x0, [sp, #160]
	adrp	x1, fpu_pattern
	add	x1, x1, :lo12:fpu_pattern
	ldp	q0, q1, [x1]
	ldp	q2, q3, [x1, #32]
	ldp	q4, q5, [x1, #64]
	ldp	q6, q7, [x1, #96]
	ldp	q8, q9, [x1, #128]
	ldp	q10, q11, [x1, #160]
	ldp	q12, q13, [x1, #192]
	ldp	q14, q15, [x1, #224]
	ldp	q16, q17, [x1, #256]
	ldp	q18, q19, [x1, #288]
	ldp	q20, q21, [x1, #320]
	ldp	q22, q23, [x1, #352]
	ldp	q24, q25, [x1, #384]
	ldp	q26, q27, [x1, #416]
	ldp	q28, q29, [x1, #448]
	ldp	q30, q31, [x1, #480]
	.irp	n, 6, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 30
	set	x\n, VALUE(\n)
	.endr
	ldr	x8, [x0, #NR]
	ldr	x29, [x0, #FP]
	ldr	x1, [x0, #ARG(1)]
	ldr	x2, [x0, #ARG(2)]
	ldr	x3, [x0, #ARG(3)]
	ldr	x4, [x0, #ARG(4)]
	ldr	x5, [x0, #ARG(5)]
	ldr	x0, [x0, #ARG(0)]
	svc	#0

	/* x6 is looked at first: then it holds the state. */
	str	x30, [sp, #168]
	set	x30, VALUE(6)
	cmp	x6, x30
	ldr	x6, [sp, #160]
	str	x0, [x6, #RESULT]
	cset	x0, ne
	lsl	x0, x0, #6
	.irp	n, 7, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28
	compare	x\n, VALUE(\n), \n
	.endr
	ldr	x7, [sp, #168]
	compare	x7, VALUE(30), 30
	.irp	n, 1, 2, 3, 4, 5
	ldr	x7, [x6, #ARG(\n)]
	cmp	x7, x\n
	b.eq	1f
	orr	x0, x0, #1 << \n
1:
	.endr
	ldr	x7, [x6, #NR]
	cmp	x7, x8
	b.eq	1f
	orr	x0, x0, #1 << 8
1:	ldr	x7, [x6, #FP]
	cmp	x7, x29
	b.eq	1f
	orr	x0, x0, #1 << 29
1:	str	x0, [x6, #CHANGED]
	add	x6, x6, #FPU
	stp	q0, q1, [x6]
	stp	q2, q3, [x6, #32]
	stp	q4, q5, [x6, #64]
	stp	q6, q7, [x6, #96]
	stp	q8, q9, [x6, #128]
	stp	q10, q11, [x6, #160]
	stp	q12, q13, [x6, #192]
	stp	q14, q15, [x6, #224]
	stp	q16, q17, [x6, #256]
	stp	q18, q19, [x6, #288]
	stp	q20, q21, [x6, #320]
	stp	q22, q23, [x6, #352]
	stp	q24, q25, [x6, #384]
	stp	q26, q27, [x6, #416]
	stp	q28, q29, [x6, #448]
	stp	q30, q31, [x6, #480]
	ldp	x19, x20, [sp, #16]
	ldp	x21, x22, [sp, #32]
	ldp	x23, x24, [sp, #48]
	ldp	x25, x26, [sp, #64]
	ldp	x27, x28, [sp, #80]
	ldp	d8, d9, [sp, #96]
	ldp	d10, d11, [sp, #112]
	ldp	d12, d13, [sp, #128]
	ldp	d14, d15, [sp, #144]
	ldp	x29, x30, [sp], #176
	ret
	.size	enter, . - enter

	.globl	thread_pointer
	.type	thread_pointer, %function
thread_pointer:
	mrs	x0, tpidr_el0
	ret
	.size	thread_pointer, . - thread_pointer

	.globl	spin_on
	.type	spin_on, %function
spin_on:
	mov	sp, x0
	mov	x29, x1
	mov	x30, x1
1:	b	1b
	.size	spin_on, . - spin_on
	.section .note.GNU-stack, "", %progbits
