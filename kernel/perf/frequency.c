/* SPDX-License-Identifier: MIT */
/*
 * Sampling by a frequency where something counts by itself and interrupts after a period: the
 * period is fitted to how fast it has counted. Not for software events, which see every strike
 * (software.c) or are clocks.
 */
#include "frequency.h"

/* Looked at together: one sample says too little, and many come too late. */
#define SAMPLES 8

/* So much a period may change at once, when it is more than twice too long or too short. */
#define STEP_MAX 64

#define PERIOD_MAX (1ULL << 62)

/* What is counted in an interval, when @count was in @ns; without more bits than there are. */
static u64 fitting(u64 count, u64 interval, u64 ns)
{
	while (count > UINT64_MAX / interval) {
		count >>= 1;
		ns >>= 1;
	}
	ns = MAX(ns, 1);
	count *= interval;
	return count / ns + (count % ns >= ns / 2 + 1);
}

static u64 next_period(u64 period, u64 target)
{
	u64 least = MAX(period / STEP_MAX, 1);
	u64 most = period > PERIOD_MAX / STEP_MAX ? PERIOD_MAX : period * STEP_MAX;

	/* Near it, three quarters of the way: what was counted is never quite the same. */
	if (target / 2 <= period && period / 2 <= target)
		target -= ((s64)target - (s64)period) / 4;
	return MIN(MAX(target, least), most);
}

void perf_frequency_begin(struct perf_frequency *f, u64 interval, u64 now)
{
	f->interval = interval;
	f->since = now;
	f->counted = 0;
	f->samples = 0;
}

u64 perf_frequency_adapt(struct perf_frequency *f, u64 period, u64 counted, bool sample, u64 now)
{
	u64 ns = now - f->since;

	f->counted += counted;
	f->samples += sample;
	if (f->samples < SAMPLES && ns < SAMPLES * f->interval)
		return period;
	period = next_period(period, fitting(f->counted, f->interval, ns));
	perf_frequency_begin(f, f->interval, now);
	return period;
}
