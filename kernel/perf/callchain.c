/* SPDX-License-Identifier: MIT */
/*
 * Call chains: which of the two an event sees, in which order, how many frames; the frames
 * themselves are the architecture's (contracts C3, C4).
 */
#include "event.h"

#include <arch/regs.h>

/*
 * Appends a marker and the frames of one context, at most @frames of them; returns how many more
 * are allowed. A walk that finds nothing leaves no marker.
 */
static u32 append(struct callchain *chain, u64 marker,
		  void (*walk)(struct callchain *, const struct pt_regs *),
		  const struct pt_regs *regs, u32 frames)
{
	u32 capacity = chain->max, first = chain->nr + 1;

	if (!frames || first >= capacity)
		return 0;
	callchain_add(chain, marker);
	chain->max = MIN(capacity, first + frames);
	walk(chain, regs);
	chain->max = capacity;
	frames -= chain->nr - first;
	if (chain->nr == first)
		chain->nr--;
	return frames;
}

/*
 * The frame with which the current task's user chain begins: complete, and its address space is the
 * one that user memory would be read from. Else NULL.
 */
static const struct pt_regs *user_chain_start(const struct pt_regs *regs)
{
	const struct task *task = current;

	if (!user_mode(regs))
		regs = task_user_regs(task);
	if (!regs || !user_mode(regs) || !task->mm || this_cpu()->loaded_mm != task->mm)
		return NULL;
	return regs;
}

void perf_callchain(const struct perf_event *event, const struct pt_regs *regs,
		    struct callchain *chain)
{
	u32 frames = event->max_stack;
	u8 exclude = event->exclude;

	if (!user_mode(regs)) {
		if (!(exclude & EXCLUDE_CHAIN_KERNEL))
			frames =
			    append(chain, PERF_CONTEXT_KERNEL, perf_callchain_kernel, regs, frames);
		if (exclude & EXCLUDE_USER)
			return;
	}
	if (exclude & EXCLUDE_CHAIN_USER)
		return;
	regs = user_chain_start(regs);
	if (regs)
		append(chain, PERF_CONTEXT_USER, perf_callchain_user, regs, frames);
}
