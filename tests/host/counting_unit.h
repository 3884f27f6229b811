/* SPDX-License-Identifier: MIT */
/*
 * What the tests of scheduling share: a unit with 1 to 4 counters that count nanoseconds, so that
 * what an event has counted is the time for which it ran.
 */
#pragma once

#include "perf_fixture.h"
#include <hotregs/mm.h>

#define TYPE  77
#define MS    1000000ULL
#define SHARE (4 * MS)

/* --- The unit --- */

static unsigned counters, used[FIXTURE_CPUS];
static unsigned changes; /* additions and removals so far */

static int check(const struct perf_event_attr *attr)
{
	return attr->config ? -ENOENT : 0;
}

static void read_counter(struct perf_event *event)
{
	struct perf_counter *counter = perf_event_counter(event);

	perf_event_count_add(event, host_clock - counter->last);
	counter->last = host_clock;
}

static int add(struct perf_event *event, u64 now)
{
	unsigned *mine = &used[this_cpu()->id];

	assert_int_equal(now, host_clock);
	if (*mine == counters)
		return -ENOSPC;
	++*mine;
	changes++;
	perf_event_counter(event)->last = now;
	return 0;
}

static void del(struct perf_event *event, u64 now)
{
	unsigned *mine = &used[this_cpu()->id];

	assert_true(*mine > 0);
	--*mine;
	changes++;
	read_counter(event);
}

static struct perf_pmu unit = {.name = "unit",
			       .type = TYPE,
			       .limited = true,
			       .check = check,
			       .add = add,
			       .del = del,
			       .read = read_counter};

static int set_up(void **state)
{
	static bool known;

	if (!known)
		assert_int_equal(perf_pmu_register(&unit), 0);
	known = true;
	memset(used, 0, sizeof(used));
	return fixture_set_up(state);
}

static int tear_down(void **state)
{
	int err = fixture_tear_down(state);

	for (u32 id = 0; id < FIXTURE_CPUS; id++) {
		assert_int_equal(used[id], 0);
		assert_int_equal(unit.cpu[id].groups, 0);
	}
	return err;
}

static struct perf_event_attr counting(void)
{
	struct perf_event_attr attr = attr_of(0, 0);

	attr.type = TYPE;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return attr;
}

static struct perf_event *try_open(const struct perf_event_attr *attr, struct task *task, int cpu,
				   struct perf_event *leader)
{
	return perf_event_open_group(attr, task ? task->tid : -1, cpu, leader, &root);
}

static void pass(u64 ns)
{
	struct pt_regs regs = kernel_regs();
	u64 until = host_clock + ns;

	host_run_timers(until, &regs);
	host_clock = until;
}

static void expect(struct perf_event *event, u64 enabled, u64 running)
{
	u64 was_enabled, was_running;

	assert_int_equal(perf_event_read(event, &was_enabled, &was_running), running);
	assert_int_equal(was_enabled, enabled);
	assert_int_equal(was_running, running);
}
