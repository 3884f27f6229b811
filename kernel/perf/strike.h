/* SPDX-License-Identifier: MIT */
/*
 * From a strike in the scheduler to the ring, inline for plain events: this is all that stands
 * between a switch and its sample. Interrupts off.
 */
#pragma once

#include "sample.h"

/* May @event take a sample in @context, or is it in the middle of one? That is then lost. */
static __always_inline bool perf_sample_enter(struct perf_event *event, const struct cpu *cpu,
					      enum cpu_context context)
{
	if (unlikely(cpu->perf->busy[context])) {
		perf_samples_lost(event, current, 1);
		return false;
	}
	cpu->perf->busy[context] = true;
	barrier();
	return true;
}

static __always_inline void perf_sample_leave(const struct cpu *cpu, enum cpu_context context)
{
	barrier();
	cpu->perf->busy[context] = false;
}

/* perf_strike() with @hot regs; @ready as perf_sample_write_plain() has it. */
static __always_inline void perf_strike_hot(struct perf_event *event, const struct cpu *cpu, u64 n,
					    struct pt_regs *hot, u64 now,
					    const struct callchain *ready)
{
	if (unlikely(!event->plain)) {
		perf_strike(event, cpu, CTX_TASK, n, hot, NULL, now);
		return;
	}
	if (!perf_sample_enter(event, cpu, CTX_TASK))
		return;
	event->count += n;
	perf_sample_write_plain(event, cpu, hot, n, now, ready);
	perf_sample_leave(cpu, CTX_TASK);
}
