/* SPDX-License-Identifier: MIT */
/*
 * Ways to be sampled with RBP and RSP that are anything: see struct sampler in stacks.h. An ENDBR64
 * where the sample strikes makes a walker believe that the function has no frame yet, so that it
 * takes the return address from the stack pointer.
 */
#define SYS_sched_yield 28

	.text

.macro BEGIN name
	.globl \name
	.type \name, @function
\name:
	pushq %rbp
	pushq %rbx
	movq %rsp, stack_pointer(%rip)
	movq %rsi, %rbx
	movl (%rbx), %edx
	movq 8(%rdi), %rsp
	movq 0(%rdi), %rbp
.endm

.macro END name
	movq stack_pointer(%rip), %rsp
	popq %rbx
	popq %rbp
	ret
	.size \name, . - \name
.endm

	BEGIN sampled_switch
	movl $SYS_sched_yield, %eax
	syscall
	END sampled_switch

	BEGIN sampled_switch_frameless
	movl $SYS_sched_yield, %eax
	syscall
	endbr64
	END sampled_switch_frameless

	/* The caller has not touched the page that %rbx points at. */
	.globl sampled_fault
	.type sampled_fault, @function
sampled_fault:
	pushq %rbp
	pushq %rbx
	movq %rsp, stack_pointer(%rip)
	movq %rsi, %rbx
	movq 8(%rdi), %rsp
	movq 0(%rdi), %rbp
	movb $1, (%rbx)
	END sampled_fault

	BEGIN sampled_clock
1:	cmpl (%rbx), %edx
	je 1b
	END sampled_clock

	/* Half of the samples strike before ENDBR64. */
	BEGIN sampled_clock_frameless
1:	endbr64
	cmpl (%rbx), %edx
	endbr64
	je 1b
	END sampled_clock_frameless

	.local stack_pointer
	.comm stack_pointer, 8, 8
	.section .note.GNU-stack, "", @progbits
