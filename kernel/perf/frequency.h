/* SPDX-License-Identifier: MIT */
/* The period by which a counter samples at a frequency: see frequency.c. */
#pragma once

#include <hotregs/types.h>

struct perf_frequency {
	u64 interval; /* ns between samples */
	u64 since;    /* clock_ns() from when on it has been counted */
	u64 counted;  /* that much */
	u32 samples;  /* and so many samples */
};

/* Counting begins now, or goes on after others have had the counter. */
void perf_frequency_begin(struct perf_frequency *f, u64 interval, u64 now);
/*
 * The period to go on with instead of @period, when @counted more have been counted up to now: at a
 * sample; and, so that a period that has become far too long is found out, at a tick. NMI-safe.
 */
u64 perf_frequency_adapt(struct perf_frequency *f, u64 period, u64 counted, bool sample, u64 now);
