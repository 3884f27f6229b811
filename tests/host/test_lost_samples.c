/* SPDX-License-Identifier: MIT */
/* Samples that are not taken: LOST_SAMPLES tells of each. test_moves.c has those of moves. */
#include "perf_fixture.h"

static struct record record;

static void fault(void)
{
	const struct pt_regs regs = kernel_regs();

	perf_page_fault(&regs, 0x1000, false);
}

static void fault_here(void)
{
	fault();
	host_irqs_off = 1;
}

/* The ring tells so, in the name of each; and samples are whole. */
static void lost_samples_are_told(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);
	unsigned samples[2] = {0}, lost[2] = {0};
	struct perf_event *event[2];
	struct perf_ring *ring;

	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_ID | PERF_SAMPLE_CALLCHAIN;
	attr.sample_id_all = 1;
	event[0] = open_event(&attr, &user_task);
	event[1] = open_event(&attr, &user_task);
	ring = map_event(event[0], 8);
	assert_int_equal(perf_event_set_output(event[1], event[0]), 0);
	for (int i = 0; i < 5; i++) {
		during_walk = fault_here;
		fault();
	}
	while (next_record(ring, &record)) {
		if (record.header.type == PERF_RECORD_SAMPLE) {
			samples[record.word[1] == event[1]->id]++;
			continue;
		}
		assert_int_equal(record.header.type, PERF_RECORD_LOST_SAMPLES);
		assert_int_equal(record.header.size, 4 * sizeof(u64));
		assert_int_equal(record.word[0], 1);
		assert_int_equal(second_half(record.word[1]), user_task.tid);
		lost[record.word[2] == event[1]->id]++;
	}
	for (int i = 1; i >= 0; i--) {
		assert_int_equal(samples[i], 5);
		assert_int_equal(lost[i], 5);
		assert_int_equal(event[i]->lost, 5);
		close_event(event[i]);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(lost_samples_are_told),
	};

	return cmocka_run_group_tests_name("perf lost samples", tests, NULL, NULL);
}
