/* SPDX-License-Identifier: MIT */
/* What perf stat has counted: estimates where an event had to wait, and means over several runs. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct count {
	uint64_t value, enabled, running; /* times in ns */
};

void count_add(struct count *sum, uint64_t value, uint64_t enabled, uint64_t running);

/* False: it never ran, so that nothing is known of it. */
bool count_known(const struct count *count);

/* Did it wait for counters while it was enabled? */
bool count_waited(const struct count *count);

/* The value; when it waited, what it would be had it run all the time. */
double count_scaled(const struct count *count);

/* How much of the time it ran, in per cent; 100 when it was never enabled. */
double count_percent(const struct count *count);

/* Numbers that come one by one. All zeroes: none yet. */
struct mean {
	unsigned n;
	double mean, squares; /* the mean; sum of the squared distances from it */
};

void mean_add(struct mean *mean, double x);

/* The standard error of the mean, in per cent of it; 0 of fewer than two numbers or a mean of 0. */
double mean_error_percent(const struct mean *mean);
