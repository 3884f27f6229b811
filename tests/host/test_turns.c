/* SPDX-License-Identifier: MIT */
/*
 * Groups that compete for counters, against a model that knows only the rules: after every step of
 * a random history it works out who should have run for how long; what it says and what the events
 * say has to be the same to the nanosecond.
 */
#include "counting_unit.h"

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
		tear_down(state);
		set_up(state);
	}
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(random_histories),
	};

	return cmocka_run_group_tests_name("perf turns", tests, NULL, NULL);
}
