/* SPDX-License-Identifier: MIT */
/*
 * Software events: the strikes of context-switches and page-faults, from the hook to the handler.
 * What is inline for plain events is in strike.h; a clock's strikes are in clock.c.
 */
#include <hotregs/address_space.h>
#include <hotregs/sched.h>

#include "moves.h"
#include "strike.h"
#include "swap.h"

#include <arch/irq.h>
#include <arch/regs.h>

/* A handler of the event's own. */
static noinline void call_handler(struct perf_event *event, u64 n, struct pt_regs *regs, u64 addr,
				  u64 now)
{
	struct perf_sample_data data = {
	    .ip = regs_ip(regs), .addr = addr, .period = n, .time = now};

	event->handler(event, &data, regs);
}

static __always_inline void overflow(struct perf_event *event, const struct cpu *cpu,
				     enum cpu_context context, u64 n, struct pt_regs *regs,
				     u64 addr, u64 now)
{
	if (!perf_sample_enter(event, cpu, context))
		return;
	event->count += n;
	if (likely(!event->handler))
		perf_sample_write(event, cpu, regs, addr, n, now);
	else
		call_handler(event, n, regs, addr, now);
	perf_sample_leave(cpu, context);
}

void perf_overflow(struct perf_event *event, u64 n, struct pt_regs *regs, u64 addr, u64 now)
{
	const struct cpu *cpu = this_cpu();

	overflow(event, cpu, cpu_context(cpu), n, regs, addr, now);
}

/* Has the time come for a sample, of an event with a frequency? */
static inline bool interval_is_over(struct perf_event *event, u64 now)
{
	/* The first strike a whole interval after the last sample. */
	if (now - event->last_sample < event->interval)
		return false;
	event->last_sample = now;
	return true;
}

/* More strikes, *@n of them: is a sample due? Then *@n have passed since the last one. */
static inline bool is_due(struct perf_event *event, u64 *n, u64 now)
{
	*n += event->pending;
	if (*n < event->period || (unlikely(event->interval) && !interval_is_over(event, now))) {
		event->pending = *n;
		return false;
	}
	event->pending = 0;
	return true;
}

void perf_strike(struct perf_event *event, const struct cpu *cpu, enum cpu_context context, u64 n,
		 struct pt_regs *regs, u64 *addr, u64 now)
{
	if (perf_sees(event, &regs, addr) && is_due(event, &n, now))
		overflow(event, cpu, context, n, regs, addr ? *addr : 0, now);
}

/* --- context-switches --- */

/* A switch away from the running task, for those events of one context that need no more. */
static __always_inline void count_switch(struct perf_context *ctx, bool all, const struct cpu *cpu)
{
	struct list_head *list = &ctx->active[PERF_SOURCE_SWITCH_COUNT], *node = list->next;

	/* There is one: WATCH_COUNT says so. */
	do {
		struct perf_event *event = container_of(node, struct perf_event, active_node);

		if (likely(all || perf_event_on(event, cpu)))
			event->pending++;
		node = node->next;
	} while (node != list);
}

/*
 * The same for the others; those of a CPU's are all of this CPU. The scheduler is never called from
 * an interrupt.
 */
static __always_inline void strike_switch(struct perf_context *ctx, bool all, const struct cpu *cpu,
					  struct pt_regs *regs, u64 now)
{
	struct perf_event *event;

	list_for_each (event, &ctx->active[PERF_SOURCE_SWITCH], active_node)
		if (all || perf_event_on(event, cpu))
			perf_strike_hot(event, cpu, 1, regs, now, NULL);
}

/* Samples of moves are the moved task's: it becomes the running one a little earlier for them. */
static void move_in(struct cpu *cpu, struct task *next, u64 now)
{
	mm_switch(next->mm);
	cpu_set_running(cpu, next);
	perf_moves_strike(cpu, next, now);
}

/* Starts or stops those clocks of a task that sample by a timer. */
static void switch_clocks(struct perf_context *ctx, const struct cpu *cpu, u64 now, bool in)
{
	struct perf_event *event;

	list_for_each (event, &ctx->active[PERF_SOURCE_CLOCK], active_node) {
		if (!event->sampling || !perf_event_on(event, cpu))
			continue;
		if (in)
			perf_clock_start(event, now);
		else
			perf_clock_stop(event, now);
	}
}

void perf_count_switch(struct cpu *cpu, struct task *prev, struct task *next, u32 watchers)
{
	u32 out = prev->perf_active, in = next->perf_active;
	u64 at;

	if (cpu->perf_active & WATCH_COUNT)
		count_switch(&cpu->perf->ctx, true, cpu);
	/* Of a task's that only count, all have a time. */
	if (!(watchers & WATCH_TIME))
		return;
	at = clock_cycles();
	if (out & WATCH_TIME) {
		struct perf_context *ctx = &prev->perf->ctx;

		if (out & WATCH_COUNT)
			count_switch(ctx, false, cpu);
		perf_context_out(ctx, cpu, at);
	}
	if (in & WATCH_TIME)
		perf_context_in(&next->perf->ctx, at);
}

/* The one context goes, the other one comes. */
static void change_contexts(struct cpu *cpu, struct task *prev, struct task *next, u64 at, u64 now)
{
	bool pinned = false;

	if (unlikely(prev->perf_active & WATCH_GROUP))
		pinned = perf_schedule_out(cpu, at);
	if (prev->perf_active & WATCH_CLOCK)
		switch_clocks(&prev->perf->ctx, cpu, now, false);
	if (unlikely(next->perf_active & WATCH_STOP))
		perf_context_stop_excluded(&next->perf->ctx);
	if (prev->perf_active & WATCH_ANY)
		perf_context_out(&prev->perf->ctx, cpu, at);
	if (next->perf_active & WATCH_ANY)
		perf_context_in(&next->perf->ctx, at);
	if (next->perf_active & WATCH_CLOCK)
		switch_clocks(&next->perf->ctx, cpu, now, true);
	if (unlikely(next->perf_active & WATCH_GROUP))
		perf_schedule_in(cpu, &next->perf->ctx, pinned, at);
	else if (unlikely(pinned))
		perf_schedule_in(cpu, NULL, pinned, at);
	/* The idle task is still the running one for groups that come and go. */
	if (cpu->perf_active & WATCH_IDLE)
		perf_context_switch_idle(&cpu->perf->ctx, prev, next, at);
}

/* All but samples of the switch, in the order in which they are due. */
static noinline void switch_contexts(struct cpu *cpu, struct task *prev, struct task *next)
{
	/* Not before the times in samples of this switch. */
	u64 at = clock_cycles(), now = clock_cycles_to_ns(at);

	if ((cpu->perf_active | prev->perf_active | next->perf_active) & WATCH_RECORD) {
		perf_sideband_switch(prev, next, false, now);
		perf_sideband_switch(next, prev, true, now);
	}
	if (unlikely(prev->perf_active & next->perf_active & WATCH_GROUP) &&
	    perf_tasks_equal(prev, next))
		perf_tasks_swap(prev, next, at);
	else
		change_contexts(cpu, prev, next, at, now);
	if (unlikely(next->moves))
		move_in(cpu, next, now);
	if (cpu->perf_active & WATCH_MOVE)
		perf_moves_tell_lost(cpu);
}

/* Before samples, which may tell what others have counted; @prev is still where it counts. */
static noinline void count_before_samples(struct cpu *cpu, struct task *prev)
{
	if (cpu->perf_active & WATCH_COUNT)
		count_switch(&cpu->perf->ctx, true, cpu);
	if (prev->perf_active & WATCH_COUNT)
		count_switch(&prev->perf->ctx, false, cpu);
}

void perf_sched_switch(struct task *prev, struct task *next, struct pt_regs *regs)
{
	struct cpu *cpu = this_cpu();
	u64 now = clock_ns();

	/*
	 * The scheduler's own frames are not where the task slept: registers, IP and chain of the
	 * sample are those of the first frame outside (contract C1).
	 */
	while (in_sched_text(regs_ip(regs)))
		hot_regs_caller(regs);
	if (unlikely((cpu->perf_active | prev->perf_active) & WATCH_COUNT))
		count_before_samples(cpu, prev);
	if (prev->perf_active & WATCH_SWITCH)
		strike_switch(&prev->perf->ctx, false, cpu, regs, now);
	if (cpu->perf_active & WATCH_SWITCH)
		strike_switch(&cpu->perf->ctx, true, cpu, regs, now);
	if (unlikely((cpu->perf_active | prev->perf_active | next->perf_active) & ~WATCH_SWITCH))
		switch_contexts(cpu, prev, next);
}

/* --- page-faults --- */

static void strike_at(struct perf_event *event, const struct cpu *cpu, struct pt_regs *regs,
		      u64 addr, u64 now)
{
	perf_strike(event, cpu, cpu_context(cpu), 1, regs, &addr, now);
}

static void strike_fault(struct perf_context *ctx, const struct cpu *cpu, struct pt_regs *regs,
			 unsigned long addr, u8 kind)
{
	struct perf_event *event;
	u64 now = clock_ns();

	list_for_each (event, &ctx->active[PERF_SOURCE_FAULT], active_node)
		if (perf_event_on(event, cpu) &&
		    (event->config == PERF_COUNT_SW_PAGE_FAULTS || event->config == kind))
			strike_at(event, cpu, regs, addr, now);
}

void perf_page_fault(const struct pt_regs *regs, unsigned long addr, bool major)
{
	u8 kind = major ? PERF_COUNT_SW_PAGE_FAULTS_MAJ : PERF_COUNT_SW_PAGE_FAULTS_MIN;
	unsigned long flags = irq_save();
	struct cpu *cpu = this_cpu();

	if (current->perf)
		strike_fault(&current->perf->ctx, cpu, (struct pt_regs *)regs, addr, kind);
	strike_fault(&cpu->perf->ctx, cpu, (struct pt_regs *)regs, addr, kind);
	irq_restore(flags);
}

/* --- The unit, which has room for every event --- */

static int check(const struct perf_event_attr *attr)
{
	switch (attr->config) {
	case PERF_COUNT_SW_CPU_CLOCK:
	case PERF_COUNT_SW_TASK_CLOCK:
	case PERF_COUNT_SW_PAGE_FAULTS:
	case PERF_COUNT_SW_PAGE_FAULTS_MIN:
	case PERF_COUNT_SW_PAGE_FAULTS_MAJ:
	case PERF_COUNT_SW_CONTEXT_SWITCHES:
	case PERF_COUNT_SW_CPU_MIGRATIONS:
	case PERF_COUNT_SW_DUMMY:
		return 0;
	default:
		return -ENOENT;
	}
}

static int add(struct perf_event *event, u64 at)
{
	struct list_head *active = &event->ctx->active[event->source];

	/* Who only counts comes before who samples, and may tell in the sample what others count.
	 */
	if (event->sampling)
		list_add_tail(&event->active_node, active);
	else
		list_add(&event->active_node, active);
	if (unlikely(perf_clock_skips_idle(event)))
		event->idle_at = perf_context_idle(event->ctx, at);
	if (unlikely(perf_clock_ticks(event)))
		perf_clock_start(event, clock_cycles_to_ns(at));
	return 0;
}

static void del(struct perf_event *event, u64 at)
{
	if (unlikely(perf_clock_ticks(event)))
		perf_clock_stop(event, clock_cycles_to_ns(at));
	if (unlikely(perf_clock_skips_idle(event)))
		event->idle_time += perf_context_idle(event->ctx, at) - event->idle_at;
	list_del(&event->active_node);
}

struct perf_pmu perf_software = {
    .name = "software",
    .type = PERF_TYPE_SOFTWARE,
    .check = check,
    .add = add,
    .del = del,
};
