/* SPDX-License-Identifier: MIT */
/* The chain for handlers of their own, which bring a buffer of any size, and the one of a place
 * that has been left: see callchain.h. */
#include "callchain.h"

void perf_callchain(const struct perf_event *event, const struct pt_regs *regs,
		    struct callchain *chain)
{
	callchain_build(event, regs, chain, false);
}

void callchain_captured(struct callchain *chain, const struct pt_regs *regs)
{
	const struct perf_move *move = container_of(regs, struct perf_move, regs);
	u32 n = MIN(move->nr, chain->max - chain->nr);
	u64 *to = chain->ip + chain->nr;

	for (u32 i = 0; i < n; i++)
		to[i] = move->ip[i];
	/* Whose place it was not must be seen, even if there is room for no other frame. */
	if (move->foreign && n)
		to[n - 1] = move->ip[move->nr - 1];
	chain->nr += n;
}
