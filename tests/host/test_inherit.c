/* SPDX-License-Identifier: MIT */
/* Events through fork, exec and exit: copies, what they add up to, and the last records. */
#include "perf_fixture.h"

static struct record record;

static void fault(void)
{
	const struct pt_regs regs = kernel_regs();

	perf_page_fault(&regs, 0x1000, false);
}

/* An event of user_task that forks inherit, with a ring when @ring is not NULL. */
static struct perf_event *open_inherited(u64 config, u64 period, struct perf_ring **ring)
{
	struct perf_event_attr attr = attr_of(config, period);
	struct perf_event *event;

	attr.inherit = 1;
	attr.task = 1;
	attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID;
	attr.read_format = PERF_FORMAT_LOST;
	event = perf_event_create_kernel_counter(&attr, 0, &user_task, NULL, NULL);
	assert_false(IS_ERR(event));
	if (ring)
		*ring = map_event(event, 1);
	return event;
}

/* user_task forks other_task; nobody switches yet. */
static void fork_other(void)
{
	assert_int_equal(perf_task_fork(&other_task), 0);
	perf_task_forked(&other_task);
}

static void children_add_up(void **state)
{
	struct perf_event *event = open_inherited(PERF_COUNT_SW_PAGE_FAULTS, 0, NULL);
	u64 enabled;

	fault();
	fork_other();
	host_clock += 10;
	switch_to(&other_task);
	host_clock += 200;
	fault();
	fault();
	/* A grandchild's are the same event's. */
	assert_int_equal(perf_task_fork(&kernel_task), 0);
	switch_to(&kernel_task);
	fault();
	host_clock += 3000;
	assert_int_equal(perf_event_read(event, &enabled, NULL), 4);
	assert_int_equal(enabled, 3210);
	/* And stay when their tasks have gone. */
	switch_to(&user_task);
	perf_task_dead(&kernel_task, 0);
	perf_task_free(&kernel_task);
	perf_task_dead(&other_task, 0);
	perf_task_free(&other_task);
	assert_int_equal(perf_event_read(event, &enabled, NULL), 4);
	assert_int_equal(enabled, 3210);
	perf_event_reset(event);
	assert_int_equal(value_of(event), 0);
	close_event(event);
}

/* Who opens an event for itself alone is no child, and its end is told by EXIT alone. */
static void own_end_is_no_childs(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 0);
	struct perf_event *event[2];
	struct perf_ring *ring[2];

	attr.inherit_stat = 1;
	for (int i = 0; i < 2; i++) {
		event[i] = perf_event_create_kernel_counter(&attr, 0, &user_task, NULL, NULL);
		assert_false(IS_ERR(event[i]));
		ring[i] = map_event(event[i], 1);
	}
	fault();
	switch_to(&other_task);
	perf_task_dead(&user_task, 0);
	perf_task_free(&user_task);
	for (int i = 0; i < 2; i++) {
		expect_no_record(ring[i]);
		close_event(event[i]);
	}
}

static void children_write_into_the_parents_ring(void **state)
{
	struct perf_ring *ring;
	struct perf_event *event = open_inherited(PERF_COUNT_SW_PAGE_FAULTS, 1, &ring);
	u64 own_stream;

	fork_other();
	expect_record(ring, &record, PERF_RECORD_FORK, 3);
	fault();
	expect_record(ring, &record, PERF_RECORD_SAMPLE, 3);
	own_stream = record.word[2];
	switch_to(&other_task);
	fault();
	expect_record(ring, &record, PERF_RECORD_SAMPLE, 3);
	assert_int_equal(second_half(record.word[0]), other_task.tid);
	assert_int_equal(record.word[1], perf_event_id(event));
	assert_int_not_equal(record.word[2], own_stream);
	close_event(event);
}

/* A child's losses are its parent's to tell. */
static void children_lose_samples_too(void **state)
{
	struct perf_ring *ring;
	struct perf_event *event = open_inherited(PERF_COUNT_SW_PAGE_FAULTS, 1, &ring);
	u64 words[PERF_READ_WORDS_MAX];

	fork_other();
	switch_to(&other_task);
	for (int i = 0; i < 200; i++)
		fault();
	perf_event_read_words(event, words);
	assert_true(words[1] > 0);
	assert_int_equal(words[0], count_records(ring, PERF_RECORD_SAMPLE));
	assert_int_equal(words[0] + words[1], 200);
	close_event(event);
}

static void enabling_reaches_children(void **state)
{
	struct perf_event *event = open_inherited(PERF_COUNT_SW_CONTEXT_SWITCHES, 0, NULL);

	perf_event_disable(event);
	fork_other();
	/* Copies begin as their parent is. */
	assert_int_equal(other_task.perf_active, 0);
	switch_to(&other_task);
	perf_event_enable(event);
	switch_to(&user_task);
	assert_int_equal(value_of(event), 1);
	perf_event_disable(event);
	assert_int_equal(other_task.perf_active, 0);
	switch_to(&other_task);
	assert_int_equal(value_of(event), 1);
	close_event(event);
}

static void period_reaches_children(void **state)
{
	struct perf_ring *ring;
	struct perf_event *event = open_inherited(PERF_COUNT_SW_PAGE_FAULTS, 1000, &ring);

	fork_other();
	assert_int_equal(perf_event_set_period(event, 5), 0);
	switch_to(&other_task);
	for (int i = 0; i < 5; i++)
		fault();
	assert_int_equal(count_records(ring, PERF_RECORD_SAMPLE), 1);
	/* Also those forked after it. */
	assert_int_equal(perf_task_fork(&kernel_task), 0);
	switch_to(&kernel_task);
	for (int i = 0; i < 5; i++)
		fault();
	assert_int_equal(count_records(ring, PERF_RECORD_SAMPLE), 1);
	close_event(event);
}

static void only_inherited_events_are_copied(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 0);
	struct perf_event *event = open_event(&attr, &user_task);

	fork_other();
	assert_null(other_task.perf);
	close_event(event);
}

static void closing_takes_copies_along(void **state)
{
	struct perf_event *event = open_inherited(PERF_COUNT_SW_CONTEXT_SWITCHES, 1, NULL);

	fork_other();
	switch_to(&other_task);
	close_event(event);
	assert_int_equal(other_task.perf_active, 0);
	switch_to(&user_task);
}

static void fork_out_of_memory_leaves_nothing(void **state)
{
	struct perf_event *event = open_inherited(PERF_COUNT_SW_PAGE_FAULTS, 0, NULL);
	struct perf_event *second = open_inherited(PERF_COUNT_SW_PAGE_FAULTS, 0, NULL);
	long held = host_allocations;

	for (unsigned n = 1; n <= 3; n++) {
		host_fail_alloc = n;
		assert_int_equal(perf_task_fork(&other_task), -ENOMEM);
		host_fail_alloc = 0;
		assert_null(other_task.perf);
		assert_int_equal(host_allocations, held);
		assert_true(list_empty(&event->children));
	}
	close_event(event);
	close_event(second);
}

static void discarded_child_leaves_nothing(void **state)
{
	struct perf_ring *ring;
	struct perf_event *event = open_inherited(PERF_COUNT_SW_PAGE_FAULTS, 0, &ring);
	long held = host_allocations;

	assert_int_equal(perf_task_fork(&other_task), 0);
	perf_task_discard(&other_task);
	assert_int_equal(host_allocations, held);
	expect_no_record(ring);
	close_event(event);
}

static void exec_enables(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 0);
	struct perf_event *event;

	attr.disabled = attr.enable_on_exec = 1;
	event = open_event(&attr, &user_task);
	fault();
	perf_task_exec();
	fault();
	assert_int_equal(value_of(event), 1);
	/* Once. */
	perf_event_disable(event);
	perf_task_exec();
	fault();
	assert_int_equal(value_of(event), 1);
	close_event(event);
}

/* With inherit_thread a thread of the same process inherits, another process does not. */
static void threads_alone_inherit(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 0);
	static char process[2];
	struct perf_event *event;

	attr.inherit = attr.inherit_thread = 1;
	user_task.process = other_task.process = (struct process *)&process[0];
	kernel_task.process = (struct process *)&process[1];
	event = open_event(&attr, &user_task);
	assert_int_equal(perf_task_fork(&kernel_task), 0);
	assert_null(kernel_task.perf);
	fork_other();
	assert_non_null(other_task.perf);
	switch_to(&other_task);
	fault();
	assert_int_equal(value_of(event), 1);
	close_event(event);
}

/* READ: what the copy of a task that has gone has counted, and that one alone. */
static void children_tell_their_counts(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 0);
	struct perf_event *event;
	struct perf_ring *ring;

	attr.inherit = attr.inherit_stat = attr.sample_id_all = 1;
	attr.sample_type = PERF_SAMPLE_CPU;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_ID;
	event = perf_event_create_kernel_counter(&attr, 0, &user_task, NULL, NULL);
	assert_false(IS_ERR(event));
	ring = map_event(event, 1);
	fault();
	/* One that never ran tells nothing. */
	assert_int_equal(perf_task_fork(&kernel_task), 0);
	perf_task_discard(&kernel_task);
	fork_other();
	switch_to(&other_task);
	fault();
	fault();
	host_clock += 70;
	switch_to(&user_task);
	perf_task_dead(&other_task, 0);
	perf_task_free(&other_task);
	expect_record(ring, &record, PERF_RECORD_READ, 5);
	assert_int_equal(first_half(record.word[0]), other_task.pid);
	assert_int_equal(second_half(record.word[0]), other_task.tid);
	assert_int_equal(record.word[1], 2);
	assert_int_equal(record.word[2], 70);
	assert_int_equal(record.word[3], perf_event_id(event));
	assert_int_equal(record.word[4], 0);
	expect_no_record(ring);
	/* The event itself is read. */
	perf_task_dead(&user_task, 0);
	perf_task_free(&user_task);
	expect_no_record(ring);
	assert_int_equal(value_of(event), 3);
	close_event(event);
}

static void exec_removes(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);
	struct perf_event *event, *stays;
	struct perf_ring *ring;

	stays = open_event(&attr, &user_task);
	attr.remove_on_exec = 1;
	attr.inherit = 1;
	event = perf_event_create_kernel_counter(&attr, 0, &user_task, NULL, NULL);
	ring = map_event(event, 1);
	assert_int_equal(PTR_ERR(perf_event_create_kernel_counter(&attr, 0, NULL, NULL, NULL)),
			 -EINVAL);
	fault();
	fork_other();
	perf_task_before_exec();
	perf_task_exec();
	fault();
	assert_int_equal(value_of(event), 1);
	assert_int_equal(value_of(stays), 2);
	/* Nothing brings it back. */
	perf_event_enable(event);
	fault();
	assert_int_equal(value_of(event), 1);
	/* The child goes on until it becomes another program itself. */
	switch_to(&other_task);
	fault();
	assert_int_equal(value_of(event), 2);
	assert_false(perf_event_hung_up(event));
	host_wakeups = 0;
	perf_task_before_exec();
	assert_true(host_wakeups > 0);
	assert_true(perf_event_hung_up(event));
	fault();
	assert_int_equal(value_of(event), 2);
	assert_int_equal(count_records(ring, PERF_RECORD_SAMPLE), 2);
	close_event(event);
	close_event(stays);
}

/* The sample of the last switch, then EXIT, then silence; and the reader hears of the end. */
static void exit_is_the_last_record(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CONTEXT_SWITCHES, 1);
	struct perf_event *event;
	struct perf_ring *ring;

	attr.task = 1;
	event = open_event(&attr, &user_task);
	ring = map_event(event, 1);
	user_task.state = TASK_DEAD;
	switch_to(&other_task);
	assert_false(perf_event_hung_up(event));
	host_wakeups = 0;
	perf_task_dead(&user_task, 0);
	assert_true(host_wakeups > 0);
	assert_true(perf_event_hung_up(event));
	perf_task_free(&user_task);
	expect_record(ring, &record, PERF_RECORD_SAMPLE, 9);
	expect_record(ring, &record, PERF_RECORD_EXIT, 3);
	expect_no_record(ring);
	assert_int_equal(value_of(event), 1);
	/* What one may still ask of it. */
	perf_event_enable(event);
	perf_event_reset(event);
	assert_int_equal(value_of(event), 0);
	close_event(event);
}

static void reader_waits_for_the_last_child(void **state)
{
	struct perf_ring *ring;
	struct perf_event *event = open_inherited(PERF_COUNT_SW_PAGE_FAULTS, 1, &ring);

	fork_other();
	switch_to(&other_task);
	perf_task_dead(&user_task, 0);
	perf_task_free(&user_task);
	assert_false(perf_event_hung_up(event));
	fault();
	assert_true(count_records(ring, PERF_RECORD_SAMPLE) > 0);
	switch_to(&kernel_task);
	host_wakeups = 0;
	perf_task_dead(&other_task, 0);
	assert_int_equal(host_wakeups, 1);
	assert_true(perf_event_hung_up(event));
	close_event(event);
}

static void ended_tasks_take_no_events(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_DUMMY, 0);
	struct perf_event *event;

	kernel_task.state = TASK_DEAD;
	assert_int_equal(PTR_ERR(perf_event_open_pid(&attr, kernel_task.tid, -1, &root)), -ESRCH);
	event = open_event(&attr, &other_task);
	perf_task_dead(&other_task, 0);
	assert_int_equal(PTR_ERR(perf_event_open_pid(&attr, other_task.tid, -1, &root)), -ESRCH);
	close_event(event);
}

/* A wide event hears of every task's end, in order after that task's last switch. */
static void exit_in_a_cpus_ring(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CONTEXT_SWITCHES, 1);
	struct perf_event *event;
	struct perf_ring *ring;

	attr.task = 1;
	event = open_event(&attr, NULL);
	ring = map_event(event, 1);
	switch_to(&other_task);
	perf_task_dead(&user_task, 0);
	switch_to(&kernel_task);
	expect_record(ring, &record, PERF_RECORD_SAMPLE, 9);
	expect_record(ring, &record, PERF_RECORD_EXIT, 3);
	assert_int_equal(second_half(record.word[1]), 0);
	assert_int_equal(first_half(record.word[1]), user_task.tid);
	expect_record(ring, &record, PERF_RECORD_SAMPLE, 9);
	close_event(event);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(children_add_up),
	    TEST(own_end_is_no_childs),
	    TEST(children_write_into_the_parents_ring),
	    TEST(children_lose_samples_too),
	    TEST(enabling_reaches_children),
	    TEST(period_reaches_children),
	    TEST(only_inherited_events_are_copied),
	    TEST(closing_takes_copies_along),
	    TEST(fork_out_of_memory_leaves_nothing),
	    TEST(discarded_child_leaves_nothing),
	    TEST(threads_alone_inherit),
	    TEST(children_tell_their_counts),
	    TEST(exec_enables),
	    TEST(exec_removes),
	    TEST(exit_is_the_last_record),
	    TEST(reader_waits_for_the_last_child),
	    TEST(ended_tasks_take_no_events),
	    TEST(exit_in_a_cpus_ring),
	};

	return cmocka_run_group_tests_name("perf inheritance", tests, NULL, NULL);
}
