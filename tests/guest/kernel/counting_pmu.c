/* SPDX-License-Identifier: MIT */
/*
 * In the kernels of tests and of benchmarks only: a unit with two counters a CPU that count
 * nanoseconds, so that events compete on the real scheduler, and what each has counted is the time
 * for which it ran.
 */
#include <hotregs/device.h>
#include <hotregs/perf_pmu.h>

#include "../policy.h"
#include "counting_pmu.h"

static u32 used[MAX_CPUS];
static u64 changes[MAX_CPUS];

u64 counting_changes(void)
{
	u64 n = 0;

	for_each_cpu (cpu)
		n += READ_ONCE(changes[cpu->id]);
	return n;
}

static int check(const struct perf_event_attr *attr)
{
	return attr->config ? -ENOENT : 0;
}

/* All cycles together are converted: what they come to is what the core finds. */
static void count_until(struct perf_event *event, u64 at)
{
	struct perf_counter *counter = perf_event_counter(event);
	u64 counted = clock_span_ns(counter->config);

	counter->config += at - counter->last;
	counter->last = at;
	perf_event_count_add(event, clock_span_ns(counter->config) - counted);
}

static void read(struct perf_event *event)
{
	count_until(event, clock_cycles());
}

static int add(struct perf_event *event, u64 at)
{
	u32 *mine = &used[this_cpu()->id];

	if (*mine == COUNTING_COUNTERS)
		return -ENOSPC;
	++*mine;
	changes[this_cpu()->id]++;
	perf_event_counter(event)->last = at;
	return 0;
}

static void del(struct perf_event *event, u64 at)
{
	used[this_cpu()->id]--;
	changes[this_cpu()->id]++;
	count_until(event, at);
}

static struct perf_pmu counting = {.name = "counting",
				   .type = COUNTING_TYPE,
				   .limited = true,
				   .check = check,
				   .add = add,
				   .del = del,
				   .read = read};

static void counting_init(void)
{
	perf_pmu_register(&counting);
}
INITCALL(5, counting_init);
