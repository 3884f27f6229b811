/* SPDX-License-Identifier: MIT */
/* Clocks that want more samples, or more time for them, than they may have. */
#include "perf_fixture.h"

#define MS     1000000ULL
#define WINDOW (10 * MS)

static const struct perf_limits defaults = {2, 516, 100000, 25};

static struct record record;
static struct pt_regs regs;
static u64 sample_cost; /* ns */

static int set_up(void **state)
{
	perf_limits = defaults;
	regs = kernel_regs();
	return fixture_set_up(state);
}

static int tear_down(void **state)
{
	perf_limits = defaults;
	return fixture_tear_down(state);
}

static struct perf_event *open_clock(u64 period, bool disabled)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CPU_CLOCK, period);

	attr.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
	attr.disabled = disabled;
	return open_event(&attr, NULL);
}

/* What a ring tells of a clock, from records in order. */
struct told {
	unsigned samples, throttled, unthrottled;
	u64 sum;     /* of periods */
	u64 longest; /* period */
};

static struct told read_ring(struct perf_ring *ring, const struct perf_event *event)
{
	struct told told = {0};
	bool off = false;

	while (next_record(ring, &record)) {
		if (record.header.type == PERF_RECORD_SAMPLE) {
			assert_false(off);
			told.samples++;
			told.sum += record.word[1];
			told.longest = MAX(told.longest, record.word[1]);
			continue;
		}
		assert_true(record.header.type == PERF_RECORD_THROTTLE ||
			    record.header.type == PERF_RECORD_UNTHROTTLE);
		assert_int_equal(record.header.size, 4 * sizeof(u64));
		assert_int_equal(record.word[1], event->id);
		assert_int_equal(record.word[2], event->id);
		assert_int_equal(record.header.type == PERF_RECORD_UNTHROTTLE, off);
		off = !off;
		told.throttled += off;
		told.unthrottled += !off;
	}
	assert_int_equal(off, event->throttled);
	return told;
}

/* A lower limit than what was open already: so many samples each 10 ms, which stand for it all. */
static void samples_are_limited(void **state)
{
	static const int limits[] = {1, 99, 100, 101, 1000, 3333, 50000};

	for (size_t i = 0; i < ARRAY_SIZE(limits); i++) {
		struct perf_event *event;
		struct perf_ring *ring;
		struct told told;
		u64 each = (limits[i] + 99) / 100, start;

		perf_limits.max_sample_rate = 100000;
		event = open_clock(10000, false);
		ring = map_event(event, 1024);
		perf_limits.max_sample_rate = limits[i];
		start = host_clock;
		host_run_timers(host_clock + 1000 * MS, &regs);
		told = read_ring(ring, event);
		assert_in_range(told.samples, 99 * each, 100 * each);
		assert_in_range(told.throttled, 99, 100);
		assert_in_range(told.sum, host_clock - start - WINDOW, host_clock - start);
		assert_int_equal(value_of(event), told.sum);
		assert_in_range(told.longest, WINDOW - each * 10000, WINDOW);
		close_event(event);
	}
}

/* What keeps to the limit is not throttled, whatever the rounding of its period. */
static void nobody_else_is(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CPU_CLOCK, 0);

	attr.freq = 1;
	attr.sample_type = PERF_SAMPLE_TIME | PERF_SAMPLE_PERIOD;
	for (u64 freq = 1; freq <= 100000; freq += 1 + freq / 7) {
		struct perf_event *event;
		struct perf_ring *ring;

		perf_limits.max_sample_rate = freq;
		attr.sample_freq = freq;
		event = open_event(&attr, NULL);
		ring = map_event(event, 1024);
		host_run_timers(host_clock + 300 * MS, &regs);
		assert_int_equal(read_ring(ring, event).throttled, 0);
		close_event(event);
	}
	perf_limits = defaults;
	/* Also when all of its timers are late. */
	for (int i = 0; i < 2; i++) {
		struct perf_event *event = open_clock(10000, false);
		struct perf_ring *ring = map_event(event, 1024);

		for (int step = 0; step < 10000; step++) {
			host_clock += step % 7 * 1000;
			host_run_timers(host_clock + 1, &regs);
		}
		assert_int_equal(read_ring(ring, event).throttled, 0);
		close_event(event);
	}
}

static void limit_that_is_lifted(void **state)
{
	struct perf_event *event = open_clock(100000, false);
	struct perf_ring *ring = map_event(event, 64);
	struct told told;

	perf_limits.max_sample_rate = 1000;
	host_run_timers(host_clock + 95 * MS, &regs);
	assert_int_equal(read_ring(ring, event).throttled, 10);
	assert_true(event->throttled);
	perf_limits.max_sample_rate = 100000;
	host_run_timers(host_clock + 105 * MS, &regs);
	expect_record(ring, &record, PERF_RECORD_UNTHROTTLE, 3);
	told = read_ring(ring, event);
	assert_int_equal(told.throttled, 0);
	assert_in_range(told.samples, 1000, 1051);
	close_event(event);
}

/* A new beginning, disabled or not, tells of the end of throttling once. */
static void disabled_meanwhile(void **state)
{
	struct perf_event *event = open_clock(100000, true);
	struct perf_ring *ring = map_event(event, 64);

	perf_limits.max_sample_rate = 1000;
	perf_event_enable(event);
	host_run_timers(host_clock + 5 * MS, &regs);
	perf_event_disable(event);
	assert_int_equal(read_ring(ring, event).throttled, 1);
	host_run_timers(host_clock + 50 * MS, &regs);
	expect_no_record(ring);
	perf_event_enable(event);
	host_run_timers(host_clock + 10 * MS, &regs);
	expect_record(ring, &record, PERF_RECORD_UNTHROTTLE, 3);
	assert_in_range(read_ring(ring, event).samples, 1, 10);
	close_event(event);
}

static u64 nr_taken;

static void slow(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *r)
{
	host_clock += sample_cost;
	nr_taken++;
}

/* Samples are as many as their part of the time allows; without a bound they take all of it. */
static void time_is_limited(void **state)
{
	static const int percents[] = {1, 10, 25, 60, 99, 0, 100};
	const u64 all = 2000 * MS;

	sample_cost = 20000;
	for (size_t i = 0; i < ARRAY_SIZE(percents); i++) {
		struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CPU_CLOCK, 10000);
		struct perf_event *event;
		u64 percent = percents[i] ? percents[i] : 100, spent;

		perf_limits.cpu_time_max_percent = percents[i];
		nr_taken = 0;
		event = perf_event_create_kernel_counter(&attr, 0, NULL, slow, NULL);
		host_run_timers(host_clock + all, &regs);
		spent = nr_taken * sample_cost;
		assert_in_range(spent * 1000 / all, percent * 10 - MIN(percent * 10, 12),
				percent * 10 + 12);
		close_event(event);
	}
}

/* Others' samples may cost so much that a whole window and more is spent. */
static void throttled_for_time(void **state)
{
	static const struct {
		u64 cost;
		unsigned least;
	} rows[] = {{90000, 90}, {9 * MS, 20}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CPU_CLOCK, 100000);
		struct perf_event *costly, *told;
		struct perf_ring *ring;

		sample_cost = rows[i].cost;
		costly = perf_event_create_kernel_counter(&attr, 0, NULL, slow, NULL);
		told = open_clock(100000, false);
		ring = map_event(told, 64);
		host_run_timers(host_clock + 1000 * MS, &regs);
		assert_in_range(read_ring(ring, told).throttled, rows[i].least, 101);
		close_event(costly);
		close_event(told);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(samples_are_limited), TEST(nobody_else_is),  TEST(limit_that_is_lifted),
	    TEST(disabled_meanwhile),  TEST(time_is_limited), TEST(throttled_for_time),
	};

	return cmocka_run_group_tests_name("perf throttling", tests, NULL, NULL);
}
