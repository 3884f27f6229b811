/* SPDX-License-Identifier: MIT */
/* x86_64 part of arch/switch.h. */
#pragma once

#include <hotregs/cpu.h>
#include <hotregs/task.h>

static inline void arch_switch_state(struct task *prev, struct task *next)
{
	struct cpu *cpu = this_cpu();
	unsigned long top = next->stack + KERNEL_STACK_SIZE;

	cpu->arch.kernel_sp = top;
	cpu->arch.tss.rsp[0] = top;

	/* The kernel is built without SSE, so only user tasks have FPU state worth moving. */
	if (!(prev->flags & TASK_KTHREAD))
		__asm__ volatile("fxsave64 %0" : "=m"(prev->arch.fpu));
	if (!(next->flags & TASK_KTHREAD))
		__asm__ volatile("fxrstor64 %0" ::"m"(next->arch.fpu));
}
