/* SPDX-License-Identifier: MIT */
/*
 * Equal contexts. A task that forks and its child, which has inherited all of its events, have
 * contexts that differ only in what they have counted, of which the sum is what is asked for. At a
 * switch from one such task to another the contexts change tasks: the one that runs goes on, and
 * nothing is taken off a counter or put on. So an event of a family may be at any of its tasks, and
 * whoever goes from a task to its context sees to it that they belong together.
 *
 * A family ends for a context in which something becomes different. Contexts of software events
 * alone do not change tasks: there is nothing to be taken off at a switch.
 */
#include <hotregs/mm.h>
#include <hotregs/printk.h>

#include "swap.h"

#include <arch/irq.h>

static u64 last_family; /* perf_mutex */

/* Has a context with @event to stay with its task? */
static bool stays(const struct perf_event *event)
{
	/* That it has failed is for its own reader to see. */
	if (event->attr.pinned)
		return true;
	/* What it has of its unit is reserved for its task. */
	if (event->pmu->init)
		return true;
	if (!event->sampling)
		return false;
	/* Its samples tell what its task alone has counted. */
	if (event->sample_type & PERF_SAMPLE_READ)
		return true;
	/*
	 * What is left of a period is what its task has to run or to do: timers, captured places.
	 * That of a counter goes on with the counter.
	 */
	return event->pmu == &perf_software && event->source != PERF_SOURCE_NONE;
}

void perf_context_inherits(struct perf_context *ctx, const struct perf_event *event, int by)
{
	ctx->nr_stay += stays(event) ? by : 0;
	ctx->nr_stat += event->attr.inherit_stat ? by : 0;
}

/* --- Holding --- */

struct perf_task *perf_hold_own(void)
{
	unsigned long flags = irq_save();
	struct perf_task *part = current->perf;

	if (part)
		part->ctx.nr_stay++;
	irq_restore(flags);
	return part;
}

void perf_release_own(struct perf_task *part)
{
	unsigned long flags = irq_save();

	part->ctx.nr_stay--;
	irq_restore(flags);
}

struct task_change {
	const struct task *task;
	struct perf_context **ctx;
	void (*func)(void *arg);
	void *arg;
	bool done;
};

static void change_if_there(void *arg)
{
	struct task_change *change = arg;

	change->done = (*change->ctx)->task == change->task;
	if (change->done)
		change->func(change->arg);
}

void perf_task_change(const struct task *task, struct perf_context **ctx, void (*func)(void *arg),
		      void *arg)
{
	struct task_change change = {task, ctx, func, arg, false};

	do {
		*ctx = &READ_ONCE(task->perf)->ctx;
		perf_context_change(*ctx, change_if_there, &change);
	} while (!change.done);
}

/* --- Who is equal, and the swap --- */

u64 perf_context_family(struct perf_context *ctx)
{
	if (!ctx->family)
		ctx->family = ++last_family;
	return ctx->family;
}

bool perf_tasks_equal(const struct task *prev, const struct task *next)
{
	const struct perf_context *a = &prev->perf->ctx, *b = &next->perf->ctx;

	/* Different bits: one of them is just being enabled, or disabled. */
	return a->family && a->family == b->family && !(a->nr_stay | b->nr_stay) &&
	       prev->perf_active == next->perf_active;
}

/* Each task's part of what its events have counted stays its own. */
static noinline void swap_shares(struct perf_context *a, struct perf_context *b, u64 at)
{
	struct perf_event *x, *y = list_first(&b->events, struct perf_event, node);

	list_for_each (x, &a->events, node) {
		ASSERT(x->owner == y->owner);
		perf_event_swap_shares(x, y, at);
		y = list_first(&y->node, struct perf_event, node);
	}
}

void perf_tasks_swap(struct task *prev, struct task *next, u64 at)
{
	struct perf_task *a = prev->perf, *b = next->perf;
	u64 serial = a->ctx.serial;

	if (unlikely(a->ctx.nr_stat))
		swap_shares(&a->ctx, &b->ctx, at);
	a->ctx.task = next;
	a->ctx.watch = &next->perf_active;
	a->ctx.serial = b->ctx.serial;
	b->ctx.task = prev;
	b->ctx.watch = &prev->perf_active;
	b->ctx.serial = serial;
	prev->perf = b;
	next->perf = a;
}

/* --- Coming home --- */

/* A group that has been opened on a task, and the context that it leaves or enters. */
struct group {
	struct perf_context *ctx;
	u32 nr;
	struct {
		struct perf_event *event, *copy;
	} member[]; /* the leader first */
};

static void end_family(void *arg)
{
	((struct perf_context *)arg)->family = 0;
}

/* @event, disabled yet, in the group of @leader (itself: it leads), with the part of @other. */
static void attach(struct perf_event *event, struct perf_event *leader, struct perf_context *ctx,
		   struct perf_event *other, u64 at)
{
	struct perf_moves *none = NULL;

	event->leader = leader;
	event->attr.disabled = true;
	event->enable_on_exec = other->enable_on_exec;
	perf_event_attach(event, ctx, &none);
	/* Of a task that has ended nothing lives, nor is told of its end again. */
	if (container_of(ctx, struct perf_task, ctx)->exited)
		event->owner->nr_live--;
	perf_event_swap_shares(event, other, at);
}

static void enable(struct perf_event *event, bool enabled, u64 at)
{
	event->enabled = enabled;
	perf_event_prepare(event);
	perf_group_update(event, at);
	perf_output_update_page(event);
}

/* @to takes over from @from, at one moment, so that no time is lost or counted twice. */
static void relieve(struct perf_event *from, struct perf_event *to, u64 at)
{
	bool enabled = from->enabled;

	enable(from, false, at);
	enable(to, enabled, at);
}

static struct perf_event *copy_in(const struct perf_context *ctx, const struct perf_event *owner)
{
	struct perf_event *event;

	list_for_each (event, &ctx->events, node)
		if (event->owner == owner)
			return event;
	return NULL;
}

/* Copies go on for them. */
static void leave_to_copies(void *arg)
{
	struct group *g = arg;
	u64 at = clock_cycles();

	for (u32 i = 0; i < g->nr; i++)
		attach(g->member[i].copy, g->member[0].copy, g->ctx, g->member[i].event, at);
	/* A leader takes its siblings along. */
	for (u32 i = g->nr; i-- > 0;)
		relieve(g->member[i].event, g->member[i].copy, at);
	for (u32 i = 0; i < g->nr; i++)
		perf_event_take_off(g->member[i].event, true);
}

/* They go on for their copies, if it is here that they have been opened. */
static void take_over(void *arg)
{
	struct group *g = arg;
	struct perf_event *leader = g->member[0].event;
	u64 at = clock_cycles();

	for (u32 i = 0; i < g->nr; i++)
		g->member[i].copy = copy_in(g->ctx, g->member[i].event);
	if (g->ctx->serial != leader->home || !g->member[0].copy ||
	    container_of(g->ctx, struct perf_task, ctx)->exited) {
		g->nr = 0;
		return;
	}
	for (u32 i = 1; i < g->nr; i++)
		perf_group_leave(g->member[i].event);
	for (u32 i = 0; i < g->nr; i++)
		attach(g->member[i].event, leader, g->ctx, g->member[i].copy, at);
	for (u32 i = g->nr; i-- > 0;)
		relieve(g->member[i].copy, g->member[i].event, at);
	for (u32 i = 0; i < g->nr; i++)
		perf_event_take_off(g->member[i].copy, true);
}

static struct group *collect(struct perf_event *leader)
{
	size_t size = (1 + leader->nr_siblings) * sizeof(((struct group *)NULL)->member[0]);
	struct group *g = kzalloc(sizeof(*g) + size);
	struct perf_event *sibling;

	if (!g)
		return NULL;
	g->ctx = leader->ctx;
	g->member[g->nr++].event = leader;
	list_for_each (sibling, &leader->group, group)
		g->member[g->nr++].event = sibling;
	return g;
}

static bool make_copies(struct group *g)
{
	u32 i = 0;

	while (i < g->nr && (g->member[i].copy = perf_event_copy(g->member[i].event)))
		i++;
	if (i == g->nr)
		return true;
	while (i-- > 0)
		perf_event_fold(g->member[i].copy);
	return false;
}

int perf_group_come_home(struct perf_event *leader, const struct task *task)
{
	struct group *g;

	if (!leader->attr.inherit || leader->leader != leader)
		return 0;
	if (leader->ctx) {
		perf_context_change(leader->ctx, end_family, leader->ctx);
		if (leader->ctx->serial == leader->home)
			return 0;
	}
	g = collect(leader);
	if (!g || (g->ctx && !make_copies(g))) {
		kfree(g);
		return -ENOMEM;
	}
	if (g->ctx)
		perf_context_change(g->ctx, leave_to_copies, g);
	perf_task_change(task, &g->ctx, take_over, g);
	for (u32 i = 0; i < g->nr; i++)
		perf_event_fold(g->member[i].copy);
	kfree(g);
	return 0;
}
