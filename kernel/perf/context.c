/* SPDX-License-Identifier: MIT */
/*
 * Contexts, where events live: a task's, which follows it from CPU to CPU, or a CPU's. How they are
 * changed though the sampling path reads them without a lock; and the time that they measure.
 */
#include <hotregs/smp.h>

#include "event.h"

#include <arch/irq.h>

struct mutex perf_mutex = MUTEX_INIT(perf_mutex);
struct spinlock perf_lock = SPINLOCK_INIT;

static struct perf_cpu perf_cpus[MAX_CPUS];

static void context_init(struct perf_context *ctx, u32 *watch)
{
	for (int i = 0; i < NR_PERF_SOURCES; i++)
		list_init(&ctx->active[i]);
	list_init(&ctx->events);
	ctx->watch = watch;
	perf_schedule_init(ctx);
}

void perf_init_cpu(struct cpu *cpu)
{
	cpu->perf = &perf_cpus[cpu->id];
	context_init(&cpu->perf->ctx, &cpu->perf_active);
	cpu->perf->ctx.cpu = cpu;
}

void perf_task_install(struct task *task, struct perf_task *part)
{
	static u64 last_serial;

	context_init(&part->ctx, &task->perf_active);
	part->ctx.task = task;
	part->ctx.serial = __atomic_add_fetch(&last_serial, 1, __ATOMIC_RELAXED);
	/* Its task may be running: whoever finds it there finds the lists above. */
	__atomic_store_n(&task->perf, part, __ATOMIC_RELEASE);
}

/* --- Changes --- */

struct change {
	struct perf_context *ctx;
	void (*func)(void *arg);
	void *arg;
	bool done;
};

/*
 * Locks the run queue of @ctx; its CPU. Under that lock it stays its task's. The one that it has
 * been taken from meanwhile is not freed: that takes perf_lock first, which is held.
 */
static struct cpu *lock_queue(const struct perf_context *ctx, unsigned long *flags)
{
	struct task *task;
	struct cpu *cpu;

	if (!ctx->task) {
		*flags = spin_lock_irqsave(&ctx->cpu->rq.lock);
		return ctx->cpu;
	}
	for (;;) {
		task = READ_ONCE(ctx->task);
		cpu = task_rq_lock(task, flags);
		if (likely(READ_ONCE(ctx->task) == task))
			return cpu;
		task_rq_unlock(cpu, *flags);
	}
}

/* May @ctx, whose run queue is @cpu's, be changed here? Not if another CPU runs it now. */
static bool may_change(const struct perf_context *ctx, const struct cpu *cpu)
{
	return cpu == this_cpu() || (ctx->task && cpu->running != ctx->task);
}

/* Makes the change unless another CPU runs the context now. Interrupts off. */
static void try_change(void *arg)
{
	struct change *change = arg;
	struct perf_context *ctx = change->ctx;
	unsigned long flags;
	struct cpu *cpu;

	spin_lock(&perf_lock);
	cpu = lock_queue(ctx, &flags);
	if (may_change(ctx, cpu)) {
		change->func(change->arg);
		change->done = true;
	}
	task_rq_unlock(cpu, flags);
	spin_unlock(&perf_lock);
}

/* Where it is at the moment. */
static u32 cpu_of(const struct perf_context *ctx)
{
	const struct task *task = READ_ONCE(ctx->task);

	return task ? READ_ONCE(task->cpu) : ctx->cpu->id;
}

static noinline void change_elsewhere(struct perf_context *ctx, void (*func)(void *arg), void *arg)
{
	struct change change = {ctx, func, arg, false};
	unsigned long flags = irq_save();

	try_change(&change);
	irq_restore(flags);
	/* A task may have gone on to the next CPU before it is found on this one. */
	while (!change.done)
		smp_call(CPU_MASK(cpu_of(ctx)), try_change, &change);
}

void perf_context_change(struct perf_context *ctx, void (*func)(void *arg), void *arg)
{
	unsigned long flags = perf_context_lock_own();
	bool own = READ_ONCE(ctx->task) == current;

	if (likely(own))
		func(arg);
	perf_context_unlock_own(flags);
	if (unlikely(!own))
		change_elsewhere(ctx, func, arg);
}

bool perf_event_try_change(struct perf_event *event, void (*func)(void *event))
{
	unsigned long flags = spin_lock_irqsave(&perf_lock), queue_flags;
	struct perf_context *ctx = event->ctx;
	bool here = true;
	struct cpu *cpu;

	if (ctx) {
		cpu = lock_queue(ctx, &queue_flags);
		here = may_change(ctx, cpu);
		if (here)
			func(event);
		task_rq_unlock(cpu, queue_flags);
	}
	spin_unlock_irqrestore(&perf_lock, flags);
	return here;
}

/* --- Time --- */

u64 perf_context_idle(const struct perf_context *ctx, u64 at)
{
	u64 time = ctx->idle_time;

	if (!ctx->task && (ctx->cpu->running->flags & TASK_IDLE))
		time += at - ctx->idle_since;
	return time;
}

void perf_context_switch_idle(struct perf_context *ctx, const struct task *prev,
			      const struct task *next, u64 at)
{
	if (prev->flags & TASK_IDLE)
		ctx->idle_time += at - ctx->idle_since;
	if (next->flags & TASK_IDLE)
		ctx->idle_since = at;
}
