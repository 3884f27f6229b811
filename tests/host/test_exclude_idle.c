/* SPDX-License-Identifier: MIT */
/* Clocks that count a CPU's time without that of its idle task. */
#include <stdlib.h>

#include "counting_unit.h"

static struct perf_event *open_clock(struct task *task, bool disabled)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CPU_CLOCK, 0);

	attr.exclude_idle = 1;
	attr.disabled = disabled;
	return open_event(&attr, task);
}

static void idle_time_is_left_out(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CPU_CLOCK, 0);
	struct perf_event *all = open_event(&attr, NULL), *busy = open_clock(NULL, false);
	u64 enabled, running;

	host_clock += 100;
	switch_to(&idle_task);
	host_clock += 1000;
	assert_int_equal(value_of(busy), 100);
	switch_to(&kernel_task);
	host_clock += 20;
	switch_to(&user_task);
	host_clock += 3;
	switch_to(&idle_task);
	host_clock += 5000;
	assert_int_equal(perf_event_read(busy, &enabled, &running), 123);
	assert_int_equal(enabled, 6123);
	assert_int_equal(running, 6123);
	assert_int_equal(value_of(all), 6123);
	perf_event_reset(busy);
	host_clock += 40;
	switch_to(&user_task);
	host_clock += 7;
	assert_int_equal(value_of(busy), 7);
	close_event(busy);
	close_event(all);
}

/* Of a task's time nothing is the idle task's. */
static void of_a_task_there_is_none(void **state)
{
	struct perf_event *event = open_clock(&user_task, false);

	host_clock += 100;
	switch_to(&idle_task);
	host_clock += 1000;
	switch_to(&user_task);
	host_clock += 30;
	assert_int_equal(value_of(event), 130);
	assert_int_equal(test_cpu.perf_active, 0);
	close_event(event);
}

/*
 * One in a group that a pinned group of the task which ends the idleness takes the counter from: at
 * that very switch, and gives it back at the next.
 */
static void a_group_goes_with_the_idle_task(void **state)
{
	struct perf_event_attr attr = counting(), clock = attr_of(PERF_COUNT_SW_CPU_CLOCK, 0);
	struct perf_event *leader, *busy, *pinned;

	counters = 1;
	leader = try_open(&attr, NULL, 0, NULL);
	clock.exclude_idle = 1;
	busy = try_open(&clock, NULL, 0, leader);
	attr.pinned = 1;
	pinned = try_open(&attr, &other_task, -1, NULL);
	assert_false(IS_ERR(leader) || IS_ERR(busy) || IS_ERR(pinned));
	pass(100);
	switch_to(&idle_task);
	pass(5000);
	assert_int_equal(value_of(busy), 100);
	switch_to(&other_task);
	assert_int_equal(value_of(busy), 100);
	pass(30);
	expect(pinned, 30, 30);
	assert_int_equal(value_of(busy), 100);
	switch_to(&user_task);
	pass(7);
	assert_int_equal(value_of(busy), 107);
	switch_to(&other_task);
	switch_to(&idle_task);
	pass(2000);
	assert_int_equal(value_of(busy), 107);
	switch_to(&user_task);
	pass(1);
	assert_int_equal(value_of(busy), 108);
	close_event(pinned);
	close_event(busy);
	close_event(leader);
}

/* Clocks that come and go at any time, against a model. */
static void agrees_with_model(void **state)
{
	static struct task *const tasks[] = {&user_task, &idle_task, &kernel_task};
	struct perf_event *event[3];
	bool enabled[3] = {false};
	u64 expected[3] = {0};

	srand(7);
	for (int i = 0; i < 3; i++)
		event[i] = open_clock(NULL, true);
	for (int step = 0; step < 20000; step++) {
		u64 passed = rand() % 1000;
		int i = rand() % 3;

		host_clock += passed;
		for (int k = 0; k < 3; k++)
			if (enabled[k] && host_cpu->running != &idle_task)
				expected[k] += passed;
		if (rand() % 2) {
			switch_to(tasks[i]);
		} else if (rand() % 2) {
			if (enabled[i])
				perf_event_disable(event[i]);
			else
				perf_event_enable(event[i]);
			enabled[i] = !enabled[i];
		}
		assert_int_equal(value_of(event[i]), expected[i]);
	}
	for (int i = 0; i < 3; i++)
		close_event(event[i]);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(idle_time_is_left_out),
	    TEST(of_a_task_there_is_none),
	    TEST(a_group_goes_with_the_idle_task),
	    TEST(agrees_with_model),
	};

	return cmocka_run_group_tests_name("perf exclude_idle", tests, NULL, NULL);
}
