/* SPDX-License-Identifier: MIT */
/* Who may open what, at every level of perf_event_paranoid; and how much memory a user may lock. */
#include "perf_fixture.h"
#include <hotregs/sched.h>

static const struct perf_limits defaults = {2, 516, 100000, 25};

static int set_up(void **state)
{
	perf_limits = defaults;
	return fixture_set_up(state);
}

/* What /proc/sys/kernel/perf_event_paranoid forbids who is not privileged, from a level on. */
enum wish { USER_MODE, KERNEL, PHYSICAL_ADDRESSES, NR_WISHES };
static const struct {
	enum wish wish;
	bool whole_cpu;
	int forbidden_from;
} rows[] = {
    {USER_MODE, false, 3}, {KERNEL, false, 2}, {PHYSICAL_ADDRESSES, false, 2},
    {USER_MODE, true, 1},  {KERNEL, true, 1},  {PHYSICAL_ADDRESSES, true, 1},
};

static struct perf_event_attr attr_for(enum wish wish)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CONTEXT_SWITCHES, 1);

	attr.exclude_kernel = wish != KERNEL;
	if (wish == PHYSICAL_ADDRESSES)
		attr.sample_type |= PERF_SAMPLE_PHYS_ADDR;
	return attr;
}

static void every_level(void **state)
{
	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct perf_event_attr attr = attr_for(rows[i].wish);

		for (int level = -1; level <= 3; level++) {
			bool forbidden = level >= rows[i].forbidden_from;

			perf_limits.paranoid = level;
			assert_int_equal(perf_permission(&attr, rows[i].whole_cpu, false),
					 forbidden ? -EACCES : 0);
			assert_int_equal(perf_permission(&attr, rows[i].whole_cpu, true), 0);
		}
	}
}

/* Only exclude_kernel hides the kernel: not what trims its chain, nor what excludes others. */
static void nothing_else_hides_the_kernel(void **state)
{
	struct perf_event_attr attr = attr_for(KERNEL);

	attr.exclude_callchain_kernel = attr.exclude_hv = attr.exclude_idle = 1;
	assert_int_equal(perf_permission(&attr, false, false), -EACCES);
	attr.sample_period = 0; /* a count too */
	assert_int_equal(perf_permission(&attr, false, false), -EACCES);
	attr.exclude_user = 1;
	assert_int_equal(perf_permission(&attr, false, false), -EACCES);
	attr.exclude_kernel = 1;
	assert_int_equal(perf_permission(&attr, false, false), 0);
}

static const struct task *accessible;

static int may_access(const struct task *task)
{
	return task == accessible ? 0 : -EPERM;
}

/* The whole of an opening: what is wrong with the attr first, then rights, then the target. */
static void opening_asks_in_order(void **state)
{
	const struct perf_user user = {.uid = 7, .may_access = may_access};
	struct perf_event_attr attr = attr_for(USER_MODE);
	struct perf_event *event;

	accessible = NULL;
	event = perf_event_open_pid(&attr, 0, -1, &user); /* oneself is nobody's secret */
	assert_false(IS_ERR(event));
	perf_event_release(event);
	assert_int_equal(PTR_ERR(perf_event_open_pid(&attr, other_task.tid, -1, &user)), -EACCES);
	assert_int_equal(PTR_ERR(perf_event_open_pid(&attr, 9999, -1, &user)), -ESRCH);
	assert_int_equal(PTR_ERR(perf_event_open_pid(&attr, -1, 0, &user)), -EACCES);
	accessible = &other_task;
	event = perf_event_open_pid(&attr, other_task.tid, -1, &user);
	assert_false(IS_ERR(event));
	perf_event_release(event);
	attr.exclude_kernel = 0;
	assert_int_equal(PTR_ERR(perf_event_open_pid(&attr, 9999, -1, &user)), -EACCES);
	attr.type = PERF_TYPE_HARDWARE;
	assert_int_equal(PTR_ERR(perf_event_open_pid(&attr, 0, -1, &user)), -ENOENT);
	/* The privileged one may look at kernel threads too. */
	attr = attr_for(KERNEL);
	event = perf_event_open_pid(&attr, kernel_task.tid, -1, &root);
	assert_false(IS_ERR(event));
	perf_event_release(event);
}

/* Opens on other_task for @user until that is refused; how many there are then. */
static unsigned open_up_to_limit(const struct perf_user *user, struct perf_event **event,
				 unsigned n)
{
	struct perf_event_attr attr = attr_for(USER_MODE);

	attr.inherit = 1;
	for (; n <= PERF_EVENTS_MAX; n++) {
		event[n] = perf_event_open_pid(&attr, other_task.tid, -1, user);
		if (IS_ERR(event[n]))
			break;
	}
	assert_int_equal(PTR_ERR(event[n]), -ENOSPC);
	return n;
}

/* The privileged user finds room where others have taken theirs, and ends at a limit too. */
static void events_of_a_task_have_a_limit(void **state)
{
	const struct perf_user user = {.uid = 7, .may_access = may_access};
	struct perf_event *event[PERF_EVENTS_MAX + 1];
	unsigned n;

	accessible = &other_task;
	n = open_up_to_limit(&user, event, 0);
	assert_int_equal(n, PERF_EVENTS_MAX_USER);
	perf_event_release(event[--n]);
	n = open_up_to_limit(&user, event, n);
	assert_int_equal(n, PERF_EVENTS_MAX_USER);
	n = open_up_to_limit(&root, event, n);
	assert_int_equal(n, PERF_EVENTS_MAX);
	/* A child is forked all the same, and has as many. */
	switch_to(&other_task);
	assert_int_equal(perf_task_fork(&kernel_task), 0);
	assert_int_equal(kernel_task.perf->ctx.nr_events, PERF_EVENTS_MAX);
	perf_task_dead(&kernel_task, 0);
	perf_task_free(&kernel_task);
	switch_to(&user_task);
	while (n)
		perf_event_release(event[--n]);
	assert_int_equal(other_task.perf->ctx.nr_events, 0);
}

static void events_of_a_cpu_have_a_limit(void **state)
{
	struct perf_event_attr attr = attr_for(USER_MODE);
	struct perf_event *event[PERF_EVENTS_MAX];

	for (unsigned i = 0; i < PERF_EVENTS_MAX; i++) {
		event[i] = perf_event_open_pid(&attr, -1, 0, &root);
		assert_false(IS_ERR(event[i]));
	}
	assert_int_equal(PTR_ERR(perf_event_open_pid(&attr, -1, 0, &root)), -ENOSPC);
	for (unsigned i = 0; i < PERF_EVENTS_MAX; i++)
		perf_event_release(event[i]);
}

static void sample_rate_has_a_limit(void **state)
{
	struct perf_event_attr attr = attr_for(KERNEL);

	attr.freq = 1;
	attr.sample_freq = 5000;
	assert_int_equal(perf_attr_check(&attr), 0);
	perf_limits.max_sample_rate = 4999;
	assert_int_equal(perf_attr_check(&attr), -EINVAL);
	attr.sample_freq = 4999;
	assert_int_equal(perf_attr_check(&attr), 0);
}

/* --- Memory --- */

#define NR_EVENTS 4
static struct perf_event *events[NR_EVENTS];

static void open_events(void)
{
	struct perf_event_attr attr = attr_for(USER_MODE);

	for (int i = 0; i < NR_EVENTS; i++)
		events[i] = open_event(&attr, &user_task);
}

static void close_events(void)
{
	for (int i = 0; i < NR_EVENTS; i++)
		close_event(events[i]);
}

static int map_as(int i, size_t pages, const struct perf_user *user)
{
	struct perf_ring *ring;

	return perf_event_mmap(events[i], pages, false, user, &ring);
}

static void a_user_has_a_quota(void **state)
{
	const struct perf_user user = {.uid = 7}, other = {.uid = 8};

	open_events();
	perf_limits.mlock_kb = 9 * PAGE_SIZE / 1024;
	assert_int_equal(map_as(0, 3, &user), -EINVAL);
	assert_int_equal(map_as(0, 16, &user), -EPERM);
	assert_int_equal(map_as(0, 1UL << 40, &user), -EPERM);
	assert_int_equal(map_as(0, 4, &user), 0); /* 5 of 9 pages */
	assert_int_equal(map_as(1, 4, &user), -EPERM);
	assert_int_equal(map_as(1, 2, &user), 0); /* 8 */
	assert_int_equal(map_as(2, 1, &user), -EPERM);
	assert_int_equal(map_as(2, 0, &user), 0); /* 9 */
	assert_int_equal(map_as(3, 0, &user), -EPERM);
	/* What is mapped already costs nothing more. */
	assert_int_equal(map_as(0, 4, &user), 0);
	/* Others have their own, and the privileged one has none. */
	assert_int_equal(map_as(3, 8, &other), 0);
	perf_event_munmap(events[3]);
	assert_int_equal(map_as(3, 64, &root), 0);
	perf_event_munmap(events[3]);
	/* It comes back with the last mapping. */
	perf_event_munmap(events[1]);
	assert_int_equal(map_as(3, 2, &user), 0);
	perf_event_munmap(events[0]);
	assert_int_equal(map_as(1, 4, &user), -EPERM);
	perf_event_munmap(events[0]);
	assert_int_equal(map_as(1, 4, &user), 0);
	close_events();
}

/* Level -1 lifts it; what was locked meanwhile counts when it is back. */
static void level_minus_one_has_no_quota(void **state)
{
	const struct perf_user user = {.uid = 7};

	open_events();
	perf_limits.mlock_kb = PAGE_SIZE / 1024;
	assert_int_equal(map_as(0, 2, &user), -EPERM);
	perf_limits.paranoid = -1;
	assert_int_equal(map_as(0, 2, &user), 0);
	perf_limits.paranoid = 0;
	assert_int_equal(map_as(1, 0, &user), -EPERM);
	perf_event_munmap(events[0]);
	assert_int_equal(map_as(1, 0, &user), 0);
	close_events();
}

/* As much for each CPU. */
static void quota_grows_with_cpus(void **state)
{
	const struct perf_user user = {.uid = 7};

	open_events();
	nr_cpus = 2;
	perf_limits.mlock_kb = 4 * PAGE_SIZE / 1024;
	assert_int_equal(map_as(0, 4, &user), 0);
	assert_int_equal(map_as(1, 2, &user), 0);
	assert_int_equal(map_as(2, 0, &user), -EPERM);
	nr_cpus = 1;
	close_events();
}

static void failed_rings_cost_nothing(void **state)
{
	const struct perf_user user = {.uid = 7};

	open_events();
	perf_limits.mlock_kb = 3 * PAGE_SIZE / 1024;
	for (unsigned n = 1; n <= 3; n++) {
		host_fail_alloc = n;
		assert_int_equal(map_as(0, 2, &user), -ENOMEM);
		host_fail_alloc = 0;
	}
	assert_int_equal(map_as(0, 2, &user), 0);
	close_events();
}

#define TEST_OF(f) cmocka_unit_test_setup_teardown(f, set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST_OF(every_level),
	    TEST_OF(nothing_else_hides_the_kernel),
	    TEST_OF(opening_asks_in_order),
	    TEST_OF(events_of_a_task_have_a_limit),
	    TEST_OF(events_of_a_cpu_have_a_limit),
	    TEST_OF(sample_rate_has_a_limit),
	    TEST_OF(a_user_has_a_quota),
	    TEST_OF(level_minus_one_has_no_quota),
	    TEST_OF(quota_grows_with_cpus),
	    TEST_OF(failed_rings_cost_nothing),
	};

	return cmocka_run_group_tests_name("perf permission", tests, NULL, NULL);
}
