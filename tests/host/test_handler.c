/* SPDX-License-Identifier: MIT */
/* Handlers of kernel code's own: the context they are given, and what they do to their event. */
#include "perf_fixture.h"

struct calls {
	int n, last;                           /* so often called; what is done in the last */
	void (*act)(struct perf_event *event); /* does it */
	int result;
};

static void fault(void)
{
	const struct pt_regs regs = kernel_regs();

	perf_page_fault(&regs, 0x1000, false);
}

static void handler(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct calls *calls = perf_event_context(event);

	if (++calls->n == calls->last)
		calls->act(event);
}

static void release(struct perf_event *event)
{
	struct calls *calls = perf_event_context(event);

	calls->result = perf_event_release_self(event);
}

static struct perf_event *open_handled(u64 config, struct task *task, struct calls *calls)
{
	struct perf_event_attr attr = attr_of(config, 1);
	struct perf_event *event;

	event = perf_event_create_kernel_counter(&attr, task ? -1 : 0, task, handler, calls);
	assert_false(IS_ERR(event));
	return event;
}

static void disables_itself(void **state)
{
	struct calls calls = {.last = 3, .act = perf_event_disable_self};
	struct perf_event *event = open_handled(PERF_COUNT_SW_PAGE_FAULTS, &user_task, &calls);
	u64 enabled;

	for (int i = 0; i < 5; i++)
		fault();
	assert_int_equal(calls.n, 3);
	host_run_irq_work();
	host_clock += 100;
	assert_int_equal(perf_event_read(event, &enabled, NULL), 3);
	assert_int_equal(enabled, 0);
	assert_int_equal(user_task.perf_active, 0);
	/* It may go on. */
	perf_event_enable(event);
	fault();
	assert_int_equal(calls.n, 4);
	close_event(event);
}

/* In the middle of a walk of its context's events, with the run queue's lock held. */
static void disables_itself_at_a_switch(void **state)
{
	struct calls calls = {.last = 1, .act = perf_event_disable_self}, others = {};
	struct perf_event *event = open_handled(PERF_COUNT_SW_CONTEXT_SWITCHES, &user_task, &calls);
	struct perf_event *other =
	    open_handled(PERF_COUNT_SW_CONTEXT_SWITCHES, &user_task, &others);

	switch_to(&other_task);
	host_run_irq_work();
	switch_to(&user_task);
	switch_to(&other_task);
	assert_int_equal(calls.n, 1);
	assert_int_equal(others.n, 2);
	assert_int_equal(value_of(event), 1);
	close_event(event);
	close_event(other);
}

static void releases_itself(void **state)
{
	struct calls calls = {.last = 2, .act = release}, others = {};
	struct perf_event *other;

	open_handled(PERF_COUNT_SW_PAGE_FAULTS, &user_task, &calls);
	open_handled(PERF_COUNT_SW_PAGE_FAULTS, NULL, &calls);
	fault(); /* the second call */
	fault();
	fault();
	assert_int_equal(calls.result, 0);
	/* One of them, the CPU's, has gone. */
	assert_int_equal(calls.n, 4);
	calls.last = 5;
	fault();
	fault();
	assert_int_equal(calls.n, 5);
	host_run_irq_work();
	assert_int_equal(test_cpu.perf->ctx.nr_events, 1);
	/* Who opens the next one frees them. */
	other = open_handled(PERF_COUNT_SW_PAGE_FAULTS, &user_task, &others);
	assert_int_equal(test_cpu.perf->ctx.nr_events, 0);
	assert_int_equal(user_task.perf->ctx.nr_events, 1);
	close_event(other);
}

static void releases_itself_and_the_task_ends(void **state)
{
	struct calls calls = {.last = 1, .act = release};

	open_handled(PERF_COUNT_SW_CONTEXT_SWITCHES, &user_task, &calls);
	switch_to(&other_task);
	host_run_irq_work();
	assert_int_equal(calls.n, 1);
	perf_task_dead(&user_task, 0);
	perf_task_free(&user_task);
}

static void inherited_ones_do_not_release_themselves(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_PAGE_FAULTS, 1);
	struct calls calls = {.last = 1, .act = release};
	struct perf_event *event;

	attr.inherit = 1;
	event = perf_event_create_kernel_counter(&attr, -1, &user_task, handler, &calls);
	assert_false(IS_ERR(event));
	fault();
	fault();
	assert_int_equal(calls.result, -EINVAL);
	assert_int_equal(calls.n, 2);
	close_event(event);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, fixture_set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(disables_itself),
	    TEST(disables_itself_at_a_switch),
	    TEST(releases_itself),
	    TEST(releases_itself_and_the_task_ends),
	    TEST(inherited_ones_do_not_release_themselves),
	};

	return cmocka_run_group_tests_name("perf handlers", tests, NULL, NULL);
}
