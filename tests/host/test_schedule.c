/* SPDX-License-Identifier: MIT */
/* Groups that compete for counters: one rule at a time. What they come to, test_turns.c tells. */
#include "counting_unit.h"

static struct perf_event *open_on(const struct perf_event_attr *attr, struct task *task,
				  struct perf_event *leader)
{
	struct perf_event *event = try_open(attr, task, task ? -1 : 0, leader);

	assert_false(IS_ERR(event));
	return event;
}

static void units_are_found_by_type(void **state)
{
	struct perf_pmu second = {.type = TYPE}, software = {.type = PERF_TYPE_SOFTWARE};
	struct perf_event_attr attr = counting();

	assert_int_equal(perf_pmu_register(&second), -EEXIST);
	assert_int_equal(perf_pmu_register(&software), -EEXIST);
	attr.config = 1;
	assert_int_equal(PTR_ERR(try_open(&attr, &user_task, -1, NULL)), -ENOENT);
	attr.config = 0;
	attr.type = TYPE + 1;
	assert_int_equal(PTR_ERR(try_open(&attr, &user_task, -1, NULL)), -ENOENT);
}

static void all_or_nothing(void **state)
{
	struct perf_event_attr attr = counting(), software = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 0);
	const struct pt_regs regs = kernel_regs();
	struct perf_event *leader, *second, *third, *fourth, *fault;

	counters = 2;
	leader = open_on(&software, &user_task, NULL);
	fault = open_on(&software, &user_task, leader);
	perf_page_fault(&regs, 0, false);
	second = open_on(&attr, &user_task, leader);
	pass(10);
	expect(second, 10, 10);
	third = open_on(&attr, &user_task, leader);
	perf_page_fault(&regs, 0, false);
	assert_int_equal(value_of(fault), 2);
	/* One too many: nobody of the group counts, of software neither. */
	fourth = open_on(&attr, &user_task, leader);
	pass(10);
	perf_page_fault(&regs, 0, false);
	assert_int_equal(value_of(fault), 2);
	expect(second, 20, 10);
	expect(fourth, 10, 0);
	close_event(fourth);
	pass(10);
	expect(second, 30, 20);
	expect(third, 20, 10);
	/* Without what competes for counters it is a group of software. */
	close_event(third);
	close_event(second);
	perf_page_fault(&regs, 0, false);
	assert_int_equal(value_of(fault), 3);
	close_event(leader);
	perf_page_fault(&regs, 0, false);
	assert_int_equal(value_of(fault), 4);
	close_event(fault);
}

static void flexible_groups_take_turns(void **state)
{
	struct perf_event_attr attr = counting();
	struct perf_event *event[3];

	counters = 1;
	for (int i = 0; i < 3; i++)
		event[i] = open_on(&attr, &user_task, NULL);
	pass(30 * SHARE);
	for (int i = 0; i < 3; i++)
		expect(event[i], 30 * SHARE, 10 * SHARE);
	/* A share is of the task's time, in however short stretches that comes. */
	for (int i = 0; i < 60; i++) {
		pass(SHARE / 4);
		switch_to(&kernel_task);
		pass(SHARE / 3);
		switch_to(&user_task);
	}
	for (int i = 0; i < 3; i++)
		expect(event[i], 45 * SHARE, 15 * SHARE);
	/* When nobody waits there is no timer. */
	close_event(event[0]);
	assert_true(user_task.perf->ctx.turning);
	close_event(event[1]);
	assert_false(user_task.perf->ctx.turning);
	assert_true(list_empty(&user_task.perf->ctx.turn.node));
	close_event(event[2]);
	assert_null(test_cpu.perf->task_ctx);
}

static void pinned_groups_come_first_or_fail(void **state)
{
	struct perf_event_attr attr = counting(), pinned = attr;
	struct perf_event *wide, *flexible, *first, *second;

	counters = 1;
	pinned.pinned = 1;
	wide = open_on(&attr, NULL, NULL);
	flexible = open_on(&attr, &user_task, NULL);
	pass(10);
	first = open_on(&pinned, &user_task, NULL);
	pass(10);
	expect(wide, 20, 10);
	expect(flexible, 20, 0);
	expect(first, 10, 10);
	/* Without the task the CPU has its counter back. */
	switch_to(&kernel_task);
	pass(10);
	expect(wide, 30, 20);
	switch_to(&user_task);
	second = open_on(&pinned, &user_task, NULL);
	assert_true(perf_event_failed(second));
	assert_false(perf_event_failed(first));
	pass(10);
	expect(second, 0, 0);
	expect(first, 20, 20);
	close_event(first);
	/* It has failed until it is enabled. */
	pass(10);
	expect(second, 0, 0);
	perf_event_enable(second);
	assert_false(perf_event_failed(second));
	pass(10);
	expect(second, 10, 10);
	close_event(second);
	close_event(wide);
	close_event(flexible);
}

static void exclusive_groups_are_alone(void **state)
{
	struct perf_event_attr attr = counting(), alone = attr;
	struct perf_event *shy, *other;

	counters = 4;
	alone.exclusive = 1;
	other = open_on(&attr, &user_task, NULL);
	shy = open_on(&alone, &user_task, NULL);
	pass(20 * SHARE);
	expect(other, 20 * SHARE, 10 * SHARE);
	expect(shy, 20 * SHARE, 10 * SHARE);
	close_event(other);
	pass(SHARE);
	expect(shy, 21 * SHARE, 11 * SHARE);
	close_event(shy);
}

/* Copies compete in their own task's time, and all together are one event. */
static void copies_add_up(void **state)
{
	struct perf_event_attr attr = counting();
	struct perf_event *event[2];

	counters = 1;
	attr.inherit = 1;
	event[0] = open_on(&attr, &user_task, NULL);
	event[1] = open_on(&attr, &user_task, NULL);
	assert_int_equal(perf_task_fork(&other_task), 0);
	pass(10 * SHARE);
	switch_to(&other_task);
	pass(10 * SHARE);
	switch_to(&kernel_task);
	perf_task_dead(&other_task, 0);
	perf_task_free(&other_task);
	pass(10 * SHARE);
	expect(event[0], 20 * SHARE, 10 * SHARE);
	expect(event[1], 20 * SHARE, 10 * SHARE);
	close_event(event[0]);
	close_event(event[1]);
}

/*
 * A group comes home from a task that has ended, but is not freed yet (test_swap.c): no task that
 * lives is counted with it.
 */
static void groups_come_home_from_the_dead(void **state)
{
	struct perf_event *leader, *sibling;
	struct perf_event_attr attr = counting();

	counters = 4;
	attr.inherit = 1;
	leader = open_on(&attr, &user_task, NULL);
	other_task.flags = 0;
	assert_int_equal(perf_task_fork(&other_task), 0);
	switch_to(&other_task);
	assert_ptr_equal(leader->ctx, &other_task.perf->ctx);
	switch_to(&kernel_task);
	other_task.state = TASK_DEAD;
	perf_task_dead(&other_task, 0);
	sibling = open_on(&attr, &user_task, leader);
	assert_int_equal(leader->nr_live, 1);
	perf_task_free(&other_task);
	assert_int_equal(leader->nr_live, 1);
	perf_task_dead(&user_task, 0);
	perf_task_free(&user_task);
	assert_int_equal(leader->nr_live, 0);
	assert_int_equal(sibling->nr_live, 0);
	close_event(sibling);
	close_event(leader);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(units_are_found_by_type),        TEST(all_or_nothing),
	    TEST(flexible_groups_take_turns),     TEST(pinned_groups_come_first_or_fail),
	    TEST(exclusive_groups_are_alone),     TEST(copies_add_up),
	    TEST(groups_come_home_from_the_dead),
	};

	return cmocka_run_group_tests_name("perf scheduling", tests, NULL, NULL);
}
