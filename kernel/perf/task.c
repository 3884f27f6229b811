/* SPDX-License-Identifier: MIT */
/* What becomes of events when tasks fork, become another program, and end. */
#include <hotregs/mm.h>
#include <hotregs/smp.h>

#include "moves.h"
#include "swap.h"

#include <arch/irq.h>

struct perf_event *perf_event_copy(struct perf_event *event)
{
	struct perf_event *copy =
	    perf_event_alloc(&event->attr, event->cpu, event->handler, event->handler_context);

	if (!copy)
		return NULL;
	copy->owner = event->owner;
	/* A leader precedes its siblings. */
	event->copy = copy;
	copy->leader = event->leader->copy;
	copy->period = event->period;
	copy->interval = event->interval;
	if (copy->clock)
		copy->timer_left = event->period;
	copy->enable_on_exec = event->enable_on_exec;
	copy->attr.disabled = !event->enabled;
	list_add_tail(&copy->child_node, &event->owner->children);
	return copy;
}

/* The same for @part's task. False: out of memory. */
static bool inherit(struct perf_event *event, struct perf_task *part)
{
	struct perf_moves *moves = NULL;
	struct perf_event *copy;
	unsigned long flags;

	if (perf_moves_needed(event, true) && perf_moves_alloc(event, true, &moves) < 0)
		return false;
	copy = perf_event_copy(event);
	/* Breakpoints have room: its parent has no less of them. */
	if (copy && copy->pmu->init && copy->pmu->init(copy, part->ctx.task)) {
		perf_event_fold(copy);
		copy = NULL;
	}
	if (copy) {
		flags = spin_lock_irqsave(&perf_lock);
		perf_event_attach(copy, &part->ctx, &moves);
		spin_unlock_irqrestore(&perf_lock, flags);
	}
	if (moves)
		perf_moves_free(moves);
	return copy;
}

/* Does a new process's first task, or a thread, inherit @event? */
static bool inherits(const struct perf_event *event, bool thread)
{
	return event->attr.inherit && (thread || !event->attr.inherit_thread);
}

static bool has_inheritable(const struct perf_context *ctx, bool thread)
{
	const struct perf_event *event;

	list_for_each (event, &ctx->events, node)
		if (inherits(event, thread))
			return true;
	return false;
}

static int inherit_all(struct perf_context *ctx, struct perf_task *part, bool thread)
{
	u64 family = perf_context_family(ctx);
	struct perf_event *event;
	bool ok = true;

	list_for_each (event, &ctx->events, node)
		if (ok && inherits(event, thread))
			ok = inherit(event, part);
	/* Nothing has become different meanwhile, by a sample of its own. */
	if (part->ctx.nr_events == ctx->nr_events && ctx->family == family)
		part->ctx.family = family;
	return ok ? 0 : -ENOMEM;
}

int perf_task_fork(struct task *child)
{
	struct perf_task *parent = perf_hold_own(), *part;
	bool thread = child->process == current->process;
	int err = 0;

	child->perf = NULL;
	child->perf_active = 0;
	if (!parent)
		return 0;
	mutex_lock(&perf_mutex);
	if (has_inheritable(&parent->ctx, thread)) {
		part = kzalloc(sizeof(*part));
		if (part) {
			perf_task_install(child, part);
			err = inherit_all(&parent->ctx, part, thread);
		} else {
			err = -ENOMEM;
		}
	}
	mutex_unlock(&perf_mutex);
	perf_release_own(parent);
	if (err)
		perf_task_discard(child);
	return err;
}

/* What a task that ends has counted. */
struct last_read {
	struct perf_event *copy;
	const struct task *task;
};

static void write_last_read(void *arg)
{
	const struct last_read *r = arg;

	perf_record_write_read(r->copy, r->task, clock_ns());
}

/* Tells what @task has counted where it is asked for: by the CPU that writes the ring. */
static void tell_stat(struct perf_event *copy, const struct task *task)
{
	struct last_read r = {copy, task};

	if (copy->attr.inherit && copy->attr.inherit_stat && copy->cpu >= 0)
		smp_call(CPU_MASK(copy->cpu), write_last_read, &r);
}

void perf_event_fold(struct perf_event *copy)
{
	struct perf_event *owner = copy->owner;
	u64 enabled, running;

	owner->gone_value += perf_event_own(copy, &enabled, &running);
	owner->gone_enabled += enabled;
	owner->gone_running += running;
	list_del(&copy->child_node);
	perf_event_free(copy);
}

/* Nothing will come from @part's events any more. perf_lock held. */
static void end_events(struct perf_task *part)
{
	struct perf_event *event;

	part->exited = true;
	list_for_each (event, &part->ctx.events, node) {
		event->owner->nr_live--;
		/* Whoever waits for the last of the tasks that it counts is told. */
		wake_up(&event->owner->wait);
	}
}

void perf_task_dead(struct task *task, pid_t parent)
{
	/* From here on no event is opened on it: see task_context(). */
	spin_lock(&perf_lock);
	perf_moves_dead(task);
	perf_sideband_exit(task, parent);
	if (task->perf)
		end_events(task->perf);
	spin_unlock(&perf_lock);
}

void perf_task_free(struct task *task)
{
	struct perf_task *part = task->perf;
	struct perf_event *event, *next;

	if (!part)
		return;
	mutex_lock(&perf_mutex);
	/* First, as groups are still whole. */
	list_for_each (event, &part->ctx.events, node)
		if (part->exited && event->owner->home != part->ctx.serial)
			tell_stat(event, task);
	list_for_each_safe (event, next, &part->ctx.events, node) {
		perf_event_detach(event, event->owner == event);
		if (event->owner != event)
			perf_event_fold(event);
	}
	task->perf = NULL;
	mutex_unlock(&perf_mutex);
	kfree(part);
	perf_free_released();
}

void perf_task_discard(struct task *child)
{
	perf_task_free(child);
}

/* Enables what was to start with the new program. */
static void enable_on_exec(void *arg)
{
	struct perf_context *ctx = arg;
	struct perf_event *event;

	list_for_each (event, &ctx->events, node) {
		if (!event->enable_on_exec)
			continue;
		ctx->family = 0;
		event->enable_on_exec = false;
		perf_event_start(event);
	}
}

/* Takes @event off its task for good, as the task's end does. */
static void remove(struct perf_event *event)
{
	struct perf_event *owner = event->owner;
	unsigned long flags;

	perf_event_detach(event, event == owner);
	if (event != owner)
		perf_event_fold(event);
	flags = spin_lock_irqsave(&perf_lock);
	wake_up(&owner->wait);
	spin_unlock_irqrestore(&perf_lock, flags);
}

void perf_task_before_exec(void)
{
	struct perf_task *part = perf_hold_own();
	struct perf_event *event, *next;

	if (!part)
		return;
	mutex_lock(&perf_mutex);
	list_for_each_safe (event, next, &part->ctx.events, node)
		if (event->attr.remove_on_exec)
			remove(event);
	mutex_unlock(&perf_mutex);
	perf_release_own(part);
}

void perf_task_exec(void)
{
	struct perf_task *part = perf_hold_own();

	if (part) {
		perf_context_change(&part->ctx, enable_on_exec, &part->ctx);
		perf_release_own(part);
	}
	perf_sideband_exec();
}
