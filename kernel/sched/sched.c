/* SPDX-License-Identifier: MIT */
/*
 * Who runs: per-CPU run queues of 32 priorities, round robin with time slices among equals, and the
 * switch itself, where context-switch events see the outgoing task.
 */
#include <hotregs/address_space.h>
#include <hotregs/perf_event.h>
#include <hotregs/printk.h>
#include <hotregs/process.h>
#include <hotregs/sched.h>
#include <hotregs/time.h>

#include <arch/switch.h>

struct cpu cpus[MAX_CPUS];
u32 nr_cpus;

/* Puts @task last among its equals. Lock held. */
static void enqueue(struct run_queue *rq, struct task *task)
{
	struct task *first = rq->ring[task->priority];

	task->on_rq = true;
	if (first) {
		list_add_tail(&task->run_node, &first->run_node);
		return;
	}
	list_init(&task->run_node);
	rq->ring[task->priority] = task;
	rq->bitmap |= 1u << task->priority;
}

static struct task *ring_next(const struct task *task)
{
	return list_entry(task->run_node.next, struct task, run_node);
}

static void dequeue(struct run_queue *rq, struct task *task)
{
	struct task *next = ring_next(task);

	task->on_rq = false;
	if (next == task) {
		rq->ring[task->priority] = NULL;
		rq->bitmap &= ~(1u << task->priority);
		return;
	}
	if (rq->ring[task->priority] == task)
		rq->ring[task->priority] = next;
	list_del(&task->run_node);
}

static unsigned highest_priority(const struct run_queue *rq)
{
	return rq->bitmap ? 31 - __builtin_clz(rq->bitmap) : PRIORITY_IDLE;
}

static inline struct task *pick_next(const struct cpu *cpu)
{
	if (unlikely(!cpu->rq.bitmap))
		return cpu->idle;
	return cpu->rq.ring[31 - __builtin_clz(cpu->rq.bitmap)];
}

/*
 * Ends the switch that led here, on the new task's stack: the run queue is released and a task that
 * has left for good is handed over.
 */
static __always_inline void end_switch(struct cpu *cpu)
{
	struct task *prev = cpu->switched_from;

	spin_unlock(&cpu->rq.lock);
	if (unlikely(prev->state == TASK_DEAD))
		task_gone(prev);
}

void finish_switch(void)
{
	end_switch(this_cpu());
}

/* Takes the regs of this very place and shows them to whoever watches the switch. */
static __always_inline void switch_watched(struct cpu *cpu, struct task *prev, struct task *next)
{
	arch_hot_regs(&cpu->hot_regs);
	perf_sched_switch(prev, next, &cpu->hot_regs);
}

/* From @prev to whose turn it is. Interrupts off, run-queue lock held, which it releases. */
static __always_inline void switch_task(struct cpu *cpu, struct task *prev)
{
	struct task *next = pick_next(cpu);

	cpu->need_resched = false;
	if (next == prev) {
		spin_unlock(&cpu->rq.lock);
		return;
	}
	prev->nr_switches++;
	cpu->nr_switches++;
	if (perf_switch_watched(cpu, prev, next))
		switch_watched(cpu, prev, next);
	if (unlikely(prev == cpu->idle))
		time_tick_start();
	if (next->mm && next->mm != cpu->loaded_mm)
		mm_switch(next->mm);
	cpu->switched_from = prev;
	cpu->running = next;
	arch_switch_state(cpu, prev, next);
	arch_switch_stack(prev, next);
	end_switch(this_cpu());
}

__sched void schedule(void)
{
	unsigned long flags = irq_save();
	struct cpu *cpu = this_cpu();
	struct task *task = cpu->running;

	if (!check_no_spinlocks())
		goto out;
	spin_lock(&cpu->rq.lock);
	if (task->state != TASK_RUNNING && task->on_rq)
		dequeue(&cpu->rq, task);
	switch_task(cpu, task);
out:
	irq_restore(flags);
}

__sched void preempt_schedule(void)
{
	struct cpu *cpu = this_cpu();

	/* The idle loop looks for itself; so it always sleeps in the same place. */
	if (cpu->running == cpu->idle)
		return;
	spin_lock(&cpu->rq.lock);
	/* A task preempted on its way to sleep stays runnable: it has yet to look if it still must.
	 */
	switch_task(cpu, cpu->running);
}

__sched void yield(void)
{
	unsigned long flags = irq_save();
	struct cpu *cpu = this_cpu();
	struct task *task = cpu->running;

	if (!check_no_spinlocks())
		goto out;
	spin_lock(&cpu->rq.lock);
	cpu->rq.ring[task->priority] = ring_next(task);
	switch_task(cpu, task);
out:
	irq_restore(flags);
}

/* The CPU has something better to do than @cpu->running. */
static void request_resched(struct cpu *cpu)
{
	cpu->need_resched = true;
	/* Interrupt and system-call returns look by themselves; other kernel code must be stopped.
	 */
	if (!cpu->irq_depth && (cpu->running->flags & TASK_KTHREAD))
		arch_raise_irq_work();
}

bool wake_up_task(struct task *task)
{
	unsigned long flags = irq_save();
	struct cpu *cpu = &cpus[task->cpu];
	bool woken = false;

	spin_lock(&cpu->rq.lock);
	if (task->state == TASK_SLEEPING) {
		task->state = TASK_RUNNING;
		woken = true;
		/* On its way to sleep it may still be on the CPU, or have been preempted. */
		if (!task->on_rq) {
			enqueue(&cpu->rq, task);
			if (task->priority > cpu->running->priority)
				request_resched(cpu);
		}
	}
	spin_unlock(&cpu->rq.lock);
	irq_restore(flags);
	return woken;
}

void sched_start(struct task *task)
{
	task->cpu = this_cpu()->id;
	task->state = TASK_SLEEPING;
	wake_up_task(task);
}

int sched_set_priority(struct task *task, unsigned priority)
{
	unsigned long flags = irq_save();
	struct cpu *cpu = &cpus[task->cpu];

	if (priority <= PRIORITY_IDLE || priority > PRIORITY_MAX) {
		irq_restore(flags);
		return -EINVAL;
	}
	spin_lock(&cpu->rq.lock);
	if (task->on_rq) {
		dequeue(&cpu->rq, task);
		task->priority = priority;
		enqueue(&cpu->rq, task);
	} else {
		task->priority = priority;
	}
	if (highest_priority(&cpu->rq) > cpu->running->priority)
		request_resched(cpu);
	spin_unlock(&cpu->rq.lock);
	irq_restore(flags);
	return 0;
}

void sched_tick(struct pt_regs *regs)
{
	struct cpu *cpu = this_cpu();
	struct task *task = cpu->running;

	if (task == cpu->idle)
		return;
	if (user_mode(regs)) {
		task->utime++;
		cpu->user_ticks++;
	} else {
		task->stime++;
		cpu->system_ticks++;
	}
	if (task->fifo || --task->slice_left > 0)
		return;
	task->slice_left = SLICE_TICKS;
	/* The slice is over: its equals come first, if it has any. */
	spin_lock(&cpu->rq.lock);
	if (task->on_rq) {
		cpu->rq.ring[task->priority] = ring_next(task);
		cpu->need_resched |= ring_next(task) != task;
	}
	spin_unlock(&cpu->rq.lock);
}

bool sched_needs_tick(const struct cpu *cpu)
{
	return cpu->running != cpu->idle;
}

u64 sched_nr_switches(void)
{
	u64 n = 0;

	for_each_cpu (cpu)
		n += READ_ONCE(cpu->nr_switches);
	return n;
}

void sched_init_cpu(struct cpu *cpu, struct task *idle, unsigned long stack)
{
	spin_lock_init(&cpu->rq.lock);
	idle->stack = stack;
	idle->flags = TASK_KTHREAD | TASK_IDLE;
	idle->priority = PRIORITY_IDLE;
	idle->cpu = cpu->id;
	list_init(&idle->run_node);
	__builtin_memcpy(idle->comm, "swapper", sizeof("swapper"));
	cpu->idle = idle;
	cpu->running = idle;
}

void sched_idle(void)
{
	struct cpu *cpu = this_cpu();

	for (;;) {
		irq_disable();
		if (cpu->rq.bitmap)
			schedule();
		else
			irq_enable_and_wait();
	}
}
