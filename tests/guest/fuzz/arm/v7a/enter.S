/* SPDX-License-Identifier: MIT */
/*
 * A system call with every register known, and which of them changed; ARMv7-A. R0 has the result;
 * all others are the program's.
 */
#define NR 0
#define ARG(n) (4 + 4 * (n))
#define FP_VALUE 28
#define RESULT 32
#define CHANGED 36
#define FPU 40

	.syntax	unified
	.arm
	.fpu	neon

/* r\n should be \value: if not, bit \n of the word on the stack. */
	.macro	compare n
	ldr	r0, =0xdeadbe00 + \n
	cmp	r\n, r0
	ldrne	r0, [sp, #4]
	orrne	r0, r0, #1 << \n
	strne	r0, [sp, #4]
	.endm

/* r\n should be what argument \n was. */
	.macro	compare_arg n
	ldr	r0, [sp]
	ldr	r0, [r0, #ARG(\n)]
	cmp	r\n, r0
	ldrne	r0, [sp, #4]
	orrne	r0, r0, #1 << \n
	strne	r0, [sp, #4]
	.endm

	.globl	enter
	.type	enter, %function
enter:
	push	{r4-r11, lr}
	vpush	{d8-d15}	/* the caller's, as those are: AAPCS */
	mov	r1, #0
	push	{r0, r1}	/* the state, and a word of bits */
	ldr	r1, =fpu_pattern
	vldmia	r1!, {d0-d15}
	vldmia	r1, {d16-d31}
	ldr	r7, [r0, #NR]
	ldr	r11, [r0, #FP_VALUE]
	ldr	r6, =0xdeadbe00 + 6
	ldr	r8, =0xdeadbe00 + 8
	ldr	r9, =0xdeadbe00 + 9
	ldr	r10, =0xdeadbe00 + 10
	ldr	r12, =0xdeadbe00 + 12
	ldr	r14, =0xdeadbe00 + 14
	ldr	r1, [r0, #ARG(1)]
	ldr	r2, [r0, #ARG(2)]
	ldr	r3, [r0, #ARG(3)]
	ldr	r4, [r0, #ARG(4)]
	ldr	r5, [r0, #ARG(5)]
	ldr	r0, [r0, #ARG(0)]
	svc	#0

	push	{r1}
	ldr	r1, [sp, #4]
	str	r0, [r1, #RESULT]
	pop	{r1}
	compare_arg 1
	compare_arg 2
	compare_arg 3
	compare_arg 4
	compare_arg 5
	compare 6
	compare 8
	compare 9
	compare 10
	compare 12
	compare 14
	ldr	r0, [sp]
	ldr	r1, [r0, #NR]
	cmp	r7, r1
	ldreq	r1, [r0, #FP_VALUE]
	cmpeq	r11, r1
	ldr	r1, [sp, #4]
	orrne	r1, r1, #1 << 11
	str	r1, [r0, #CHANGED]
	add	r0, r0, #FPU
	vstmia	r0!, {d0-d15}
	vstmia	r0, {d16-d31}
	add	sp, sp, #8
	vpop	{d8-d15}
	pop	{r4-r11, pc}
	.ltorg
	.size	enter, . - enter

	.globl	thread_pointer
	.type	thread_pointer, %function
thread_pointer:
	mrc	p15, 0, r0, c13, c0, 3
	bx	lr
	.size	thread_pointer, . - thread_pointer

	.globl	spin_on
	.type	spin_on, %function
spin_on:
	mov	sp, r0
	mov	r11, r1
	mov	lr, r1
1:	b	1b
	.size	spin_on, . - spin_on
	.section .note.GNU-stack, "", %progbits
