/* SPDX-License-Identifier: MIT */
/* Times in records, by the clock that an event asks for. */
#include "perf_fixture.h"

static struct record record;

static const int clocks[] = {-1, PERF_CLOCKID_REALTIME, PERF_CLOCKID_MONOTONIC,
			     PERF_CLOCKID_MONOTONIC_RAW, PERF_CLOCKID_BOOTTIME};

/* Every kind of record has a time: in its sample_id if not elsewhere. -1: no clock is asked for. */
static struct perf_event_attr attr_by(int clock, u64 config)
{
	struct perf_event_attr attr = attr_of(config, 1);

	attr.sample_type = PERF_SAMPLE_TIME;
	attr.sample_id_all = 1;
	attr.task = attr.comm = attr.context_switch = 1;
	if (clock >= 0) {
		attr.use_clockid = 1;
		attr.clockid = clock;
	}
	return attr;
}

static u64 expected_time(int clock)
{
	return host_clock + (clock == PERF_CLOCKID_REALTIME ? HOST_EPOCH : 0);
}

static void fault(void)
{
	const struct pt_regs regs = kernel_regs();

	perf_page_fault(&regs, 0x1000, false);
}

static void samples(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		for (u32 more = 0; more < 2; more++) {
			struct perf_event_attr attr = attr_by(clocks[i], PERF_COUNT_SW_PAGE_FAULTS);
			struct perf_event *event;
			struct perf_ring *ring;

			if (more) {
				attr.sample_type |= PERF_SAMPLE_REGS_INTR;
				attr.sample_regs_intr = 1;
			}
			event = open_event(&attr, &user_task);
			ring = map_event(event, 1);
			host_clock += 12345;
			fault();
			expect_record(ring, &record, PERF_RECORD_SAMPLE, 1 + 2 * more);
			assert_int_equal(record.word[0], expected_time(clocks[i]));
			close_event(event);
		}
	}
}

/* The last word of each is the time; in the body of FORK and EXIT it is the third. */
static void side_band(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		struct perf_event_attr attr = attr_by(clocks[i], PERF_COUNT_SW_DUMMY);
		struct perf_event *event = open_event(&attr, &user_task);
		struct perf_event *plain;
		struct perf_ring *ring = map_event(event, 1), *other;
		unsigned n = 0;

		/* Each event its own, though all are told at once. */
		attr = attr_by(-1, PERF_COUNT_SW_DUMMY);
		plain = open_event(&attr, &user_task);
		other = map_event(plain, 1);
		host_clock += 777;
		perf_task_forked(&other_task);
		perf_task_exec();
		switch_to(&kernel_task);
		switch_to(&user_task);
		for (; next_record(ring, &record); n++) {
			u32 last = record.header.size / sizeof(u64) - 2;

			assert_int_equal(record.word[last], expected_time(clocks[i]));
			if (record.header.type == PERF_RECORD_FORK)
				assert_int_equal(record.word[2], expected_time(clocks[i]));
		}
		assert_int_equal(n, 4);
		expect_record(other, &record, PERF_RECORD_FORK, 4);
		assert_int_equal(record.word[2], host_clock);
		assert_int_equal(record.word[3], host_clock);
		close_event(plain);
		close_event(event);
	}
}

/* An event that has no samples, nor anything at the ends of its records, has its clock too. */
static void without_samples(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		struct perf_event_attr attr = attr_by(clocks[i], PERF_COUNT_SW_DUMMY);
		struct perf_event *event;
		struct perf_ring *ring;

		attr.sample_period = attr.sample_type = 0;
		event = open_event(&attr, &user_task);
		ring = map_event(event, 1);
		assert_int_equal(ring->page->cap_user_time_zero,
				 clocks[i] != PERF_CLOCKID_REALTIME);
		host_clock += 777;
		perf_task_forked(&other_task);
		expect_record(ring, &record, PERF_RECORD_FORK, 3);
		assert_int_equal(record.word[2], expected_time(clocks[i]));
		close_event(event);
	}
}

static void losses_and_throttling(void **state)
{
	struct perf_event_attr attr = attr_by(PERF_CLOCKID_REALTIME, PERF_COUNT_SW_CPU_CLOCK);
	struct pt_regs regs = kernel_regs();
	struct perf_event *event;
	struct perf_ring *ring;
	int rate = perf_limits.max_sample_rate;

	attr.sample_period = 100000;
	event = open_event(&attr, NULL);
	ring = map_event(event, 1);
	perf_limits.max_sample_rate = 100;
	host_run_timers(host_clock + 200000, &regs);
	perf_limits.max_sample_rate = rate;
	expect_record(ring, &record, PERF_RECORD_SAMPLE, 1);
	expect_record(ring, &record, PERF_RECORD_THROTTLE, 4);
	assert_int_equal(record.word[0], expected_time(PERF_CLOCKID_REALTIME));
	assert_int_equal(record.word[3], record.word[0]);
	perf_event_pause_output(event, true);
	host_run_timers(host_clock + 20000000, &regs);
	perf_event_pause_output(event, false);
	host_run_timers(host_clock + 100000, &regs);
	expect_record(ring, &record, PERF_RECORD_LOST, 3);
	assert_int_equal(record.word[2], expected_time(PERF_CLOCKID_REALTIME));
	close_event(event);
}

/* Times of two clocks do not go to one ring. */
static void one_ring_has_one_clock(void **state)
{
	struct perf_event *event[ARRAY_SIZE(clocks)], *same;

	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		struct perf_event_attr attr = attr_by(clocks[i], PERF_COUNT_SW_DUMMY);

		event[i] = open_event(&attr, &user_task);
	}
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++) {
		struct perf_event_attr attr = attr_by(clocks[i], PERF_COUNT_SW_DUMMY);

		map_event(event[i], 1);
		for (size_t k = i + 1; k < ARRAY_SIZE(clocks); k++)
			assert_int_equal(perf_event_set_output(event[k], event[i]), -EINVAL);
		same = open_event(&attr, &user_task);
		assert_int_equal(perf_event_set_output(same, event[i]), 0);
		close_event(same);
	}
	for (size_t i = 0; i < ARRAY_SIZE(clocks); i++)
		close_event(event[i]);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(samples),
	    TEST(side_band),
	    TEST(without_samples),
	    TEST(losses_and_throttling),
	    TEST(one_ring_has_one_clock),
	};

	return cmocka_run_group_tests_name("perf clockid", tests, NULL, NULL);
}
