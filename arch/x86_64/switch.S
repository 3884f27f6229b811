/* SPDX-License-Identifier: MIT */
/*
 * Starting a task on an empty stack, and taking hot registers: what C cannot say about a stack.
 */
#include <asm/offsets.h>

	.text

/*
 * Where the first switch to a task goes: arch_thread_init() left entry and its argument on the
 * stack. A zero frame pointer ends every chain.
 */
	.globl thread_start
	.type thread_start, @function
thread_start:
	popq %rdi
	popq %rsi
	xorl %ebp, %ebp
	call task_begin
	ud2
	.size thread_start, . - thread_start

/* void arch_hot_regs(struct pt_regs *regs): IP, SP and FP as they will be when this returns. */
	.globl arch_hot_regs
	.type arch_hot_regs, @function
arch_hot_regs:
	movq (%rsp), %rax
	movq %rax, REGS_IP(%rdi)
	leaq 8(%rsp), %rax
	movq %rax, REGS_SP(%rdi)
	movq %rbp, REGS_BP(%rdi)
	movw %cs, REGS_CS(%rdi)
	ret
	.size arch_hot_regs, . - arch_hot_regs

	.section .note.GNU-stack, "", @progbits
