/* SPDX-License-Identifier: MIT */
/*
 * What the files of kernel/sched share: run queues, and the one way in which a task changes its
 * processor.
 *
 * A task belongs to the queue of task->cpu, whose lock guards it. The lock is held across a switch,
 * until end_switch() on the next task's stack: who holds it sees a task either running or fully
 * off its processor. Nobody ever holds two of these locks. A runnable task that moves is in no
 * queue in between (RQ_MOVING), when only who moves it may make it run.
 */
#pragma once

#include <hotregs/perf_event.h>
#include <hotregs/sched.h>

#include <arch/regs.h>

static inline struct task *ring_next(const struct task *task)
{
	return list_entry(task->run_node.next, struct task, run_node);
}

/* Puts @task last among its equals. Lock held. */
static inline void enqueue(struct run_queue *rq, struct task *task)
{
	struct task *first = rq->ring[task->priority];

	task->on_rq = RQ_QUEUED;
	rq->nr++;
	if (first) {
		list_add_tail(&task->run_node, &first->run_node);
		return;
	}
	list_init(&task->run_node);
	rq->ring[task->priority] = task;
	rq->bitmap |= 1u << task->priority;
}

/* Lock held. */
static inline void dequeue(struct run_queue *rq, struct task *task)
{
	struct task *next = ring_next(task);

	task->on_rq = RQ_NOT;
	rq->nr--;
	if (next == task) {
		rq->ring[task->priority] = NULL;
		rq->bitmap &= ~(1u << task->priority);
		return;
	}
	if (rq->ring[task->priority] == task)
		rq->ring[task->priority] = next;
	list_del(&task->run_node);
}

/* Of what runs there or is about to; PRIORITY_IDLE: nothing. Without the lock, a guess. */
static inline unsigned highest_priority(const struct run_queue *rq)
{
	u32 bitmap = READ_ONCE(rq->bitmap);

	return bitmap ? 31 - __builtin_clz(bitmap) : PRIORITY_IDLE;
}

/* task_rq_lock() with interrupts already off. */
static inline struct cpu *lock_queue(const struct task *task)
{
	for (;;) {
		u32 id = READ_ONCE(task->cpu);
		struct cpu *cpu = &cpus[id];

		/* The compiler would multiply again. */
		keep_value(cpu);
		spin_lock(&cpu->rq.lock);
		if (likely(READ_ONCE(task->cpu) == id))
			return cpu;
		spin_unlock(&cpu->rq.lock);
	}
}

/* The CPU has something better to do than @cpu->running. Its lock is held. */
void request_resched(struct cpu *cpu);

/* Shows the decision to whoever watches the task, with the registers of the very place. */
static __always_inline void note_move(struct task *task, struct cpu *to)
{
	struct cpu *here;

	if (perf_migration_watched(task, to->id)) {
		here = this_cpu();
		arch_hot_regs(&here->hot_regs);
		perf_sched_migrate(task, to->id, &here->hot_regs,
				   task != current || here->irq_depth);
	}
	task->nr_migrations++;
	__atomic_fetch_add(&to->nr_migrations, 1, __ATOMIC_RELAXED);
}

/*
 * @task belongs to processor @id from now on. Last: who sees it takes that one's lock, and sees
 * what was stored under the old one's. The old one's is held.
 */
static inline void set_cpu(struct task *task, u32 id)
{
	__atomic_store_n(&task->cpu, id, __ATOMIC_RELEASE);
}

/*
 * Sends @task from @from, its processor, to @to; inline in whoever decides it. A task that runs
 * leaves when it is next switched away from; to what it was already leaving for counts as if it had
 * been there. True: it was in @from's queue, and the caller has to call sched_arrive() once it has
 * released the lock. Interrupts off, @from's lock held.
 */
static __always_inline bool sched_move(struct cpu *from, struct task *task, struct cpu *to)
{
	bool queued = task->on_rq == RQ_QUEUED;

	note_move(task, to);
	if (from->running == task) {
		task->target = to->id;
		task->leaves = to == from ? LEAVES_NOT : LEAVES_CPU;
		if (task->leaves)
			request_resched(from);
		return false;
	}
	if (queued) {
		dequeue(&from->rq, task);
		task->on_rq = RQ_MOVING;
	}
	set_cpu(task, to->id);
	return queued;
}

/* Puts @task, RQ_MOVING, into the queue of its processor. Interrupts off, no run-queue lock held.
 */
void sched_arrive(struct task *task);

/*
 * Has @task run with @priority from now on, which mutex.c knows: where it is, or at a better
 * processor if it waits. Interrupts off, no run-queue lock held.
 */
void sched_requeue(struct task *task, unsigned priority);

/* Where @task, which does not run, is to run; @prev is where it is, if it may be. @prev's lock is
 * held. */
struct cpu *sched_place(const struct task *task, struct cpu *prev);

/* Looks for a task that waits elsewhere; true: there is one for @cpu now, the calling one, which
 * idles. Interrupts off. */
bool sched_pull(struct cpu *cpu);

/* The calling, busy @cpu compares what it has to do with others. From its tick. */
void sched_balance(struct cpu *cpu);
