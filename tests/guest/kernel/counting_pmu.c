/* SPDX-License-Identifier: MIT */
/*
 * In the test kernel only: a unit with two counters a CPU that count nanoseconds, so that events
 * compete on the real scheduler, and what each has counted is the time for which it ran.
 */
#include <hotregs/device.h>
#include <hotregs/perf_pmu.h>

#include "../policy.h"

static u32 used[MAX_CPUS];

static int check(const struct perf_event_attr *attr)
{
	return attr->config ? -ENOENT : 0;
}

static void read(struct perf_event *event)
{
	struct perf_counter *counter = perf_event_counter(event);
	u64 now = clock_ns();

	perf_event_count_add(event, now - counter->last);
	counter->last = now;
}

static int add(struct perf_event *event, u64 now)
{
	u32 *mine = &used[this_cpu()->id];

	if (*mine == COUNTING_COUNTERS)
		return -ENOSPC;
	++*mine;
	perf_event_counter(event)->last = now;
	return 0;
}

static void del(struct perf_event *event, u64 now)
{
	struct perf_counter *counter = perf_event_counter(event);

	used[this_cpu()->id]--;
	perf_event_count_add(event, now - counter->last);
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
