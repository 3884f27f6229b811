/* SPDX-License-Identifier: MIT */
/*
 * Groups that compete for counters, on a unit with 1 to 4 of them that count nanoseconds: so what
 * an event has counted is the time for which it ran. A model that knows only the rules works out
 * after every step of a random history who should have run for how long; what it says and what the
 * events say has to be the same to the nanosecond.
 */
#include "perf_fixture.h"
#include <hotregs/mm.h>

#define TYPE  77
#define MS    1000000ULL
#define SHARE (4 * MS)

/* --- The unit --- */

static unsigned counters, used;

static int check(const struct perf_event_attr *attr)
{
	return attr->config ? -ENOENT : 0;
}

static void read_counter(struct perf_event *event)
{
	struct perf_counter *counter = perf_event_counter(event);

	perf_event_count_add(event, host_clock - counter->last);
	counter->last = host_clock;
}

static int add(struct perf_event *event, u64 now)
{
	assert_int_equal(now, host_clock);
	if (used == counters)
		return -ENOSPC;
	used++;
	perf_event_counter(event)->last = now;
	return 0;
}

static void del(struct perf_event *event, u64 now)
{
	assert_true(used > 0);
	used--;
	read_counter(event);
}

static struct perf_pmu unit = {.name = "unit",
			       .type = TYPE,
			       .limited = true,
			       .check = check,
			       .add = add,
			       .del = del,
			       .read = read_counter};

static int set_up(void **state)
{
	static bool known;

	if (!known)
		assert_int_equal(perf_pmu_register(&unit), 0);
	known = true;
	used = 0;
	return fixture_set_up(state);
}

static int tear_down(void **state)
{
	int err = fixture_tear_down(state);

	assert_int_equal(used, 0);
	for (u32 id = 0; id < FIXTURE_CPUS; id++)
		assert_int_equal(unit.cpu[id].groups, 0);
	return err;
}

static struct perf_event_attr counting(void)
{
	struct perf_event_attr attr = attr_of(0, 0);

	attr.type = TYPE;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return attr;
}

static struct perf_event *try_open(const struct perf_event_attr *attr, struct task *task, int cpu,
				   struct perf_event *leader)
{
	return perf_event_open_group(attr, task ? task->tid : -1, cpu, leader, &root);
}

static struct perf_event *open_on(const struct perf_event_attr *attr, struct task *task,
				  struct perf_event *leader)
{
	struct perf_event *event = try_open(attr, task, task ? -1 : 0, leader);

	assert_false(IS_ERR(event));
	return event;
}

static void pass(u64 ns)
{
	struct pt_regs regs = kernel_regs();
	u64 until = host_clock + ns;

	host_run_timers(until, &regs);
	host_clock = until;
}

static void expect(struct perf_event *event, u64 enabled, u64 running)
{
	u64 was_enabled, was_running;

	assert_int_equal(perf_event_read(event, &was_enabled, &was_running), running);
	assert_int_equal(was_enabled, enabled);
	assert_int_equal(was_running, running);
}

/* --- One rule at a time --- */

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

/* --- All of them, against the model --- */

#define GROUPS  8
#define MEMBERS 3
enum { CPU, USER, OTHER, KERNEL, NR_CONTEXTS };

struct member {
	struct perf_event *event; /* NULL: there is none */
	bool counter;             /* it needs one */
	bool enabled;
	u64 time, ran;
};

struct group {
	struct member member[MEMBERS]; /* the first one leads */
	int context;
	bool bound_elsewhere, pinned, exclusive, failed;
	bool queued, runs;
};

static struct {
	struct group group[GROUPS];
	struct group *queue[GROUPS]; /* of all contexts, in the order of their turns */
	int nr_queued;
	int running; /* context of the running task */
	bool waits[NR_CONTEXTS], turning[NR_CONTEXTS];
	u64 turn[NR_CONTEXTS], left[NR_CONTEXTS], armed[NR_CONTEXTS], nr_armed;
} model;

static struct task *task_of(int context)
{
	static struct task *const tasks[] = {NULL, &user_task, &other_task, &kernel_task};

	return tasks[context];
}

static bool is_limited(const struct group *g)
{
	for (int i = 0; i < MEMBERS; i++)
		if (g->member[i].event && g->member[i].counter)
			return true;
	return false;
}

static bool is_on(const struct group *g, int i)
{
	return g->member[i].event && g->member[i].enabled && g->member[0].enabled && !g->failed;
}

static bool is_here(const struct group *g)
{
	return g->context == CPU || g->context == model.running;
}

static void unqueue(struct group *g)
{
	int n = 0;

	for (int i = 0; i < model.nr_queued; i++)
		if (model.queue[i] != g)
			model.queue[n++] = model.queue[i];
	model.nr_queued = n;
	g->queued = false;
}

static void enqueue(struct group *g)
{
	model.queue[model.nr_queued++] = g;
	g->queued = true;
}

/* Who runs, by nothing but the order and what each needs. */
static void choose(void)
{
	unsigned taken = 0, groups = 0;
	bool exclusive = false;

	for (int c = 0; c < NR_CONTEXTS; c++)
		if (c == CPU || c == model.running)
			model.waits[c] = false;
	for (int i = 0; i < GROUPS; i++)
		model.group[i].runs = !is_limited(&model.group[i]);
	for (int level = 0; level < 4; level++) {
		for (int i = 0; i < model.nr_queued; i++) {
			struct group *g = model.queue[i];
			unsigned needs = 0;

			if (g->pinned != (level < 2) || (g->context == CPU) == (level & 1) ||
			    !is_here(g) || g->bound_elsewhere)
				continue;
			for (int k = 0; k < MEMBERS; k++)
				needs += is_on(g, k) && g->member[k].counter;
			if (!exclusive && !(g->exclusive && groups) && taken + needs <= counters) {
				g->runs = true;
				taken += needs;
				groups++;
				exclusive = g->exclusive;
			} else if (g->pinned) {
				g->failed = true;
				unqueue(g);
				i--;
			} else {
				model.waits[g->context] = true;
			}
		}
	}
	for (int c = 0; c < NR_CONTEXTS; c++) {
		if ((c != CPU && c != model.running) || model.turning[c] == model.waits[c])
			continue;
		model.turning[c] = model.waits[c];
		model.turn[c] = host_clock + model.left[c];
		model.armed[c] = ++model.nr_armed;
		model.left[c] = SHARE;
	}
}

/* The group has changed. */
static void changed(struct group *g)
{
	bool on = g->member[0].event && is_limited(g) && is_on(g, 0);

	if (g->queued && !on)
		unqueue(g);
	else if (!g->queued && on)
		enqueue(g);
	choose();
}

static void account(u64 ns)
{
	for (int i = 0; i < GROUPS; i++) {
		struct group *g = &model.group[i];

		for (int k = 0; k < MEMBERS; k++) {
			if (!is_here(g) || !is_on(g, k))
				continue;
			g->member[k].time += ns;
			if (g->runs && !g->bound_elsewhere)
				g->member[k].ran += ns;
		}
	}
}

/* The first of the flexible ones that could run here becomes the last. */
static void rotate(int context)
{
	model.turning[context] = false;
	model.left[context] = SHARE;
	for (int i = 0; i < model.nr_queued; i++) {
		struct group *g = model.queue[i];

		if (g->context == context && !g->pinned && !g->bound_elsewhere) {
			unqueue(g);
			enqueue(g);
			break;
		}
	}
	choose();
}

static void model_pass(u64 from, u64 until)
{
	u64 now = from, end = host_clock;

	for (;;) {
		int next = -1;

		for (int c = 0; c < NR_CONTEXTS; c++)
			if (model.turning[c] && model.turn[c] <= until &&
			    (next < 0 || model.turn[c] < model.turn[next] ||
			     (model.turn[c] == model.turn[next] &&
			      model.armed[c] < model.armed[next])))
				next = c;
		if (next < 0)
			break;
		account(model.turn[next] - now);
		now = model.turn[next];
		host_clock = now;
		rotate(next);
	}
	account(until - now);
	host_clock = end;
}

static void model_switch(int context)
{
	int prev = model.running;

	if (model.turning[prev]) {
		model.left[prev] = MAX(model.turn[prev] - host_clock, 1);
		model.turning[prev] = false;
	}
	model.running = context;
	choose();
}

/* --- Random histories --- */

static u32 seed;

static u32 random_below(u32 n)
{
	seed = seed * 1664525 + 1013904223;
	return (u64)(seed >> 8) * n >> 24;
}

static void make_group(struct group *g)
{
	memset(g, 0, sizeof(*g));
	g->context = random_below(NR_CONTEXTS);
	g->pinned = !random_below(4);
	g->exclusive = !random_below(5);
	g->bound_elsewhere = g->context != CPU && !random_below(6);
}

static void open_random(struct group *g)
{
	struct perf_event_attr attr = counting();
	bool was_limited = is_limited(g);
	struct member *m;
	int cpu, i = 0;

	while (i < MEMBERS && g->member[i].event)
		i++;
	if (i == MEMBERS)
		return;
	if (!i)
		make_group(g);
	m = &g->member[i];
	*m = (struct member){.counter = random_below(4)};
	if (!m->counter) {
		attr.type = PERF_TYPE_SOFTWARE;
		attr.config = PERF_COUNT_SW_TASK_CLOCK;
	}
	attr.disabled = !random_below(4);
	attr.pinned = !i && g->pinned;
	attr.exclusive = !i && g->exclusive;
	cpu = g->context == CPU ? 0 : g->bound_elsewhere ? 1 : -1;
	m->event = try_open(&attr, task_of(g->context), cpu, i ? g->member[0].event : NULL);
	assert_false(IS_ERR(m->event));
	/* With the first one that needs a counter the group begins to compete, still without it. */
	if (i && !was_limited)
		changed(g);
	m->enabled = !attr.disabled;
	changed(g);
}

static void close_random(struct group *g)
{
	int i = MEMBERS - 1;

	while (i >= 0 && !g->member[i].event)
		i--;
	if (i < 0)
		return;
	close_event(g->member[i].event);
	/* First it is disabled, then it is no member any more. */
	g->member[i].enabled = false;
	changed(g);
	g->member[i].event = NULL;
	changed(g);
}

static void toggle_random(struct group *g)
{
	int i = random_below(MEMBERS);
	struct member *m = &g->member[i];

	if (!m->event)
		return;
	m->enabled = !m->enabled || (g->failed && i == 0 && random_below(2));
	(m->enabled ? perf_event_enable : perf_event_disable)(m->event);
	if (i == 0)
		g->failed = false;
	changed(g);
}

static void compare(void)
{
	for (int i = 0; i < GROUPS; i++) {
		struct group *g = &model.group[i];

		if (g->member[0].event)
			assert_int_equal(perf_event_failed(g->member[0].event), g->failed);
		for (int k = 0; k < MEMBERS; k++)
			if (g->member[k].event)
				expect(g->member[k].event, g->member[k].time, g->member[k].ran);
	}
}

static void step(void)
{
	struct group *g = &model.group[random_below(GROUPS)];
	u64 from = host_clock;
	int context;

	switch (random_below(8)) {
	case 0:
	case 1:
		open_random(g);
		break;
	case 2:
		close_random(g);
		break;
	case 3:
		toggle_random(g);
		break;
	case 4:
	case 5:
		context = USER + random_below(3);
		if (context == model.running)
			break;
		switch_to(task_of(context));
		model_switch(context);
		break;
	default:
		pass(random_below(3) ? random_below(SHARE / 2) : random_below(4 * SHARE));
		model_pass(from, host_clock);
		break;
	}
	compare();
}

static void random_histories(void **state)
{
	for (u32 history = 1; history <= 400; history++) {
		seed = history;
		counters = 1 + random_below(4);
		memset(&model, 0, sizeof(model));
		model.running = USER;
		for (int c = 0; c < NR_CONTEXTS; c++)
			model.left[c] = SHARE;
		nr_cpus = FIXTURE_CPUS;
		for (int i = 0; i < 200; i++)
			step();
		for (int i = 0; i < GROUPS; i++)
			for (int k = 0; k < MEMBERS; k++)
				close_random(&model.group[i]);
		assert_int_equal(used, 0);
		tear_down(state);
		set_up(state);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(units_are_found_by_type),    TEST(all_or_nothing),
	    TEST(flexible_groups_take_turns), TEST(pinned_groups_come_first_or_fail),
	    TEST(exclusive_groups_are_alone), TEST(copies_add_up),
	    TEST(random_histories),
	};

	return cmocka_run_group_tests_name("perf scheduling", tests, NULL, NULL);
}
