/* SPDX-License-Identifier: MIT */
/* How a program tells the time by an event's control page. */
#include "perf_fixture.h"

#define NS_PER_S 1000000000ULL

/* Processors' and timers' frequencies in Hz, also such as have no whole period. */
static const u64 frequencies[] = {3906251,    4000000,    19200000,   24000000,   62500000,
				  100000007,  999999999,  1000000000, 1000000001, 2400000000,
				  3000000019, 4294967296, 6000000000};

/* The kernel's own way. */
static u64 exact_ns(u64 cycles, u64 ns_per_cycle)
{
	return (u64)((unsigned __int128)cycles * ns_per_cycle >> 32);
}

/* From any point on, the scale is off by less than 1 ns a second, and 2 ns. */
static void scale_is_close(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(frequencies); i++) {
		u64 hz = frequencies[i], ns_per_cycle = (NS_PER_S << 32) / hz;
		struct perf_time_scale scale = perf_time_scale(ns_per_cycle);

		assert_true(scale.shift <= 32);
		/* As fine as 32 bits allow. */
		assert_true(scale.shift == 32 || scale.mult >> 31);
		for (u64 start = 1; start < 1ULL << 60; start = start * 3 + 1) {
			u64 zero = exact_ns(start, ns_per_cycle) - perf_scaled_time(scale, start);

			for (u64 passed = 1; passed < hz * 3600; passed = passed * 7 + 3) {
				u64 now = start + passed;
				s64 off = zero + perf_scaled_time(scale, now) -
					  exact_ns(now, ns_per_cycle);
				s64 most = 2 + passed / hz;

				if (off > most || off < -most)
					fail_msg("%llu Hz: off by %lld after %llu cycles", hz, off,
						 passed);
			}
		}
	}
}

/* What perf_event_open(2) tells to do with the page. */
static u64 scaled(const struct perf_event_mmap_page *page, u64 cycles)
{
	return perf_scaled_time((struct perf_time_scale){page->time_mult, page->time_shift},
				cycles);
}

static void time_of_records(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_DUMMY, 0);
	struct perf_event *event = open_event(&attr, &user_task);
	struct perf_ring *ring = map_event(event, 0);

	assert_true(ring->page->cap_bit0_is_deprecated);
	assert_false(ring->page->cap_user_rdpmc);
	assert_int_equal(ring->page->index, 0);
	assert_true(ring->page->cap_user_time_zero);
	host_clock += 123456789;
	assert_int_equal(ring->page->time_zero + scaled(ring->page, host_clock), host_clock);
	/* Its own time goes on only while the task runs. */
	assert_false(ring->page->cap_user_time);
	close_event(event);
	attr.use_clockid = 1;
	attr.clockid = PERF_CLOCKID_REALTIME;
	event = open_event(&attr, &user_task);
	ring = map_event(event, 0);
	assert_false(ring->page->cap_user_time_zero);
	close_event(event);
}

static void time_of_a_cpu(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_DUMMY, 0);
	struct perf_event *event = open_event(&attr, NULL);
	struct perf_event_mmap_page *page = map_event(event, 0)->page;
	u64 enabled;

	for (int i = 0; i < 3; i++) {
		assert_true(page->cap_user_time);
		host_clock += 1001;
		perf_event_read(event, &enabled, NULL);
		assert_int_equal(page->time_enabled + page->time_offset + scaled(page, host_clock),
				 enabled);
		perf_event_disable(event);
		assert_false(page->cap_user_time);
		host_clock += 500;
		perf_event_read(event, &enabled, NULL);
		assert_int_equal(page->time_enabled, enabled);
		perf_event_enable(event);
	}
	close_event(event);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(scale_is_close),
	    TEST(time_of_records),
	    TEST(time_of_a_cpu),
	};

	return cmocka_run_group_tests_name("perf control page", tests, NULL, NULL);
}
