/* SPDX-License-Identifier: MIT */
/* The chain for handlers of their own, which bring a buffer of any size, and the one of a place
 * that has been left: see callchain.h. */
#include "callchain.h"
#include "moves.h"

#include <arch/words.h>

void perf_callchain(const struct perf_event *event, const struct pt_regs *regs,
		    struct callchain *chain)
{
	callchain_build(event, regs, chain, false);
}

void callchain_captured(struct callchain *chain, const struct pt_regs *regs)
{
	const struct perf_move *move = container_of(regs, struct perf_move, regs);
	const u64 *frame = move->ip + 1;
	u32 frames = MAX(move->chain.nr, 1) - 1, n = MIN(frames, chain->max - chain->nr);

	copy_words(chain->ip + chain->nr, frame, n);
	chain->nr += n;
	/* Whose place it was not must be seen, even if there is room for no other frame. */
	if (move->foreign && n)
		chain->ip[chain->nr - 1] = frame[frames - 1];
}
