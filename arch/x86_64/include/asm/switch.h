/* SPDX-License-Identifier: MIT */
/* x86_64 part of arch/switch.h. */
#pragma once

#include <hotregs/cpu.h>
#include <hotregs/task.h>

#include <asm/msr.h>

/* Is any of them not null? */
static inline bool user_selectors_loaded(void)
{
	u32 ds, es, fs, gs;

	__asm__ volatile("movl %%ds, %0\n\tmovl %%es, %1\n\tmovl %%fs, %2\n\tmovl %%gs, %3"
			 : "=r"(ds), "=r"(es), "=r"(fs), "=r"(gs));
	return ds | es | fs | gs;
}

/* regs.c: to and from the registers; after reading them, those are null. Interrupts off. */
void user_selectors_save(struct task *task);
void user_selectors_load(const struct task *task);

static inline void arch_switch_state(struct cpu *cpu, struct task *prev, struct task *next)
{
	/* The kernel is built without SSE, so only user tasks have FPU state worth moving; and only
	 * they enter the kernel from user mode, where the next stack is looked up. */
	if (!(prev->flags & TASK_KTHREAD)) {
		__asm__ volatile("fxsave64 %0" : "=m"(prev->arch.fpu));
		if (unlikely(user_selectors_loaded() || prev->arch.selectors.any))
			user_selectors_save(prev);
	}
	if (!(next->flags & TASK_KTHREAD)) {
		if (unlikely(next->arch.selectors.any))
			user_selectors_load(next);
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
