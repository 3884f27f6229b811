/* SPDX-License-Identifier: MIT */
/*
 * Ways to be sampled with r4 to r11, SP and LR that are anything: see struct sampler in stacks.h.
 * Their unwind tables say all that one of a C function could.
 */
#define SYS_sched_yield 28

	.syntax unified
	.text

.macro BEGIN name, state
	.globl \name
	.type \name, %function
	.\state
\name:
	.fnstart
	push	{r4-r11, lr}
	ldr	r2, =stack_pointer
	str	sp, [r2]
	ldrd	r2, r3, [r0, #4]	/* sp, lr */
	mov	sp, r2
	mov	lr, r3
	ldr	r11, [r0]
	mov	r7, r11			/* the frame pointer of Thumb code */
	ldr	r4, [r0, #8]
	mov	r5, r2
	mov	r6, r11
	mov	r8, r2
	mov	r9, r11
	mov	r10, r2
.endm

.macro END name
	ldr	r2, =stack_pointer
	ldr	sp, [r2]
	pop	{r4-r11, pc}
	.fnend
	.size \name, . - \name
	.ltorg
.endm

.macro YIELD
	mov	r7, #SYS_sched_yield
	svc	#0
.endm

.macro TOUCH
	strb	r0, [r1]
.endm

.macro SPIN
	ldr	r0, [r1]
1:	ldr	r2, [r1]
	cmp	r2, r0
	beq	1b
.endm

/* What the table says: the caller is in lr; */
.macro LEAF
.endm
/* is found by a frame record, */
.macro RECORD
	.save	{r11, lr}
	.setfp	r11, sp, #4
.endm
/* by r7, */
.macro THUMB_RECORD
	.save	{r7, lr}
	.setfp	r7, sp, #0
.endm
/* by the stack pointer, */
.macro SAVED
	.pad	#64
	.save	{r4-r10, lr}
.endm
/* in many pieces, which no recipe has; */
.macro PIECES
	.save	{lr}
	.pad	#8
	.save	{r4, r5}
	.pad	#8
	.save	{r10, r11}
.endm
/* or there is none. */
.macro NOBODY
	.cantunwind
.endm

.macro SAMPLED suffix, state, table
	BEGIN	sampled_switch_\suffix, \state
	YIELD
	\table
	END	sampled_switch_\suffix
	BEGIN	sampled_fault_\suffix, \state
	TOUCH
	\table
	END	sampled_fault_\suffix
	BEGIN	sampled_clock_\suffix, \state
	SPIN
	\table
	END	sampled_clock_\suffix
.endm

	SAMPLED	leaf, arm, LEAF
	SAMPLED	record, arm, RECORD
	SAMPLED	saved, arm, SAVED
	SAMPLED	pieces, arm, PIECES
	SAMPLED	nobody, arm, NOBODY
	SAMPLED	thumb_leaf, thumb, LEAF
	SAMPLED	thumb_record, thumb, THUMB_RECORD
	SAMPLED	thumb_pieces, thumb, PIECES

	/* What the program reads and writes big-endian, the kernel does not. */
	BEGIN	sampled_switch_big_endian, arm
	setend	be
	YIELD
	setend	le
	RECORD
	END	sampled_switch_big_endian
	BEGIN	sampled_fault_big_endian, arm
	setend	be
	TOUCH
	setend	le
	RECORD
	END	sampled_fault_big_endian
	BEGIN	sampled_clock_big_endian, arm
	setend	be
	SPIN
	setend	le
	RECORD
	END	sampled_clock_big_endian

	.local	stack_pointer
	.comm	stack_pointer, 4, 4
	.section .note.GNU-stack, "", %progbits
