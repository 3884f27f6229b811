/* SPDX-License-Identifier: MIT */
/*
 * Who runs: per-CPU run queues of 32 priorities, round robin with time slices among equals, and the
 * switch itself, where context-switch events see the outgoing task.
 */
#include <hotregs/address_space.h>
#include <hotregs/printk.h>
#include <hotregs/process.h>
#include <hotregs/smp.h>
#include <hotregs/time.h>

#include "run_queue.h"

#include <arch/switch.h>

struct cpu cpus[MAX_CPUS] __debug_data;
u32 nr_cpus;

static inline struct task *pick_next(const struct cpu *cpu)
{
	if (unlikely(!cpu->rq.bitmap))
		return cpu->idle;
	return cpu->rq.ring[31 ^ __builtin_clz(cpu->rq.bitmap)];
}

/* Sends a task that has left this CPU where it has to go. Lock held, which it releases. */
static void send_on(struct cpu *cpu, struct task *task)
{
	bool runnable = task->on_rq == RQ_MOVING;

	task->leaves = LEAVES_NOT;
	set_cpu(task, task->target);
	spin_unlock(&cpu->rq.lock);
	/* If it sleeps, it may be awake again by now, and more. */
	if (runnable)
		sched_arrive(task);
}

/* @prev is off its CPU, and does not come back. Lock held, which it releases. */
static noinline void end_stay(struct cpu *cpu, struct task *prev)
{
	if (prev->leaves == LEAVES_CPU) {
		send_on(cpu, prev);
	} else {
		spin_unlock(&cpu->rq.lock);
		task_gone(prev);
	}
}

/*
 * Ends the switch that led here, on the new task's stack: the run queue is released and a task that
 * has left the CPU is handed over. Of any other one nothing is known after the release.
 */
static __always_inline void end_switch(struct cpu *cpu)
{
	struct task *prev = cpu->switched_from;

	check_task_off(prev);
	if (unlikely(prev->leaves))
		end_stay(cpu, prev);
	else
		spin_unlock(&cpu->rq.lock);
}

void finish_switch(void)
{
	end_switch(this_cpu());
}

/* Takes the regs of this very place and shows them to whoever watches the switch, if anybody cares
 * for more than its number. */
static __always_inline void switch_watched(struct cpu *cpu, struct task *prev, struct task *next,
					   u32 watchers)
{
	if (!(watchers & ~PERF_ACTIVE_COUNTS)) {
		perf_count_switch(cpu, prev, next, watchers);
		return;
	}
	if (perf_switch_counted(watchers)) {
		perf_count_switch(cpu, prev, next, watchers);
	} else {
		arch_hot_regs(&cpu->hot_regs);
		perf_sched_switch(prev, next, &cpu->hot_regs);
	}
	/* A CPU has breakpoints of a task's loaded just as long as that one's switches are hooked.
	 */
	if (unlikely(watchers & SWITCH_HOOKED))
		sched_switch_breakpoints(cpu, next);
}

/* @prev, which leaves the CPU, is not to be chosen again. Lock held. */
static noinline void leave_ring(struct run_queue *rq, struct task *prev)
{
	if (!prev->on_rq)
		return;
	dequeue(rq, prev);
	if (prev->leaves == LEAVES_CPU)
		prev->on_rq = RQ_MOVING;
}

/* From @prev to whose turn it is. Interrupts off, run-queue lock held, which it releases. */
static __always_inline void switch_task(struct cpu *cpu, struct task *prev)
{
	struct task *next;
	u32 watchers;

	if (unlikely(prev->leaves))
		leave_ring(&cpu->rq, prev);
	next = pick_next(cpu);
	cpu->need_resched = false;
	if (next == prev) {
		spin_unlock(&cpu->rq.lock);
		return;
	}
	prev->nr_switches++;
	cpu->nr_switches++;
	watchers = perf_switch_watchers(cpu, prev, next);
	if (unlikely(watchers))
		switch_watched(cpu, prev, next, watchers);
	if (next->mm && next->mm != cpu->loaded_mm)
		mm_switch(next->mm);
	cpu->switched_from = prev;
	cpu_set_running(cpu, next);
	check_task_on(next);
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

__sched void sched_exit(void)
{
	struct cpu *cpu;

	irq_disable();
	cpu = this_cpu();
	if (!check_no_spinlocks())
		return;
	spin_lock(&cpu->rq.lock);
	/* Under the lock: who wakes it meanwhile must not make it a live one again. */
	cpu->running->state = TASK_DEAD;
	cpu->running->leaves = LEAVES_FOR_GOOD;
	switch_task(cpu, cpu->running);
}

void request_resched(struct cpu *cpu)
{
	cpu->need_resched = true;
	if (cpu != this_cpu())
		smp_kick(cpu);
	/* Interrupt and system-call returns look by themselves, and so does the idle loop; other
	 * kernel code must be stopped. */
	else if (!cpu->irq_depth &&
		 (cpu->running->flags & (TASK_KTHREAD | TASK_IDLE)) == TASK_KTHREAD)
		arch_raise_irq_work();
}

/* @task has become runnable at @cpu. Lock held. */
static inline void enqueue_woken(struct cpu *cpu, struct task *task)
{
	enqueue(&cpu->rq, task);
	if (task->priority > cpu->running->priority)
		request_resched(cpu);
}

void sched_arrive(struct task *task)
{
	struct cpu *cpu = lock_queue(task);

	ASSERT(task->on_rq == RQ_MOVING);
	enqueue_woken(cpu, task);
	spin_unlock(&cpu->rq.lock);
}

struct cpu *task_rq_lock(struct task *task, unsigned long *flags)
{
	*flags = irq_save();
	return lock_queue(task);
}

void task_rq_unlock(struct cpu *cpu, unsigned long flags)
{
	spin_unlock_irqrestore(&cpu->rq.lock, flags);
}

/* Sends @task, which has been woken, away from @cpu if that is busy and there is a better one; was
 * it? Lock held. */
static noinline bool wake_elsewhere(struct cpu *cpu, struct task *task)
{
	struct cpu *to = sched_place(task, cpu);

	if (to == cpu)
		return false;
	task->on_rq = RQ_MOVING;
	sched_move(cpu, task, to);
	return true;
}

/* Makes @task, which slept, runnable. Lock held, which it releases. */
static inline void make_runnable(struct cpu *cpu, struct task *task)
{
	bool elsewhere = false;

	task->state = TASK_RUNNING;
	/* On its way to sleep it may still be on the CPU, or have been preempted. */
	if (likely(!task->on_rq)) {
		elsewhere = unlikely(nr_cpus > 1) && wake_elsewhere(cpu, task);
		if (likely(!elsewhere))
			enqueue_woken(cpu, task);
	}
	spin_unlock(&cpu->rq.lock);
	if (unlikely(elsewhere))
		sched_arrive(task);
}

bool wake_up_task(struct task *task)
{
	unsigned long flags = irq_save();
	struct cpu *cpu = lock_queue(task);
	bool woken = task->state == TASK_SLEEPING;

	if (woken)
		make_runnable(cpu, task);
	else
		spin_unlock(&cpu->rq.lock);
	irq_restore(flags);
	return woken;
}

/* Interrupts the processor where @task runs, if it is another one. */
static void kick_task(struct task *task)
{
	unsigned long flags;
	struct cpu *cpu = task_rq_lock(task, &flags);

	if (cpu->running == task && cpu != this_cpu())
		smp_kick(cpu);
	task_rq_unlock(cpu, flags);
}

void task_notify(struct task *task, u8 work)
{
	task_set_work(task, work);
	if (!wake_up_task(task) && nr_cpus > 1)
		kick_task(task);
}

void sched_start(struct task *task)
{
	unsigned long flags;
	struct cpu *cpu = task_rq_lock(task, &flags), *here = this_cpu();

	task->state = TASK_RUNNING;
	task->on_rq = RQ_MOVING;
	/* It was nowhere before, so this is no move. */
	set_cpu(task, (nr_cpus > 1 ? sched_place(task, here) : here)->id);
	spin_unlock(&cpu->rq.lock);
	sched_arrive(task);
	irq_restore(flags);
}

void sched_requeue(struct task *task, unsigned priority)
{
	struct cpu *cpu = lock_queue(task), *to = cpu;
	bool arrives = false;

	if (task->on_rq == RQ_QUEUED) {
		dequeue(&cpu->rq, task);
		task->priority = priority;
		if (cpu->running != task)
			to = sched_place(task, cpu);
		enqueue(&cpu->rq, task);
		/* Who runs has not lost its turn by having been more urgent for a while. */
		if (cpu->running == task)
			cpu->rq.ring[priority] = task;
		if (to != cpu)
			arrives = sched_move(cpu, task, to);
	} else {
		task->priority = priority;
	}
	if (highest_priority(&cpu->rq) > cpu->running->priority)
		request_resched(cpu);
	spin_unlock(&cpu->rq.lock);
	if (arrives)
		sched_arrive(task);
}

/* The slice is over: its equals come first, if it has any. */
static void end_slice(struct cpu *cpu, struct task *task)
{
	task->slice_left = SLICE_TICKS;
	spin_lock(&cpu->rq.lock);
	if (task->on_rq) {
		cpu->rq.ring[task->priority] = ring_next(task);
		cpu->need_resched |= ring_next(task) != task;
	}
	spin_unlock(&cpu->rq.lock);
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
	if (!task->fifo && --task->slice_left <= 0)
		end_slice(cpu, task);
	if (nr_cpus > 1)
		sched_balance(cpu);
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

u64 sched_nr_migrations(void)
{
	u64 n = 0;

	for_each_cpu (cpu)
		n += READ_ONCE(cpu->nr_migrations);
	return n;
}

void sched_init_cpu(struct cpu *cpu, struct task *idle, unsigned long stack)
{
	spin_lock_init(&cpu->rq.lock);
	idle->stack = stack;
	idle->flags = TASK_KTHREAD | TASK_IDLE;
	idle->priority = PRIORITY_IDLE;
	idle->cpu = cpu->id;
	idle->affinity = AFFINITY_ALL; /* inherited by what is made before there is another task */
	list_init(&idle->run_node);
	__builtin_memcpy(idle->comm, "swapper", sizeof("swapper"));
	cpu->idle = idle;
	cpu->running = idle;
	check_task_on(idle);
}

void sched_idle(void)
{
	struct cpu *cpu = this_cpu();

	for (;;) {
		/* Who queues a task here from now on interrupts the wait. */
		irq_disable();
		if (READ_ONCE(cpu->rq.bitmap) || (nr_cpus > 1 && sched_pull(cpu))) {
			time_tick_start();
			schedule();
		} else {
			irq_enable_and_wait();
		}
	}
}
