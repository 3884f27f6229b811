/* SPDX-License-Identifier: MIT */
/* Estimates of counts, and means over several runs. */
#include "count.h"

#include <math.h>

void count_add(struct count *sum, uint64_t value, uint64_t enabled, uint64_t running)
{
	sum->value += value;
	sum->enabled += enabled;
	sum->running += running;
}

bool count_known(const struct count *count)
{
	return count->enabled && count->running;
}

bool count_waited(const struct count *count)
{
	return count->running < count->enabled;
}

double count_scaled(const struct count *count)
{
	if (!count_known(count) || !count_waited(count))
		return count->value;
	return (double)count->value * count->enabled / count->running;
}

double count_percent(const struct count *count)
{
	return count->enabled ? 100.0 * count->running / count->enabled : 100.0;
}

/* As Welford does it: no sum of squares, from which two large numbers would have to be taken. */
void mean_add(struct mean *mean, double x)
{
	double distance = x - mean->mean;

	mean->n++;
	mean->mean += distance / mean->n;
	mean->squares += distance * (x - mean->mean);
}

double mean_error_percent(const struct mean *mean)
{
	if (mean->n < 2 || mean->mean == 0)
		return 0;
	return 100.0 * sqrt(mean->squares / (mean->n - 1) / mean->n) / mean->mean;
}
