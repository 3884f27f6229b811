/* SPDX-License-Identifier: MIT */
/* On which processors a task may run. */
#include <hotregs/smp.h>

#include "run_queue.h"

#include <arch/irq.h>

/* Is it somewhere? sched_start() finds the first place, which is no move. Its lock is held. */
static bool has_begun(const struct task *task)
{
	return task->on_rq != RQ_NOT || task->state != TASK_RUNNING;
}

int sched_set_affinity(struct task *task, u32 cpus_asked)
{
	bool arrives = false, leaves;
	u32 to;
	unsigned long flags;
	struct cpu *cpu;

	cpus_asked &= cpus_online();
	if (!cpus_asked)
		return -EINVAL;
	cpu = task_rq_lock(task, &flags);
	task->affinity = cpus_asked;
	to = task_destination(task);
	if (task->state != TASK_DEAD && has_begun(task) && !(cpus_asked & CPU_MASK(to)))
		arrives = sched_move(cpu, task, sched_place(task, cpu));
	leaves = task == current && task->leaves;
	spin_unlock(&cpu->rq.lock);
	if (arrives)
		sched_arrive(task);
	irq_restore(flags);
	if (leaves && irqs_enabled())
		schedule();
	return 0;
}
