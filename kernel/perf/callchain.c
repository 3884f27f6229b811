/* SPDX-License-Identifier: MIT */
/* The chain for handlers of their own, which bring a buffer of any size: see callchain.h. */
#include "callchain.h"

void perf_callchain(const struct perf_event *event, const struct pt_regs *regs,
		    struct callchain *chain)
{
	callchain_build(event, regs, chain, false);
}
