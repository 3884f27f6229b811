/* SPDX-License-Identifier: MIT */
/* ARMv7-A part of arch/percpu.h: TPIDRPRW, which programs cannot see, is the address of struct cpu.
 */
#pragma once

static inline struct cpu *this_cpu(void)
{
	struct cpu *cpu;

	__asm__ volatile("mrc p15, 0, %0, c13, c0, 4" : "=r"(cpu));
	return cpu;
}

/*
 * A task sees itself as current for ever, so the compiler may keep the answer. Whoever is preempted
 * between the two instructions begins again with the first: see percpu_reread().
 */
static inline struct task *current_task(void)
{
	struct task *task;

	__asm__("mrc p15, 0, %0, c13, c0, 4\n\tldr %0, [%0, #4]" : "=r"(task));
	return task;
}

/* It is where that looks. */
static inline void arch_set_current(struct task *task)
{
}

struct pt_regs;

/*
 * @regs are of a task that is about to lose its processor, and may go on at another one. If it was
 * interrupted inside current_task(), it goes on at its begin. Interrupts off.
 */
void percpu_reread(struct pt_regs *regs);
