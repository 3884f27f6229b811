/* SPDX-License-Identifier: MIT */
/*
 * Ways to be sampled with x29, SP and x30 that are anything: see struct sampler in stacks.h. What follows
 * where the sample strikes makes a walker believe that the function is a leaf, or that it has a
 * record, or is a loop without an end.
 */
#include <uapi/syscall.h>

	.text

.macro BEGIN name
	.globl \name
	.type \name, %function
\name:
	stp x29, x30, [sp, #-32]!
	stp x19, x20, [sp, #16]
	adrp x19, stack_pointer
	mov x9, sp
	str x9, [x19, :lo12:stack_pointer]
	mov x20, x1
	ldr w10, [x20]
	ldr x9, [x0, #8]
	ldr x29, [x0]
	ldr x30, [x0, #16]
	mov sp, x9
.endm

	/* The caller has not touched the page that x1 points at. */
.macro BEGIN_UNTOUCHED name
	.globl \name
	.type \name, %function
\name:
	stp x29, x30, [sp, #-32]!
	stp x19, x20, [sp, #16]
	adrp x19, stack_pointer
	mov x9, sp
	str x9, [x19, :lo12:stack_pointer]
	mov x20, x1
	ldr x9, [x0, #8]
	ldr x29, [x0]
	ldr x30, [x0, #16]
	mov sp, x9
.endm

.macro END name
	ldr x9, [x19, :lo12:stack_pointer]
	mov sp, x9
	ldp x19, x20, [sp, #16]
	ldp x29, x30, [sp], #32
	ret
	.size \name, . - \name
.endm

/* What a walker sees of the code behind. */
.macro SEEN_leaf
	cbz xzr, 9f
	ret
9:
.endm
.macro SEEN_record
.endm
.macro SEEN_loop
	cbz xzr, 9f
8:	nop
	b 8b
9:
.endm

.macro SAMPLED kind
	BEGIN sampled_switch_\kind
	mov x8, #SYS_sched_yield
	svc #0
	SEEN_\kind
	END sampled_switch_\kind

	BEGIN_UNTOUCHED sampled_fault_\kind
	strb wzr, [x20]
	SEEN_\kind
	END sampled_fault_\kind

	BEGIN sampled_clock_\kind
1:	ldr w11, [x20]
	cmp w10, w11
	b.eq 1b
	SEEN_\kind
	END sampled_clock_\kind
.endm

	SAMPLED leaf
	SAMPLED record
	SAMPLED loop

	.local stack_pointer
	.comm stack_pointer, 8, 8
	.section .note.GNU-stack, "", %progbits
