/* SPDX-License-Identifier: MIT */
/* What others, on another processor or before an interrupt comes, do in the middle of a request. */
#include "perf_fixture.h"
#include <hotregs/wait.h>

/* Called once while the next mutex is waited for. */
static void (*meanwhile)(void);
static unsigned nr_locked;

void mutex_lock(struct mutex *m)
{
	void (*others)(void) = meanwhile;

	meanwhile = NULL;
	if (others)
		others();
	assert_int_equal(m->owner, 0);
	m->owner = (unsigned long)host_current;
	nr_locked++;
}

static void fault(void)
{
	const struct pt_regs regs = kernel_regs();

	perf_page_fault(&regs, 0x1000, false);
}

static struct perf_event *leader;

static void close_leader(void)
{
	close_event(leader);
}

/* Then it is alone, and its group is what it was asked for. */
static void a_leader_is_closed_while_its_group_is_enabled(void **state)
{
	static void (*const change[])(struct perf_event *) = {perf_group_enable, perf_group_disable,
							      perf_group_reset};
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 0);
	struct perf_event *sibling;

	for (int i = 0; i < 3; i++) {
		attr.disabled = i == 0;
		leader = perf_event_open_group(&attr, 0, -1, NULL, &root);
		sibling = perf_event_open_group(&attr, 0, -1, leader, &root);
		assert_false(IS_ERR(leader) || IS_ERR(sibling));
		fault();
		meanwhile = close_leader;
		change[i](sibling);
		fault();
		assert_int_equal(value_of(sibling), 1);
		close_event(sibling);
	}
}

static void disable_self(struct perf_event *event, struct perf_sample_data *data,
			 struct pt_regs *regs)
{
	if (host_current != &user_task)
		perf_event_disable_self(event);
}

/* A copy that its handler has disabled goes with its task, or its owner, before the interrupt. */
static void a_copy_is_freed_after_its_interrupt(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);
	struct perf_event *event;

	attr.inherit = 1;
	for (int closed = 0; closed < 2; closed++) {
		event = perf_event_create_kernel_counter(&attr, -1, &user_task, disable_self, NULL);
		assert_false(IS_ERR(event));
		assert_int_equal(perf_task_fork(&other_task), 0);
		host_run_as(host_cpu, &other_task);
		fault();
		host_run_as(host_cpu, &user_task);
		if (closed)
			perf_event_release(event);
		perf_task_dead(&other_task, 0);
		perf_task_free(&other_task);
		if (!closed) {
			assert_int_equal(value_of(event), 1);
			perf_event_release(event);
		}
		host_run_irq_work();
	}
}

static void disable_before_limit(bool hooked)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);
	struct perf_event *event;
	u64 enabled;

	attr.disabled = 1;
	event = open_event(&attr, &user_task);
	assert_int_equal(perf_event_refresh(event, 1), 0);
	host_clock += 10;
	fault();
	perf_event_disable(event);
	host_run_irq_work();
	assert_int_equal(user_task.perf_active, hooked ? SWITCH_HOOKED : 0);
	/* Nobody looks while it runs on; it is enabled when it does not. */
	host_clock += 200;
	switch_to(&other_task);
	host_clock += 3000;
	perf_event_enable(event);
	host_clock += 40000;
	switch_to(&user_task);
	host_clock += 500000;
	perf_event_read(event, &enabled, NULL);
	assert_int_equal(enabled, 500010);
	close_event(event);
}

/* An event that has had its last sample is disabled before the interrupt that was to do so;
 * switches of its task may be hooked for something else. */
static void disabled_before_its_limit_does_it(void **state)
{
	for (int hooked = 0; hooked < 2; hooked++) {
		sched_hook_switches(&user_task, hooked);
		disable_before_limit(hooked);
	}
	sched_hook_switches(&user_task, false);
}

/* An event whose task has ended may be paused, and the ring gone by then. */
static unsigned long irqs_off;

void perf_ring_pause(struct perf_ring *ring, bool pause)
{
	irqs_off = host_irqs_off;
}

/* The ring is not freed meanwhile, wherever it is paused. */
static void a_ring_is_paused_with_interrupts_off(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);
	struct perf_event *event = open_event(&attr, &user_task);

	map_event(event, 1);
	for (int ended = 0; ended < 2; ended++) {
		irqs_off = 0;
		assert_int_equal(perf_event_pause_output(event, true), 0);
		assert_int_equal(irqs_off, 1);
		if (!ended) {
			perf_task_dead(&user_task, 0);
			perf_task_free(&user_task);
		}
	}
	close_event(event);
	assert_int_equal(host_irqs_off, 0);
}

/* --- Who waits for whom --- */

static struct perf_event *open_own(bool inherit, struct perf_event *leader)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);
	struct perf_event *event;

	attr.inherit = inherit;
	nr_locked = 0;
	event = perf_event_open_group(&attr, 0, -1, leader, &root);
	assert_false(IS_ERR(event));
	return event;
}

static void expect_close(struct perf_event *event, bool locks)
{
	nr_locked = 0;
	perf_event_release(event);
	assert_int_equal(nr_locked > 0, locks);
}

/* What a task opens for itself alone and closes is nobody's business, whoever has the mutex. */
static void own_events_wait_for_nobody(void **state)
{
	struct perf_event *first = open_own(false, NULL), *event;

	for (int i = 0; i < 3; i++) {
		event = open_own(false, NULL);
		assert_int_equal(nr_locked, 0);
		fault();
		assert_int_equal(user_task.perf_active != 0, 1);
		expect_close(event, false);
	}
	expect_close(first, true);
	assert_int_equal(user_task.perf_active, 0);
}

/* Where others may come by, they do not do so meanwhile. */
static void events_of_others_too_are_locked(void **state)
{
	struct perf_event *first = open_own(false, NULL), *event, *sibling;

	event = open_own(true, NULL);
	assert_int_equal(nr_locked, 1);
	expect_close(event, true);

	event = open_own(false, NULL);
	sibling = open_own(false, event);
	assert_int_equal(nr_locked, 1);
	expect_close(sibling, true);
	expect_close(event, true);

	event = open_own(false, NULL);
	map_event(event, 1);
	sibling = open_own(false, NULL);
	assert_int_equal(perf_event_set_output(sibling, event), 0);
	expect_close(sibling, true);
	perf_event_munmap(event);
	expect_close(event, true);

	/* Another task closes what has come to it by fork. */
	event = open_own(false, NULL);
	host_run_as(host_cpu, &other_task);
	expect_close(event, true);
	host_run_as(host_cpu, &user_task);
	expect_close(first, true);
}

/* As many as there may be, of one who is not privileged, and again when one has gone. */
static void own_events_have_their_limit(void **state)
{
	const struct perf_user user = {.uid = 1000};
	struct perf_event *event[PERF_EVENTS_MAX_USER];
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 0);

	attr.exclude_kernel = 1;
	for (int i = 0; i < PERF_EVENTS_MAX_USER; i++) {
		event[i] = perf_event_open_pid(&attr, 0, -1, &user);
		assert_false(IS_ERR(event[i]));
	}
	assert_int_equal(PTR_ERR(perf_event_open_pid(&attr, 0, -1, &user)), -ENOSPC);
	perf_event_release(event[1]);
	event[1] = perf_event_open_pid(&attr, 0, -1, &user);
	assert_false(IS_ERR(event[1]));
	for (int i = 0; i < PERF_EVENTS_MAX_USER; i++)
		perf_event_release(event[i]);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(a_leader_is_closed_while_its_group_is_enabled),
	    TEST(a_copy_is_freed_after_its_interrupt),
	    TEST(disabled_before_its_limit_does_it),
	    TEST(a_ring_is_paused_with_interrupts_off),
	    TEST(own_events_wait_for_nobody),
	    TEST(events_of_others_too_are_locked),
	    TEST(own_events_have_their_limit),
	};

	return cmocka_run_group_tests_name("perf meanwhile", tests, NULL, NULL);
}
