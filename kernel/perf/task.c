/* SPDX-License-Identifier: MIT */
/* What becomes of events when tasks fork, become another program, and end. */
#include <hotregs/mm.h>

#include "event.h"

#include <arch/irq.h>

/* A copy of @event for @child's task, counting from zero. False: out of memory. perf_lock held. */
static bool inherit(struct perf_event *event, struct perf_task *part)
{
	struct perf_event *copy =
	    perf_event_alloc(&event->attr, event->cpu, event->handler, event->handler_context);

	if (!copy)
		return false;
	copy->owner = event->owner;
	copy->period = event->period;
	copy->interval = event->interval;
	copy->timer_left = event->period;
	copy->enable_on_exec = event->enable_on_exec;
	copy->attr.disabled = !event->enabled;
	list_add_tail(&copy->child_node, &event->owner->children);
	perf_event_attach(copy, &part->ctx);
	return true;
}

static bool has_inheritable(const struct perf_context *ctx)
{
	const struct perf_event *event;

	list_for_each (event, &ctx->events, node)
		if (event->attr.inherit)
			return true;
	return false;
}

int perf_task_fork(struct task *child)
{
	struct perf_task *parent = current->perf, *part;
	struct perf_event *event;
	unsigned long flags;
	bool ok = true;

	child->perf = NULL;
	child->perf_active = 0;
	if (!parent || !has_inheritable(&parent->ctx))
		return 0;
	part = kzalloc(sizeof(*part));
	if (!part)
		return -ENOMEM;
	perf_task_install(child, part);
	flags = spin_lock_irqsave(&perf_lock);
	list_for_each (event, &parent->ctx.events, node)
		if (ok && event->attr.inherit)
			ok = inherit(event, part);
	spin_unlock_irqrestore(&perf_lock, flags);
	if (ok)
		return 0;
	perf_task_discard(child);
	return -ENOMEM;
}

/* The copy's counts become its owner's, and it waits in @part for perf_task_free(). */
static void fold(struct perf_event *copy, struct perf_task *part)
{
	struct perf_event *owner = copy->owner;
	u64 enabled, running;

	owner->gone_value += perf_event_own(copy, &enabled, &running);
	owner->gone_enabled += enabled;
	owner->gone_running += running;
	list_del(&copy->child_node);
	list_add(&copy->node, &part->dead);
}

/* Takes all events off @task's context. */
static void end_events(struct perf_task *part)
{
	unsigned long flags = spin_lock_irqsave(&perf_lock);
	struct perf_event *event, *next;

	part->exited = true;
	list_for_each_safe (event, next, &part->ctx.events, node) {
		perf_event_detach(event);
		if (event->owner != event)
			fold(event, part);
		/* Whoever waits for the last of the tasks that it counts is told. */
		wake_up(&event->owner->wait);
	}
	spin_unlock_irqrestore(&perf_lock, flags);
}

void perf_task_dead(struct task *task, pid_t parent)
{
	perf_sideband_exit(task, parent);
	if (task->perf)
		end_events(task->perf);
}

void perf_task_free(struct task *task)
{
	struct perf_event *event, *next;

	if (!task->perf)
		return;
	if (!task->perf->exited)
		end_events(task->perf);
	list_for_each_safe (event, next, &task->perf->dead, node)
		kfree(event);
	kfree(task->perf);
	task->perf = NULL;
}

void perf_task_discard(struct task *child)
{
	perf_task_free(child);
}

/* Enables what was to start with the new program. */
static void enable_on_exec(struct perf_context *ctx)
{
	unsigned long flags = spin_lock_irqsave(&perf_lock);
	struct perf_event *event;

	list_for_each (event, &ctx->events, node) {
		if (event->enable_on_exec)
			perf_event_start(event);
		event->enable_on_exec = false;
	}
	spin_unlock_irqrestore(&perf_lock, flags);
}

void perf_task_exec(void)
{
	if (current->perf)
		enable_on_exec(&current->perf->ctx);
	perf_sideband_comm(current, true);
}

void perf_task_comm(const struct task *task)
{
	perf_sideband_comm(task, false);
}
