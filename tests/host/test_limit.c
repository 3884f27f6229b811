/* SPDX-License-Identifier: MIT */
/* Events with a number of samples to take, and then none: PERF_EVENT_IOC_REFRESH. */
#include "perf_fixture.h"

#define MS 1000000ULL

static void fault(void)
{
	const struct pt_regs regs = kernel_regs();

	perf_page_fault(&regs, 0x1000, false);
}

/* Does the self-interrupt come now? */
static void faults(unsigned n, bool interrupted)
{
	while (n--) {
		fault();
		if (interrupted)
			host_run_irq_work();
	}
}

static struct perf_event *open_disabled(u64 config, u64 period)
{
	struct perf_event_attr attr = attr_of(config, period);

	attr.disabled = 1;
	return open_event(&attr, &user_task);
}

static void so_many_samples_and_no_more(void **state)
{
	for (int interrupted = 0; interrupted < 2; interrupted++) {
		struct perf_event *event = open_disabled(PERF_COUNT_SW_PAGE_FAULTS, 2);
		struct perf_ring *ring = map_event(event, 1);

		assert_int_equal(perf_event_refresh(event, 2), 0);
		assert_int_equal(perf_event_refresh(event, 1), 0); /* adds */
		faults(5, interrupted);
		assert_false(perf_event_hung_up(event));
		faults(4, interrupted);
		assert_true(perf_event_hung_up(event));
		assert_int_equal(count_records(ring, PERF_RECORD_SAMPLE), 3);
		/* What strikes when it has ended is no strike. */
		assert_int_equal(value_of(event), 6);
		host_run_irq_work();
		assert_false(event->enabled);
		assert_int_equal(user_task.perf_active, 0);

		assert_int_equal(perf_event_refresh(event, 1), 0);
		assert_false(perf_event_hung_up(event));
		faults(4, interrupted);
		assert_int_equal(count_records(ring, PERF_RECORD_SAMPLE), 1);
		assert_int_equal(value_of(event), 8);
		/* Without a limit it samples until it is disabled. */
		perf_event_enable(event);
		faults(10, interrupted);
		assert_int_equal(count_records(ring, PERF_RECORD_SAMPLE), 5);
		assert_false(perf_event_hung_up(event));
		close_event(event);
	}
}

static void begins_anew_before_it_has_been_disabled(void **state)
{
	struct perf_event *event = open_disabled(PERF_COUNT_SW_PAGE_FAULTS, 1);
	struct perf_ring *ring = map_event(event, 1);

	perf_event_refresh(event, 1);
	for (int i = 0; i < 3; i++) {
		fault();
		assert_true(perf_event_hung_up(event));
		assert_int_equal(perf_event_refresh(event, 1), 0);
	}
	host_run_irq_work();
	assert_true(event->enabled);
	faults(2, false);
	assert_int_equal(count_records(ring, PERF_RECORD_SAMPLE), 4);
	close_event(event);
}

/* Every sample wakes, also the last one. */
static void readers_are_told_of_each(void **state)
{
	struct perf_event *event = open_disabled(PERF_COUNT_SW_PAGE_FAULTS, 1);
	struct perf_ring *ring = map_event(event, 1);

	perf_event_refresh(event, 3);
	host_wakeups = 0;
	for (int i = 1; i <= 3; i++) {
		fault();
		host_run_irq_work();
		assert_int_equal(host_wakeups, i);
		assert_true(perf_event_readable(event));
		assert_int_equal(count_records(ring, PERF_RECORD_SAMPLE), 1);
	}
	faults(1, true);
	assert_int_equal(host_wakeups, 3);
	close_event(event);
}

/* The last sample may be the switch away; the interrupt then finds another task. */
static void ends_with_a_switch(void **state)
{
	u64 enabled;

	for (int moved = 0; moved < 3; moved++) {
		struct perf_event *event = open_disabled(PERF_COUNT_SW_CONTEXT_SWITCHES, 1);
		struct perf_ring *ring = map_event(event, 1);
		u32 from = user_task.cpu;

		perf_event_refresh(event, 1);
		host_clock += 100;
		switch_to(&other_task);
		host_clock += 1000;
		if (!moved)
			host_run_irq_work();
		/* On to the next CPU before this one has been interrupted: that sees to it. */
		if (moved)
			user_task.cpu = run_on(!from);
		switch_to(&user_task);
		assert_false(event->enabled);
		assert_int_equal(user_task.perf_active, 0);
		if (moved == 2) {
			host_run_as(&cpus[from], cpus[from].running);
			host_run_irq_work();
			host_run_as(&cpus[!from], &user_task);
		}
		host_clock += 1000;
		assert_int_equal(perf_event_read(event, &enabled, NULL), 1);
		assert_int_equal(enabled, 100);
		assert_int_equal(count_records(ring, PERF_RECORD_SAMPLE), 1);
		close_event(event);
		switch_to(&idle_task);
		user_task.cpu = run_on(0);
		host_run_as(&test_cpu, &user_task);
	}
}

/* Closed before it has been disabled it leaves nothing behind. */
static void closed_meanwhile(void **state)
{
	for (int of_cpu = 0; of_cpu < 2; of_cpu++) {
		struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CONTEXT_SWITCHES, 1);
		struct perf_event *event = open_event(&attr, of_cpu ? NULL : &user_task);

		perf_event_refresh(event, 1);
		switch_to(&other_task);
		mutex_lock(&perf_mutex);
		perf_event_detach(event, false);
		mutex_unlock(&perf_mutex);
		host_run_irq_work();
		perf_event_release(event);
		switch_to(&user_task);
		assert_int_equal(user_task.perf_active, 0);
		assert_int_equal(test_cpu.perf_active, 0);
	}
}

static void clock_with_a_limit(void **state)
{
	struct perf_event *event = open_disabled(PERF_COUNT_SW_TASK_CLOCK, 100000);
	struct perf_ring *ring = map_event(event, 1);
	struct pt_regs regs = kernel_regs();

	perf_event_refresh(event, 4);
	host_run_timers(host_clock + MS, &regs);
	host_run_irq_work();
	assert_int_equal(count_records(ring, PERF_RECORD_SAMPLE), 4);
	assert_int_equal(value_of(event), 400000);
	perf_event_refresh(event, 2);
	host_run_timers(host_clock + MS, &regs);
	assert_int_equal(count_records(ring, PERF_RECORD_SAMPLE), 2);
	close_event(event);
}

/* A sample that only the general handler writes is as whole as before. */
static void samples_are_the_same(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);
	static struct record plain, limited;
	struct perf_event *event;
	struct perf_ring *ring;

	attr.sample_type |= PERF_SAMPLE_CALLCHAIN;
	event = open_event(&attr, &user_task);
	ring = map_event(event, 1);
	fault();
	assert_true(next_record(ring, &plain));
	perf_event_refresh(event, 1);
	fault();
	assert_true(next_record(ring, &limited));
	assert_memory_equal(&plain, &limited, plain.header.size);
	expect_no_record(ring);
	close_event(event);
}

static void wrong_ones_are_refused(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 0);
	struct perf_event *event = open_event(&attr, &user_task);

	assert_int_equal(perf_event_refresh(event, 1), -EINVAL);
	close_event(event);
	attr.sample_period = 1;
	attr.inherit = 1;
	event = open_event(&attr, &user_task);
	assert_int_equal(perf_event_refresh(event, 1), -EINVAL);
	close_event(event);
	attr.inherit = 0;
	event = open_event(&attr, &user_task);
	assert_int_equal(perf_event_refresh(event, 1UL << 31), -EINVAL);
	assert_int_equal(perf_event_refresh(event, -1UL), -EINVAL);
	assert_int_equal(perf_event_refresh(event, INT32_MAX), 0);
	assert_int_equal(perf_event_refresh(event, 0), 0);
	assert_int_equal(perf_event_refresh(event, 1), -EINVAL);
	close_event(event);
	/* Of a task that has ended nothing begins anew. */
	event = open_event(&attr, &other_task);
	perf_task_dead(&other_task, 0);
	perf_task_free(&other_task);
	assert_int_equal(perf_event_refresh(event, 1), 0);
	assert_true(perf_event_hung_up(event));
	close_event(event);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(so_many_samples_and_no_more),
	    TEST(begins_anew_before_it_has_been_disabled),
	    TEST(readers_are_told_of_each),
	    TEST(ends_with_a_switch),
	    TEST(closed_meanwhile),
	    TEST(clock_with_a_limit),
	    TEST(samples_are_the_same),
	    TEST(wrong_ones_are_refused),
	};

	return cmocka_run_group_tests_name("perf limit", tests, NULL, NULL);
}
