/* SPDX-License-Identifier: MIT */
/*
 * drivers/timer/arm_generic_timer.c on a model of the virtual timer (Arm ARM DDI 0406C, B8.1.5):
 * its interrupt asks as long as it is on and the count has reached the compare value.
 */
#include "host.h"

#include "../../drivers/timer/arm_generic_timer.c"

static u32 frequency, control;
static u64 compare;
static bool unmasked;
static const struct clock_event *event;
static unsigned served;

u32 read_cntfrq(void)
{
	return frequency;
}

void write_cntv_ctl(u32 value)
{
	control = value;
}

void write_cntv_cval(u64 value)
{
	compare = value;
}

void arm_timer_unmask(void)
{
	assert_int_equal(control, 0); /* what firmware has left on would come at once */
	unmasked = true;
}

void time_set_clock_event(const struct clock_event *dev)
{
	assert_true(unmasked);
	event = dev;
}

void time_interrupt(struct pt_regs *regs)
{
	assert_false(control & 1 && host_clock >= compare); /* it no longer asks */
	served++;
}

static void start_at(u32 hz)
{
	frequency = hz;
	control = 1;
	unmasked = false;
	generic_timer_start();
}

/* The way asm/clock.h turns counts into nanoseconds. */
static u64 to_ns(u64 count)
{
	u32 lo = count, hi = count >> 32;

	return ((u64)lo * arm_clock.fraction >> 32) + (u64)lo * arm_clock.whole +
	       (u64)hi * arm_clock.fraction + ((u64)(hi * arm_clock.whole) << 32);
}

static const u32 known[] = {62500000, 19200000, 24000000, 8000000, 54000000, 999999999, 3906251};

static void clock_is_right_for_years(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		start_at(known[i]);
		assert_int_equal(clock_hz(), known[i]);
		for (u64 seconds = 1; seconds < 100000000; seconds *= 7) {
			u64 want = seconds * 1000000000, have = to_ns(seconds * known[i]);

			assert_in_range(have, want - want / 10000000 - 1, want);
		}
	}
}

static void waits_end_in_time_and_not_before(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(known); i++) {
		start_at(known[i]);
		for (u64 ns = 1; ns < UINT32_MAX; ns = ns * 3 + 1) {
			host_clock = 12345;
			event->set(ns);
			assert_int_equal(control, 1);
			/* Not early, and late by two counts at most. */
			assert_in_range((compare - 12345) * 1000000000, ns * known[i],
					ns * known[i] + 2000000000ULL);
		}
	}
}

static void long_waits_may_end_early(void **state)
{
	start_at(62500000);
	host_clock = 0;
	event->set(3600ULL * 1000000000);
	assert_in_range(compare, 62500000ULL, 3600ULL * 62500000);
	event->set(UINT64_MAX);
	assert_int_equal(control, 0);
}

static void interrupt_ends_what_asked(void **state)
{
	start_at(62500000);
	host_clock = 1000;
	event->set(16);
	host_clock = compare;
	served = 0;
	arm_timer_interrupt(NULL);
	assert_int_equal(served, 1);
	assert_int_equal(control, 0);
}

static void frequency_that_cannot_be_is_told(void **state)
{
	static const u32 wrong[] = {0, 1, 32768, 1000000000, UINT32_MAX};

	for (volatile size_t i = 0; i < ARRAY_SIZE(wrong); i++) { /* a panic jumps back here */
		frequency = wrong[i];
		expect_assert_failure(generic_timer_start());
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(clock_is_right_for_years),
	    cmocka_unit_test(waits_end_in_time_and_not_before),
	    cmocka_unit_test(long_waits_may_end_early),
	    cmocka_unit_test(interrupt_ends_what_asked),
	    cmocka_unit_test(frequency_that_cannot_be_is_told),
	};

	return cmocka_run_group_tests_name("generic_timer", tests, NULL, NULL);
}
