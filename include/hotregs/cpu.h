/* SPDX-License-Identifier: MIT */
/* struct cpu: all state that belongs to one processor. Touched by that processor only, with
 * interrupts disabled, unless a member says otherwise. */
#pragma once

#include <hotregs/list.h>
#include <hotregs/spinlock.h>
#include <hotregs/task.h>
#include <hotregs/time.h>

#include <arch/regs.h>
#include <asm/cpu.h> /* struct arch_cpu */

#define MAX_CPUS 8

/* Contexts that can nest on a CPU, each with perf buffers of its own. */
enum cpu_context { CTX_TASK, CTX_IRQ, CTX_NESTED_IRQ, CTX_NMI, NR_CPU_CONTEXTS };

#define NR_PRIORITIES 32

/*
 * Runnable tasks by priority. Those of one priority form a ring through run_node, the running one
 * among them; ring[p] is whose turn it is. Other CPUs look at bitmap and nr without the lock.
 */
struct run_queue {
	struct spinlock lock;
	u32 bitmap; /* bit p: ring[p] is not NULL */
	u32 nr;     /* tasks in all rings */
	struct task *ring[NR_PRIORITIES];
};

struct cpu {
	struct cpu *self;     /* first: the architecture reads it through its per-CPU register */
	struct task *running; /* second, for the same reason; read as `current` */
	u32 id;
	bool need_resched;
	u8 irq_depth; /* interrupts being served, not counting NMIs */
	u8 nmi_depth;
	struct arch_cpu arch;
	u32 perf_active; /* non-zero: CPU-wide events watch switches here */
	u64 nr_switches;
	u64 nr_migrations;            /* tasks that were sent here from other CPUs; atomic */
	u32 balance_ticks;            /* since it last looked if another CPU has more to do */
	u64 user_ticks, system_ticks; /* charged to tasks here */
	struct task *idle;
	struct task *switched_from; /* for finish_switch() */
	struct mm *loaded_mm;       /* whose address space is loaded; NULL: the kernel's own */
	struct mm *left_mm; /* the one before, while it is being exchanged; others read both */
	struct run_queue rq;
	struct smp_call *calls;             /* from other CPUs, a lock-free stack; any CPU pushes */
	struct irq_work *irq_work;          /* pending, a lock-free stack; NMI pushes too */
	struct timer_queue timers;          /* kernel/time's part */
	struct perf_cpu *perf;              /* kernel/perf's part */
	struct cpu_breakpoints breakpoints; /* kernel/breakpoint's */
	struct pt_regs hot_regs;            /* schedule()'s; what arch_hot_regs() leaves is 0 */
};

extern struct cpu cpus[MAX_CPUS];
extern u32 nr_cpus; /* that run */

#define for_each_cpu(cpu) for (struct cpu *cpu = cpus; cpu < cpus + nr_cpus; cpu++)

#include <arch/percpu.h>

/* @task is the one that runs on @cpu, the calling one, from here on. Interrupts off. */
static inline void cpu_set_running(struct cpu *cpu, struct task *task)
{
	cpu->running = task;
	arch_set_current(task);
}

/* Which of the nestable contexts is the caller in? */
static inline enum cpu_context cpu_context(const struct cpu *cpu)
{
	if (unlikely(cpu->nmi_depth))
		return CTX_NMI;
	return cpu->irq_depth > 1 ? CTX_NESTED_IRQ : (enum cpu_context)cpu->irq_depth;
}

/* Is the caller serving a non-maskable interrupt? */
static inline bool in_nmi(void)
{
	return this_cpu()->nmi_depth;
}
