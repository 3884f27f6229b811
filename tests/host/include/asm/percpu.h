/* SPDX-License-Identifier: MIT */
/* Host part of arch/percpu.h: variables that the test sets, best with host_run_as(). */
#pragma once

extern struct cpu *host_cpu;
extern struct task *host_current;

static inline struct cpu *this_cpu(void)
{
	return host_cpu;
}

static inline struct task *current_task(void)
{
	return host_cpu->running ? host_cpu->running : host_current;
}

static inline void arch_set_current(struct task *task)
{
}
