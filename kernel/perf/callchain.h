/* SPDX-License-Identifier: MIT */
/*
 * Call chains: which of the two an event sees, in which order, how many frames; the frames
 * themselves are the architecture's (contracts C3, C4). Inline, for the sampling path.
 */
#pragma once

#include "event.h"

#include <arch/regs.h>

/*
 * Appends a marker and the frames of one context, up to @limit entries in all. A walk that finds
 * nothing leaves no marker. With @roomy the buffer is of CHAIN_MAX entries, which hold any chain
 * that an event allows.
 */
static __always_inline void callchain_append(struct callchain *chain, u64 marker,
					     void (*walk)(struct callchain *,
							  const struct pt_regs *),
					     const struct pt_regs *regs, u32 limit, bool roomy)
{
	u32 capacity = chain->max;

	if (!roomy)
		limit = MIN(limit, capacity);
	if (unlikely(chain->nr + 1 >= limit))
		return;
	chain->ip[chain->nr++] = marker;
	chain->max = limit;
	walk(chain, regs);
	if (!roomy)
		chain->max = capacity;
	/* No frame has a marker's value. */
	if (unlikely(chain->ip[chain->nr - 1] == marker))
		chain->nr--;
}

/* Appends the frames of the perf_move that @regs are in. */
void callchain_captured(struct callchain *chain, const struct pt_regs *regs);

/* What perf_callchain() does; with @roomy, chain->max is not what it was afterwards. */
static __always_inline void callchain_build(const struct perf_event *event,
					    const struct pt_regs *regs, struct callchain *chain,
					    bool roomy)
{
	const struct task *task = current;
	u32 before = chain->nr, limit = before + 1 + event->max_stack;

	if (!user_mode(regs)) {
		if (likely(!(event->exclude & (EXCLUDE_CHAIN_KERNEL | CHAIN_CAPTURED))))
			callchain_append(chain, PERF_CONTEXT_KERNEL, perf_callchain_kernel, regs,
					 limit, roomy);
		else if (!(event->exclude & EXCLUDE_CHAIN_KERNEL))
			callchain_append(chain, PERF_CONTEXT_KERNEL, callchain_captured, regs,
					 limit, roomy);
		if ((event->exclude & (EXCLUDE_USER | EXCLUDE_CHAIN_USER)) ||
		    (task->flags & TASK_KTHREAD))
			return;
		regs = task_user_regs(task);
	} else if (event->exclude & EXCLUDE_CHAIN_USER) {
		return;
	}
	/* The frame must be complete, and user memory be this task's. */
	if (!user_mode(regs) || !task->mm || this_cpu()->loaded_mm != task->mm)
		return;
	if (chain->nr != before)
		limit++; /* there is a marker already */
	callchain_append(chain, PERF_CONTEXT_USER, perf_callchain_user, regs, limit, roomy);
}
