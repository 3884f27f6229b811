/* SPDX-License-Identifier: MIT */
/* Rings that are written backward, and rings that pause. */
#include "perf_fixture.h"

#define RECORDS_MAX 600

static struct record record;

static void nobody_waits(struct perf_ring *ring)
{
}

/* Writes { size, @nr, 0... }; 0 or -ENOSPC. */
static int write_record(struct perf_ring *ring, u32 size, u64 nr)
{
	struct perf_output out;
	int err = perf_output_begin(&out, ring, size);

	if (err)
		return err;
	perf_output_u64(&out, size);
	perf_output_u64(&out, nr);
	for (u32 at = 16; at < size; at += 8)
		perf_output_u64(&out, nr * size);
	perf_output_end(&out);
	return 0;
}

static u64 ring_word(const struct perf_ring *ring, u64 pos)
{
	return *(const u64 *)(ring->data + (pos & (ring->size - 1)));
}

static struct perf_ring *new_ring(bool overwrite, u64 start)
{
	struct perf_ring *ring = perf_ring_create(1, overwrite, 0, nobody_waits);

	assert_false(IS_ERR(ring));
	perf_ring_set_backward(ring);
	ring->head = ring->limit = ring->ready_at = ring->carried = start;
	ring->wakeup_at = start + ring->watermark;
	ring->page->data_head = ring->page->data_tail = -start;
	return ring;
}

static void free_ring(struct perf_ring *ring)
{
	host_run_irq_work();
	perf_ring_free(ring);
}

/* From data_head up there are the records @last, @last - 1, ..., so many bytes of them. */
static void check_newest_first(const struct perf_ring *ring, u64 last, u64 bytes)
{
	u64 pos = ring->page->data_head, end = pos + bytes;

	while (pos != end) {
		u64 size = ring_word(ring, pos);

		/* The oldest one may have been overwritten in part. */
		if (pos + size - ring->page->data_head > ring->size)
			return;
		assert_int_equal(ring_word(ring, pos + 8), last);
		for (u32 at = 16; at < size; at += 8)
			assert_int_equal(ring_word(ring, pos + at), last * size);
		pos += size;
		last--;
	}
}

/* What was written, from position @start on, is read the other way round, for all sizes. */
static void compare_with_model(u64 start, bool overwrite)
{
	struct perf_ring *ring = new_ring(overwrite, start);
	u64 written = 0, used = 0, nr = 0;
	unsigned refused = 0;

	srand(2);
	for (int step = 0; step < 5000; step++) {
		u32 size = 8 * (2 + rand() % 100);
		bool fits = overwrite || used + size <= ring->size;

		assert_false(perf_ring_has_room(ring, ring->head, size));
		assert_int_equal(write_record(ring, size, nr + 1), fits ? 0 : -ENOSPC);
		if (fits) {
			nr++;
			written += size;
			used = MIN(used + size, ring->size);
		} else {
			refused++;
		}
		assert_int_equal(ring->page->data_head, -(start + written));
		assert_int_equal(ring->nest, 0);
		check_newest_first(ring, nr, used);
		if (!overwrite && rand() % 8 == 0) {
			used = 0;
			ring->page->data_tail = ring->page->data_head;
			assert_false(perf_ring_readable(ring));
		}
		assert_true(perf_ring_readable(ring) || used < ring->size / 2 + 800 || overwrite);
	}
	assert_int_equal(ring->lost_total, refused);
	assert_true(overwrite ? !refused : refused > 100);
	free_ring(ring);
}

static void backward_agrees_with_model(void **state)
{
	compare_with_model(0, false);
	compare_with_model(0, true);
	compare_with_model(-5 * PAGE_SIZE, false);
	compare_with_model(-5 * PAGE_SIZE - 8, true);
}

static void fault(void)
{
	const struct pt_regs regs = kernel_regs();

	perf_page_fault(&regs, 0x1000, false);
}

static struct perf_event *open_backward(u32 sample_type)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);

	attr.write_backward = 1;
	attr.sample_type = sample_type;
	return open_event(&attr, &user_task);
}

/* Each kind of sample, and what nests in it, comes whole; the last one first. */
static void samples_come_backward(void **state)
{
	static const u32 types[] = {PERF_SAMPLE_TIME, PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN,
				    PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN |
					PERF_SAMPLE_STACK_USER};

	for (size_t i = 0; i < ARRAY_SIZE(types); i++) {
		struct perf_event *event = open_backward(types[i]);
		struct perf_ring *ring;
		u64 pos, seen = 0;

		assert_int_equal(perf_event_mmap(event, 1, true, &root, &ring), 0);
		for (int n = 0; n < 1000; n++) {
			host_clock++;
			fault();
		}
		pos = ring->page->data_head;
		while (pos - ring->page->data_head < ring->size) {
			u64 header = ring_word(ring, pos);
			u32 size = header >> 48;

			if (pos + size - ring->page->data_head > ring->size)
				break;
			assert_int_equal((u32)header, PERF_RECORD_SAMPLE);
			assert_int_equal(ring_word(ring, pos + 8), host_clock - seen);
			pos += size;
			seen++;
		}
		assert_true(seen > 10);
		assert_int_equal(event->lost, 0);
		assert_int_equal(value_of(event), 1000);
		close_event(event);
	}
}

/* One ring has one direction. */
static void output_keeps_the_direction(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);
	struct perf_event *forward = open_event(&attr, &user_task);
	struct perf_event *backward = open_backward(PERF_SAMPLE_TIME);
	struct perf_event *second = open_backward(PERF_SAMPLE_TIME);

	map_event(backward, 1);
	assert_int_equal(perf_event_set_output(forward, backward), -EINVAL);
	assert_int_equal(perf_event_set_output(second, backward), 0);
	assert_int_equal(perf_event_set_output(second, NULL), 0);
	map_event(forward, 1);
	assert_int_equal(perf_event_set_output(second, forward), -EINVAL);
	close_event(second);
	close_event(backward);
	close_event(forward);
}

/* --- Pauses --- */

static void paused_ring_loses(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);
	struct perf_event *event = open_event(&attr, &user_task);
	struct perf_ring *ring;

	assert_int_equal(perf_event_pause_output(event, true), -EINVAL);
	ring = map_event(event, 0);
	assert_int_equal(perf_event_pause_output(event, true), -EINVAL);
	perf_event_munmap(event);
	ring = map_event(event, 1);
	fault();
	fault(); /* from now on room is known */
	assert_int_equal(perf_event_pause_output(event, true), 0);
	for (int i = 0; i < 5; i++)
		fault();
	assert_int_equal(count_records(ring, PERF_RECORD_SAMPLE), 2);
	assert_int_equal(event->lost, 5);
	assert_int_equal(value_of(event), 2);
	assert_int_equal(perf_event_pause_output(event, false), 0);
	fault();
	expect_record(ring, &record, PERF_RECORD_LOST, 2);
	assert_int_equal(record.word[1], 5);
	assert_int_equal(count_records(ring, PERF_RECORD_SAMPLE), 1);
	/* A pause in which nothing is written says nothing. */
	perf_event_pause_output(event, true);
	perf_event_pause_output(event, false);
	fault();
	assert_int_equal(count_records(ring, PERF_RECORD_SAMPLE), 1);
	expect_no_record(ring);
	close_event(event);
}

/* A reader of an overwritten ring has it stand still meanwhile. */
static void overwritten_ring_pauses(void **state)
{
	for (int backward = 0; backward < 2; backward++) {
		struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);
		struct perf_event *event, *second;
		struct perf_ring *ring;
		u64 head;

		attr.write_backward = backward;
		event = open_event(&attr, &user_task);
		second = open_event(&attr, &user_task);
		assert_int_equal(perf_event_mmap(event, 1, true, &root, &ring), 0);
		assert_int_equal(perf_event_set_output(second, event), 0);
		for (int i = 0; i < 500; i++)
			fault();
		/* By any of its events. */
		assert_int_equal(perf_event_pause_output(second, true), 0);
		head = ring->page->data_head;
		fault();
		assert_int_equal(ring->page->data_head, head);
		assert_int_equal(perf_event_pause_output(event, false), 0);
		fault();
		assert_int_not_equal(ring->page->data_head, head);
		assert_int_equal(ring->lost_total, 2);
		close_event(second);
		close_event(event);
	}
}

/* An event of one CPU is paused there, whoever runs where. */
static void paused_on_its_cpu(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);
	struct perf_event *event;
	struct perf_ring *ring;

	run_on(0);
	host_run_as(&test_cpu, &user_task);
	event = perf_event_create_kernel_counter(&attr, 1, NULL, NULL, NULL);
	ring = map_event(event, 1);
	host_smp_calls = 0;
	assert_int_equal(perf_event_pause_output(event, true), 0);
	assert_int_equal(host_smp_calls, 1);
	run_on(1);
	fault();
	expect_no_record(ring);
	assert_int_equal(event->lost, 1);
	run_on(0);
	close_event(event);
	/* So is that of a task whose children's events may write there meanwhile. */
	attr.inherit = 1;
	event = perf_event_create_kernel_counter(&attr, 1, &other_task, NULL, NULL);
	map_event(event, 1);
	host_smp_calls = 0;
	assert_int_equal(perf_event_pause_output(event, true), 0);
	assert_int_equal(host_smp_calls, 1);
	close_event(event);
	/* Of a task that has ended nothing is written. */
	attr.inherit = 0;
	event = open_event(&attr, &other_task);
	map_event(event, 1);
	perf_task_dead(&other_task, 0);
	perf_task_free(&other_task);
	assert_int_equal(perf_event_pause_output(event, true), 0);
	close_event(event);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(backward_agrees_with_model), TEST(samples_come_backward),
	    TEST(output_keeps_the_direction), TEST(paused_ring_loses),
	    TEST(overwritten_ring_pauses),    TEST(paused_on_its_cpu),
	};

	return cmocka_run_group_tests_name("perf ring modes", tests, NULL, NULL);
}
