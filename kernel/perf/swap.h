/* SPDX-License-Identifier: MIT */
/*
 * Contexts that are equal because all their events were inherited, and which therefore change tasks
 * at a switch instead of being taken off and put on again.
 */
#pragma once

#include "event.h"

/* An event that is inherited comes to @ctx (@by 1) or goes (-1): swap.c's part of it. */
void perf_context_inherits(struct perf_context *ctx, const struct perf_event *event, int by);
/* The same for any one. */
static inline void perf_context_differs(struct perf_context *ctx, const struct perf_event *event,
					int by)
{
	ctx->family = 0;
	/* With one that is not inherited it is like no other. */
	if (unlikely(event->attr.inherit))
		perf_context_inherits(ctx, event, by);
}
/* Of a context that is held, for one that is about to become equal. perf_mutex held. */
u64 perf_context_family(struct perf_context *ctx);
/* current's part (NULL: none) keeps to it, until it is released. Both not from NMIs. */
struct perf_task *perf_hold_own(void);
void perf_release_own(struct perf_task *part);
/*
 * perf_context_change() for the context that @task, which has one, has then: *@ctx, where @func may
 * find it. perf_mutex held.
 */
void perf_task_change(const struct task *task, struct perf_context **ctx, void (*func)(void *arg),
		      void *arg);
/*
 * A switch, run-queue lock held: may the contexts of @prev and @next, who both have groups, change
 * tasks? And that they do: @prev's runs on as @next's.
 */
bool perf_tasks_equal(const struct task *prev, const struct task *next);
void perf_tasks_swap(struct task *prev, struct task *next, u64 at);
/*
 * The group of @leader, which has been opened on a task, is to have one more member: if that is
 * @task it is there afterwards. 0 or -ENOMEM. perf_mutex held.
 */
int perf_group_come_home(struct perf_event *leader, const struct task *task);
