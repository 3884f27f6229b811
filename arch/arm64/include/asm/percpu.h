/* SPDX-License-Identifier: MIT */
/*
 * AArch64 part of arch/percpu.h: TPIDR_EL1 is the address of struct cpu. SP_EL0, a program's stack
 * pointer while one runs, is the running task in the kernel: one instruction reads it, so that
 * nobody is preempted in the middle.
 */
#pragma once

#include <asm/sysreg.h>

static inline struct cpu *this_cpu(void)
{
	struct cpu *cpu;

	__asm__ volatile("mrs %0, tpidr_el1" : "=r"(cpu));
	return cpu;
}

/* A task sees itself as current for ever, so the compiler may keep the answer. */
static inline struct task *current_task(void)
{
	struct task *task;

	__asm__("mrs %0, sp_el0" : "=r"(task));
	return task;
}

static inline void arch_set_current(struct task *task)
{
	sysreg_write(SP_EL0, (unsigned long)task);
}
