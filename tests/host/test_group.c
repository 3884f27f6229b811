/* SPDX-License-Identifier: MIT */
/* Groups of events that all have room: who may be in one, what is enabled and read together. */
#include "perf_fixture.h"
#include <hotregs/mm.h>

static struct record record;

static void fault(void)
{
	const struct pt_regs regs = kernel_regs();

	perf_page_fault(&regs, 0x1000, false);
}

static struct perf_event *try_open(const struct perf_event_attr *attr, struct task *task, int cpu,
				   struct perf_event *leader)
{
	return perf_event_open_group(attr, task ? task->tid : -1, cpu, leader, &root);
}

static struct perf_event *open_member(u64 config, bool disabled, struct perf_event *leader)
{
	struct perf_event_attr attr = attr_of(config, 0);
	struct perf_event *event;

	attr.disabled = disabled;
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED |
			   PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_ID;
	event = try_open(&attr, &user_task, -1, leader);
	assert_false(IS_ERR(event));
	return event;
}

/* --- Who may be in one --- */

static void expect_refused(const struct perf_event_attr *attr, struct task *task, int cpu,
			   struct perf_event *leader)
{
	long held = host_allocations;

	assert_int_equal(PTR_ERR(try_open(attr, task, cpu, leader)), -EINVAL);
	assert_int_equal(host_allocations, held);
	assert_int_equal(leader->nr_siblings, 0);
}

static void members_are_of_one_context(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_DUMMY, 0);
	struct perf_event *leader = open_event(&attr, &user_task), *bound, *wide, *other;

	other = open_event(&attr, &other_task);
	bound = try_open(&attr, &user_task, 0, NULL);
	wide = open_event(&attr, NULL);
	expect_refused(&attr, &other_task, -1, leader);
	expect_refused(&attr, &user_task, 0, leader);
	expect_refused(&attr, &user_task, -1, bound);
	expect_refused(&attr, NULL, 0, leader);
	expect_refused(&attr, &user_task, 0, wide);
	close_event(wide);
	close_event(bound);
	close_event(other);
	close_event(leader);
}

static void members_agree(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_DUMMY, 0), other = attr;
	struct perf_event *leader = open_event(&attr, &user_task);

	other.inherit = 1;
	expect_refused(&other, &user_task, -1, leader);
	other = attr;
	other.pinned = 1;
	expect_refused(&other, &user_task, -1, leader);
	other = attr;
	other.exclusive = 1;
	expect_refused(&other, &user_task, -1, leader);
	other = attr;
	other.use_clockid = 1;
	other.clockid = PERF_CLOCKID_MONOTONIC;
	expect_refused(&other, &user_task, -1, leader);
	close_event(leader);
}

static void siblings_lead_nobody(void **state)
{
	struct perf_event *leader = open_member(PERF_COUNT_SW_DUMMY, false, NULL);
	struct perf_event *sibling = open_member(PERF_COUNT_SW_DUMMY, false, leader);
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_DUMMY, 0);

	expect_refused(&attr, &user_task, -1, sibling);
	/* Nor do leaders whose task has ended. */
	perf_task_dead(&user_task, 0);
	perf_task_free(&user_task);
	assert_int_equal(PTR_ERR(try_open(&attr, &other_task, -1, leader)), -EINVAL);
	close_event(leader);
	close_event(sibling);
}

/* --- What counts when --- */

/* A sibling counts when it and its leader are enabled, in whichever order that happens. */
static void siblings_follow_their_leader(void **state)
{
	struct perf_event *leader = open_member(PERF_COUNT_SW_PAGE_FAULTS, true, NULL);
	struct perf_event *sibling = open_member(PERF_COUNT_SW_PAGE_FAULTS, false, leader);
	struct perf_event *last = open_member(PERF_COUNT_SW_PAGE_FAULTS, true, leader);
	u64 enabled, running;

	fault();
	host_clock += 100;
	assert_int_equal(value_of(sibling), 0);
	perf_event_enable(leader);
	fault();
	host_clock += 100;
	perf_event_enable(last);
	fault();
	host_clock += 100;
	perf_event_disable(sibling);
	fault();
	host_clock += 100;
	perf_event_disable(leader);
	perf_event_enable(sibling);
	fault();
	host_clock += 100;
	assert_int_equal(perf_event_read(leader, &enabled, &running), 3);
	assert_int_equal(enabled, 300);
	assert_int_equal(running, 300);
	assert_int_equal(perf_event_read(sibling, &enabled, &running), 2);
	assert_int_equal(enabled, 200);
	assert_int_equal(running, 200);
	assert_int_equal(perf_event_read(last, &enabled, &running), 2);
	assert_int_equal(enabled, 200);
	assert_int_equal(user_task.perf_active, 0);
	close_event(sibling);
	close_event(last);
	close_event(leader);
}

/* An event may lack its leader, which leaves it to itself. */
static void closing_the_leader_sets_siblings_free(void **state)
{
	struct perf_event *leader = open_member(PERF_COUNT_SW_PAGE_FAULTS, true, NULL);
	struct perf_event *sibling = open_member(PERF_COUNT_SW_PAGE_FAULTS, false, leader);
	struct perf_event *idle = open_member(PERF_COUNT_SW_PAGE_FAULTS, true, leader);
	struct perf_event *second;

	fault();
	close_event(leader);
	fault();
	assert_int_equal(value_of(sibling), 1);
	assert_int_equal(value_of(idle), 0);
	/* It may lead others now. */
	second = open_member(PERF_COUNT_SW_PAGE_FAULTS, false, sibling);
	fault();
	assert_int_equal(value_of(second), 1);
	assert_int_equal(value_of(sibling), 2);
	close_event(second);
	fault();
	assert_int_equal(value_of(sibling), 3);
	close_event(sibling);
	close_event(idle);
}

static void requests_reach_the_group(void **state)
{
	struct perf_event *leader = open_member(PERF_COUNT_SW_PAGE_FAULTS, true, NULL);
	struct perf_event *sibling = open_member(PERF_COUNT_SW_PAGE_FAULTS, true, leader);

	/* Also when they are asked of a sibling. */
	perf_group_enable(sibling);
	fault();
	assert_int_equal(value_of(leader), 1);
	assert_int_equal(value_of(sibling), 1);
	perf_event_reset(leader);
	assert_int_equal(value_of(leader), 0);
	assert_int_equal(value_of(sibling), 1);
	perf_group_reset(leader);
	assert_int_equal(value_of(sibling), 0);
	perf_group_disable(leader);
	assert_false(sibling->enabled);
	fault();
	assert_int_equal(value_of(sibling), 0);
	close_event(sibling);
	close_event(leader);
}

static void a_program_starts_the_group(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 0);
	struct perf_event *leader, *sibling;

	attr.disabled = attr.enable_on_exec = 1;
	leader = open_event(&attr, &user_task);
	sibling = open_member(PERF_COUNT_SW_PAGE_FAULTS, false, leader);
	fault();
	perf_task_exec();
	fault();
	assert_int_equal(value_of(leader), 1);
	assert_int_equal(value_of(sibling), 1);
	close_event(leader);
	close_event(sibling);
}

/* --- Reading --- */

static void read_group(struct perf_event *event, const u64 *expected, int n)
{
	u64 *words;

	assert_int_equal(perf_event_read_group(event, &words), n);
	for (int i = 0; i < n; i++)
		assert_int_equal(words[i], expected[i]);
	kfree(words);
}

static void the_group_is_read_at_once(void **state)
{
	struct perf_event *leader = open_member(PERF_COUNT_SW_PAGE_FAULTS, false, NULL);
	struct perf_event *clock = open_member(PERF_COUNT_SW_TASK_CLOCK, false, leader);
	struct perf_event *third = open_member(PERF_COUNT_SW_CONTEXT_SWITCHES, false, leader);
	u64 expected[] = {3, 1000, 1000, 2, leader->id, 1000, clock->id, 1, third->id};

	fault();
	fault();
	host_clock += 1000;
	switch_to(&kernel_task);
	host_clock += 500;
	read_group(leader, expected, 9);
	/* Whoever of it is asked. */
	read_group(third, expected, 9);
	close_event(clock);
	expected[0] = 2;
	expected[5] = 1;
	expected[6] = third->id;
	read_group(leader, expected, 7);
	/* Also what is left of it when its task has gone. */
	perf_task_dead(&user_task, 0);
	perf_task_free(&user_task);
	read_group(third, expected, 7);
	close_event(leader);
	expected[0] = expected[3] = 1;
	expected[4] = third->id;
	read_group(third, expected, 5);
	close_event(third);
}

static void every_format(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 0);

	for (u64 rest = 0; rest < PERF_FORMAT_MAX; rest++) {
		struct perf_event *leader, *sibling;
		u64 *words;
		int n = 0;

		attr.read_format = rest | PERF_FORMAT_GROUP;
		leader = open_event(&attr, &user_task);
		sibling = try_open(&attr, &user_task, -1, leader);
		fault();
		host_clock += 7;
		assert_int_equal(
		    perf_event_read_group(leader, &words),
		    1 + !!(rest & PERF_FORMAT_TOTAL_TIME_ENABLED) +
			!!(rest & PERF_FORMAT_TOTAL_TIME_RUNNING) +
			2 * (1 + !!(rest & PERF_FORMAT_ID) + !!(rest & PERF_FORMAT_LOST)));
		assert_int_equal(words[n++], 2);
		if (rest & PERF_FORMAT_TOTAL_TIME_ENABLED)
			assert_int_equal(words[n++], 7);
		if (rest & PERF_FORMAT_TOTAL_TIME_RUNNING)
			assert_int_equal(words[n++], 7);
		for (int i = 0; i < 2; i++) {
			assert_int_equal(words[n++], 1);
			if (rest & PERF_FORMAT_ID)
				assert_int_equal(words[n++], (i ? sibling : leader)->id);
			if (rest & PERF_FORMAT_LOST)
				assert_int_equal(words[n++], 0);
		}
		kfree(words);
		close_event(sibling);
		close_event(leader);
	}
}

static void no_memory_to_read(void **state)
{
	struct perf_event *leader = open_member(PERF_COUNT_SW_DUMMY, false, NULL);
	u64 *words;

	host_fail_alloc = 1;
	assert_int_equal(perf_event_read_group(leader, &words), -ENOMEM);
	host_fail_alloc = 0;
	close_event(leader);
}

/* PERF_SAMPLE_READ: what read() would return, between period and chain. */
static void samples_read_the_group(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 2);
	struct perf_event *leader, *sibling;
	struct perf_ring *ring;

	attr.sample_type = PERF_SAMPLE_PERIOD | PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN;
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED;
	leader = open_event(&attr, &user_task);
	sibling = open_member(PERF_COUNT_SW_TASK_CLOCK, false, leader);
	ring = map_event(leader, 1);
	host_clock += 50;
	fault();
	fault();
	expect_record(ring, &record, PERF_RECORD_SAMPLE, 1 + 6 + 1 + 7);
	assert_int_equal(record.word[0], 2);
	assert_int_equal(record.word[1], 2);
	assert_int_equal(record.word[2], 50);
	assert_int_equal(record.word[3], 2);
	assert_int_equal(record.word[4], leader->id);
	assert_int_equal(record.word[5], 50);
	assert_int_equal(record.word[6], sibling->id);
	assert_int_equal(record.word[7], 7);
	assert_int_equal(record.word[8], PERF_CONTEXT_KERNEL);
	close_event(sibling);
	close_event(leader);
}

static void samples_read_one_event(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);
	struct perf_event *event;
	struct perf_ring *ring;

	attr.sample_type = PERF_SAMPLE_READ;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			   PERF_FORMAT_ID | PERF_FORMAT_LOST;
	event = open_event(&attr, &user_task);
	ring = map_event(event, 1);
	host_clock += 9;
	fault();
	expect_record(ring, &record, PERF_RECORD_SAMPLE, 5);
	assert_int_equal(record.word[0], 1);
	assert_int_equal(record.word[1], 9);
	assert_int_equal(record.word[2], 9);
	assert_int_equal(record.word[3], event->id);
	assert_int_equal(record.word[4], 0);
	close_event(event);
}

/* Opened in either order, and told by either: a sample tells its own strike of all who count it. */
static void samples_tell_one_strike(void **state)
{
	static const u64 configs[] = {PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_CONTEXT_SWITCHES};

	for (unsigned i = 0; i < 4; i++) {
		u64 config = configs[i / 2];
		struct perf_event_attr attr = attr_of(config, i % 2 ? 0 : 1);
		struct perf_event *leader, *sibling;
		struct perf_ring *ring;

		attr.sample_type = PERF_SAMPLE_READ;
		attr.read_format = PERF_FORMAT_GROUP;
		leader = open_event(&attr, &user_task);
		attr.sample_period = !attr.sample_period;
		sibling = try_open(&attr, &user_task, -1, leader);
		ring = map_event(leader->sampling ? leader : sibling, 1);
		for (u64 n = 1; n <= 3; n++) {
			if (config == PERF_COUNT_SW_PAGE_FAULTS)
				fault();
			else
				switch_to(&other_task);
			switch_to(&user_task);
			expect_record(ring, &record, PERF_RECORD_SAMPLE, 3);
			assert_int_equal(record.word[0], 2);
			assert_int_equal(record.word[1], n);
			assert_int_equal(record.word[2], n);
		}
		close_event(sibling);
		close_event(leader);
	}
}

/* --- Copies --- */

static void copies_are_groups_too(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 0);
	struct perf_event *leader, *sibling, *copy;
	long held = host_allocations;

	attr.inherit = 1;
	attr.disabled = 1;
	attr.read_format = PERF_FORMAT_GROUP | PERF_FORMAT_TOTAL_TIME_ENABLED;
	leader = open_event(&attr, &user_task);
	attr.disabled = 0;
	sibling = try_open(&attr, &user_task, -1, leader);
	held = host_allocations;
	for (unsigned n = 1; n <= 3; n++) {
		host_fail_alloc = n;
		assert_int_equal(perf_task_fork(&other_task), -ENOMEM);
		host_fail_alloc = 0;
		assert_int_equal(host_allocations, held);
	}
	assert_int_equal(perf_task_fork(&other_task), 0);
	copy = list_first(&leader->children, struct perf_event, child_node);
	assert_ptr_equal(list_first(&sibling->children, struct perf_event, child_node)->leader,
			 copy);
	switch_to(&other_task);
	fault();
	assert_int_equal(value_of(sibling), 0);
	perf_event_enable(leader);
	fault();
	host_clock += 60;
	switch_to(&user_task);
	fault();
	host_clock += 5;
	read_group(leader, (u64[]){2, 65, 2, 2}, 4);
	/* What they have counted stays when they go. */
	perf_task_dead(&other_task, 0);
	perf_task_free(&other_task);
	read_group(sibling, (u64[]){2, 65, 2, 2}, 4);
	perf_group_reset(leader);
	read_group(sibling, (u64[]){2, 65, 0, 0}, 4);
	close_event(leader);
	close_event(sibling);
}

/* A sibling that came after the fork is in the parent's group alone; one that goes, goes
 * everywhere.
 */
static void groups_change_after_a_fork(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 0);
	struct perf_event *leader, *first, *second;

	attr.inherit = 1;
	attr.read_format = PERF_FORMAT_GROUP;
	leader = open_event(&attr, &user_task);
	first = try_open(&attr, &user_task, -1, leader);
	assert_int_equal(perf_task_fork(&other_task), 0);
	second = try_open(&attr, &user_task, -1, leader);
	fault();
	switch_to(&other_task);
	fault();
	read_group(leader, (u64[]){3, 2, 2, 1}, 4);
	close_event(first);
	fault();
	read_group(leader, (u64[]){2, 3, 1}, 3);
	/* Those that the leader leaves count on, here and there. */
	close_event(leader);
	fault();
	read_group(second, (u64[]){1, 1}, 2);
	close_event(second);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(members_are_of_one_context),
	    TEST(members_agree),
	    TEST(siblings_lead_nobody),
	    TEST(siblings_follow_their_leader),
	    TEST(closing_the_leader_sets_siblings_free),
	    TEST(requests_reach_the_group),
	    TEST(a_program_starts_the_group),
	    TEST(the_group_is_read_at_once),
	    TEST(every_format),
	    TEST(no_memory_to_read),
	    TEST(samples_read_the_group),
	    TEST(samples_read_one_event),
	    TEST(samples_tell_one_strike),
	    TEST(copies_are_groups_too),
	    TEST(groups_change_after_a_fork),
	};

	return cmocka_run_group_tests_name("perf groups", tests, NULL, NULL);
}
