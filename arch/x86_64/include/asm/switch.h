/* SPDX-License-Identifier: MIT */
/* x86_64 part of arch/switch.h. */
#pragma once

#include <hotregs/cpu.h>
#include <hotregs/task.h>

#include <asm/msr.h>

static inline void arch_switch_state(struct cpu *cpu, struct task *prev, struct task *next)
{
	/* The kernel is built without SSE, so only user tasks have FPU state worth moving; and only
	 * they enter the kernel from user mode, where the next stack is looked up. */
	if (!(prev->flags & TASK_KTHREAD))
		__asm__ volatile("fxsave64 %0" : "=m"(prev->arch.fpu));
	if (!(next->flags & TASK_KTHREAD)) {
		cpu->arch.tss.rsp[0] = next->stack + KERNEL_STACK_SIZE;
		__asm__ volatile("fxrstor64 %0" ::"m"(next->arch.fpu));
		/* Always: a program changes its base by loading FS. */
		wrmsr(MSR_FS_BASE, next->arch.fs_base);
	}
}

/*
 * A switched-out stack ends: frame pointer, address to go on at. The other registers that a
 * function must preserve (System V ABI AMD64, 3.2.1) are declared clobbered, so that the compiler
 * keeps just those that hold something.
 */
static __always_inline void arch_switch_stack(struct task *prev, struct task *next)
{
	unsigned long *from = &prev->arch.sp, *to = &next->arch.sp;

	__asm__ volatile("pushq %%rbp\n\t"
			 "pushq $1f\n\t"
			 "movq %%rsp, (%[from])\n\t"
			 "movq (%[to]), %%rsp\n\t"
			 "ret\n"
			 "1:\tpopq %%rbp"
			 : [from] "+a"(from), [to] "+d"(to)
			 :
			 : "rbx", "rcx", "rsi", "rdi", "r8", "r9", "r10", "r11", "r12", "r13",
			   "r14", "r15", "memory", "cc");
}
