/* SPDX-License-Identifier: MIT */
/*
 * Contexts that change tasks: random histories of a family of tasks on two CPUs against a model in
 * which every task simply counts for itself. Sums, and with inherit_stat what each task has
 * counted, have to be the model's; and a switch between equal tasks touches no counter.
 */
#include "counting_unit.h"

#include <arch/irq.h>

#define TASKS  6
#define EVENTS 6 /* the last two come later, into the first one's group */
#define FIRST  4

enum kind { COUNTER, CLOCK, SWITCHES, FAULTS };

struct counted {
	u64 value, enabled;
};

static struct {
	struct task task[TASKS];
	bool alive[TASKS];
	u32 version[TASKS]; /* the same: equal */
	u32 last_version;
	struct {
		struct perf_event *event; /* NULL: not open */
		enum kind kind;
		bool enabled;
		bool has[TASKS];
		struct counted counted[TASKS], gone;
	} event[EVENTS];
	bool stat, grouped;
	unsigned swaps, returns;
} model;

static u32 seed;

static u32 random_below(u32 n)
{
	seed = seed * 1664525 + 1013904223;
	return (u64)(seed >> 8) * n >> 24;
}

/* The running task's number on this CPU; -1: another's. */
static int running(void)
{
	for (int t = 0; t < TASKS; t++)
		if (host_current == &model.task[t])
			return t;
	return -1;
}

static bool is_on(int e)
{
	return model.event[e].event && model.event[e].enabled &&
	       (!model.grouped || e == CLOCK || model.event[0].enabled);
}

static bool counts(int e, int t)
{
	return t >= 0 && model.event[e].has[t] && is_on(e);
}

static void count(enum kind kind, int t, u64 n)
{
	for (int e = 0; e < EVENTS; e++)
		if (model.event[e].kind == kind && counts(e, t))
			model.event[e].counted[t].value += n;
}

/* --- What happens --- */

static void open_event_of(int e, enum kind kind)
{
	static const u64 config[] = {0, PERF_COUNT_SW_TASK_CLOCK, PERF_COUNT_SW_CONTEXT_SWITCHES,
				     PERF_COUNT_SW_PAGE_FAULTS};
	struct perf_event *leader = model.grouped && e != CLOCK && e ? model.event[0].event : NULL;
	struct perf_event_attr attr = counting();

	if (kind != COUNTER)
		attr.type = PERF_TYPE_SOFTWARE;
	attr.config = config[kind];
	attr.inherit = 1;
	attr.inherit_stat = model.stat;
	if (leader && leader->ctx && leader->ctx->task != &model.task[0]) {
		model.version[leader->ctx->task - model.task] = ++model.last_version;
		model.returns++;
	}
	memset(&model.event[e], 0, sizeof(model.event[e]));
	model.event[e].event = try_open(&attr, &model.task[0], -1, leader);
	assert_false(IS_ERR(model.event[e].event));
	model.event[e].kind = kind;
	model.event[e].enabled = true;
	model.event[e].has[0] = true;
	model.version[0] = ++model.last_version;
}

static void close_event_of(int e)
{
	close_event(model.event[e].event);
	model.event[e].event = NULL;
	for (int t = 0; t < TASKS; t++)
		if (model.event[e].has[t])
			model.version[t] = ++model.last_version;
}

static void pass_everywhere(u64 ns)
{
	for (u32 id = 0; id < FIXTURE_CPUS; id++) {
		run_on(id);
		count(COUNTER, running(), ns);
		count(CLOCK, running(), ns);
		for (int e = 0; e < EVENTS; e++)
			if (counts(e, running()))
				model.event[e].counted[running()].enabled += ns;
	}
	host_clock += ns;
}

/* Do both have a counter to give up, and to ask for? */
static bool is_swap(int from, int to)
{
	return from >= 0 && to >= 0 && model.version[from] == model.version[to] && counts(0, from);
}

static void go_to(int to)
{
	int from = running();
	bool swap = is_swap(from, to);
	unsigned before = changes;

	count(SWITCHES, from, 1);
	switch_to(to < 0 ? &idle_task : &model.task[to]);
	if (swap)
		assert_int_equal(changes, before);
	model.swaps += swap;
}

/* Whoever could run here next; -1: nobody, or so it is drawn. */
static int random_next(void)
{
	for (int i = random_below(8); i-- > 0;) {
		int t = random_below(TASKS);

		if (model.alive[t] && model.task[t].cpu == host_cpu->id && t != running())
			return t;
	}
	return -1;
}

static void do_fork(int parent)
{
	int child = 1 + random_below(TASKS - 1);

	if (parent < 0 || model.alive[child] || model.task[child].perf)
		return;
	model.task[child].state = TASK_RUNNING;
	model.task[child].cpu = host_cpu->id;
	assert_int_equal(perf_task_fork(&model.task[child]), 0);
	model.alive[child] = true;
	model.version[child] = model.version[parent];
	for (int e = 0; e < EVENTS; e++) {
		model.event[e].has[child] = model.event[e].has[parent];
		model.event[e].counted[child] = (struct counted){0};
	}
}

static void do_exit(int t)
{
	if (t < 0)
		return;
	model.alive[t] = false;
	model.task[t].state = TASK_DEAD;
	go_to(random_next());
	perf_task_dead(&model.task[t], 0);
	perf_task_free(&model.task[t]);
	for (int e = 0; e < EVENTS; e++) {
		if (!model.event[e].has[t])
			continue;
		model.event[e].gone.value += model.event[e].counted[t].value;
		model.event[e].gone.enabled += model.event[e].counted[t].enabled;
		model.event[e].has[t] = false;
	}
}

static bool runs_somewhere(int t)
{
	for (u32 id = 0; id < FIXTURE_CPUS; id++)
		if (cpus[id].running == &model.task[t])
			return true;
	return false;
}

static void do_migrate(int t)
{
	if (model.alive[t] && !runs_somewhere(t))
		model.task[t].cpu ^= 1;
}

static void do_fault(void)
{
	const struct pt_regs regs = kernel_regs();

	count(FAULTS, running(), 1);
	perf_page_fault(&regs, 0x1000, false);
}

static void do_toggle(int e)
{
	if (!model.event[e].event)
		return;
	model.event[e].enabled = !model.event[e].enabled;
	(model.event[e].enabled ? perf_event_enable : perf_event_disable)(model.event[e].event);
}

static void do_reset(int e)
{
	if (!model.event[e].event)
		return;
	perf_event_reset(model.event[e].event);
	model.event[e].gone.value = 0;
	for (int t = 0; t < TASKS; t++) {
		model.event[e].counted[t].value = 0;
		if (model.stat && model.event[e].has[t])
			model.version[t] = ++model.last_version;
	}
}

static void open_or_close(int e)
{
	if (model.event[e].event)
		close_event_of(e);
	else if (model.alive[0] && model.event[0].has[0])
		open_event_of(e, random_below(2) ? COUNTER : FAULTS);
}

/* --- What has been counted --- */

static void check_share(int e, int t)
{
	const struct perf_context *ctx = &model.task[t].perf->ctx;
	struct perf_event *event;
	struct perf_share share;

	assert_ptr_equal(ctx->task, &model.task[t]);
	list_for_each (event, &ctx->events, node)
		if (event->owner == model.event[e].event)
			break;
	assert_ptr_not_equal(&event->node, &ctx->events);
	if (!model.stat)
		return;
	share = perf_event_share(event, host_clock);
	assert_int_equal(share.value, model.event[e].counted[t].value);
	assert_int_equal(share.enabled, model.event[e].counted[t].enabled);
	assert_int_equal(share.running, model.event[e].counted[t].enabled);
}

static void compare(void)
{
	for (int e = 0; e < EVENTS; e++) {
		struct counted sum = model.event[e].gone;
		u64 enabled, active;

		if (!model.event[e].event)
			continue;
		for (int t = 0; t < TASKS; t++) {
			if (!model.event[e].has[t])
				continue;
			sum.value += model.event[e].counted[t].value;
			sum.enabled += model.event[e].counted[t].enabled;
			check_share(e, t);
		}
		assert_int_equal(perf_event_read(model.event[e].event, &enabled, &active),
				 sum.value);
		assert_int_equal(enabled, sum.enabled);
		assert_int_equal(active, sum.enabled);
	}
}

static void step(void)
{
	run_on(random_below(FIXTURE_CPUS));
	switch (random_below(24)) {
	case 0:
		do_fork(running());
		break;
	case 1:
		if (!random_below(12))
			do_exit(running());
		break;
	case 2:
		do_migrate(random_below(TASKS));
		break;
	case 3:
		if (!random_below(4))
			do_toggle(random_below(EVENTS));
		break;
	case 4:
		if (!random_below(12))
			do_reset(random_below(EVENTS));
		break;
	case 5:
		if (!random_below(12))
			open_or_close(FIRST + random_below(EVENTS - FIRST));
		break;
	case 6:
	case 7:
		do_fault();
		break;
	case 8:
		perf_task_before_exec();
		perf_task_exec();
		break;
	case 9:
	case 10:
	case 11:
		pass_everywhere(random_below(100000));
		break;
	default:
		go_to(random_next());
		break;
	}
	compare();
}

static void begin(u32 history)
{
	unsigned swaps = model.swaps, returns = model.returns;

	seed = history;
	memset(&model, 0, sizeof(model));
	model.swaps = swaps;
	model.returns = returns;
	model.stat = history & 1;
	model.grouped = history & 2;
	counters = EVENTS;
	nr_cpus = FIXTURE_CPUS;
	for (int t = 0; t < TASKS; t++) {
		model.task[t] = user_task;
		model.task[t].pid = model.task[t].tid = 1000 + t;
		model.task[t].perf = NULL;
		list_add_tail(&model.task[t].all_node, &task_list);
	}
	model.alive[0] = true;
	for (u32 id = 0; id < FIXTURE_CPUS; id++)
		host_run_as(&cpus[id], &idle_task);
	run_on(0);
	go_to(0);
	for (int e = 0; e < FIRST; e++)
		open_event_of(e, e);
	for (int t = 1; t < TASKS / 2; t++)
		do_fork(0);
}

static void random_histories(void **state)
{
	for (u32 history = 1; history <= 300; history++) {
		begin(history);
		for (int i = 0; i < 400; i++)
			step();
		for (u32 id = 0; id < FIXTURE_CPUS; id++) {
			run_on(id);
			go_to(-1);
		}
		compare();
		for (int e = EVENTS; e-- > 0;)
			if (model.event[e].event)
				close_event_of(e);
		tear_down(state);
		set_up(state);
	}
	/* It has been about something. */
	assert_true(model.swaps > 5000);
	assert_true(model.returns > 20);
}

/* --- One by one --- */

static struct perf_event *open_inherited(struct perf_event_attr attr)
{
	struct perf_event *event;

	attr.inherit = 1;
	event = try_open(&attr, &user_task, -1, NULL);
	assert_false(IS_ERR(event));
	return event;
}

static void fork_to(struct task *child)
{
	child->flags = 0;
	child->state = TASK_RUNNING;
	assert_int_equal(perf_task_fork(child), 0);
}

static void end(struct task *task)
{
	task->state = TASK_DEAD;
	perf_task_dead(task, 0);
	perf_task_free(task);
}

static bool swaps(struct task *next)
{
	const struct perf_task *part = host_current->perf;

	switch_to(next);
	return next->perf == part;
}

/* Three for two counters: the one context's turns go on, whose task ever runs. */
static void turns_go_on(void **state)
{
	struct perf_event *event[3];

	counters = 2;
	for (int i = 0; i < 3; i++)
		event[i] = open_inherited(counting());
	fork_to(&other_task);
	for (int i = 0; i < 30; i++) {
		assert_true(swaps(i % 2 ? &user_task : &other_task));
		pass(SHARE / 5);
	}
	for (int i = 0; i < 3; i++) {
		expect(event[i], 6 * SHARE, 4 * SHARE);
		close_event(event[i]);
	}
}

static void expect_swaps(struct perf_event_attr attr, bool expected)
{
	struct perf_event *counter, *event;

	counters = 4;
	counter = open_inherited(counting());
	event = open_inherited(attr);
	fork_to(&other_task);
	assert_int_equal(swaps(&other_task), expected);
	assert_int_equal(swaps(&user_task), expected);
	end(&other_task);
	close_event(event);
	close_event(counter);
}

static void some_stay(void **state)
{
	struct perf_event_attr attr = counting();

	expect_swaps(attr, true);
	attr.pinned = 1;
	expect_swaps(attr, false);
	attr.pinned = 0;
	attr.sample_period = 1000;
	expect_swaps(attr, true);
	attr.sample_type = PERF_SAMPLE_READ | PERF_SAMPLE_TID;
	expect_swaps(attr, false);
	expect_swaps(attr_of(PERF_COUNT_SW_PAGE_FAULTS, 0), true);
	expect_swaps(attr_of(PERF_COUNT_SW_TASK_CLOCK, 0), true);
	expect_swaps(attr_of(PERF_COUNT_SW_CPU_MIGRATIONS, 0), true);
	expect_swaps(attr_of(PERF_COUNT_SW_DUMMY, 1), true);
	expect_swaps(attr_of(PERF_COUNT_SW_PAGE_FAULTS, 2), false);
	expect_swaps(attr_of(PERF_COUNT_SW_TASK_CLOCK, MS), false);
	expect_swaps(attr_of(PERF_COUNT_SW_CPU_MIGRATIONS, 1), false);
}

/* What makes one of them different ends it, and a fork makes new ones equal. */
static void families_end(void **state)
{
	struct perf_event_attr attr = counting();
	struct perf_event *event, *more;

	counters = 4;
	event = open_inherited(attr);
	fork_to(&other_task);
	fork_to(&kernel_task);
	assert_true(swaps(&other_task));
	/* Of user_task, wherever its first event is; so the other two are equal still. */
	more = open_inherited(attr);
	assert_true(swaps(&kernel_task));
	assert_false(swaps(&user_task));
	assert_false(swaps(&other_task));
	assert_true(swaps(&kernel_task));
	close_event(more);
	assert_true(swaps(&other_task));
	assert_false(swaps(&user_task));
	end(&other_task);
	fork_to(&other_task);
	assert_true(swaps(&other_task));
	/* An event that is not inherited. */
	attr.inherit = 0;
	more = try_open(&attr, &other_task, -1, NULL);
	assert_false(swaps(&user_task));
	close_event(more);
	close_event(event);
}

/* Enabled by becoming another program: from then on it is another one's context. */
static void exec_makes_different(void **state)
{
	struct perf_event_attr attr = counting();
	struct perf_event *event, *more;

	counters = 4;
	event = open_inherited(attr);
	attr.disabled = attr.enable_on_exec = 1;
	more = open_inherited(attr);
	fork_to(&other_task);
	assert_true(swaps(&other_task));
	perf_task_before_exec();
	perf_task_exec();
	pass(100);
	assert_false(swaps(&user_task));
	pass(1000);
	expect(more, 100, 100);
	expect(event, 1100, 1100);
	assert_false(swaps(&other_task));
	close_event(more);
	close_event(event);
}

/* The event that was opened is at the child, which ends: what goes on is the parent's copy. */
static void opened_one_ends_elsewhere(void **state)
{
	struct perf_event_attr attr = counting();
	struct perf_event *event, *sibling;
	u64 enabled;

	counters = 4;
	event = open_inherited(attr);
	fork_to(&other_task);
	assert_true(swaps(&other_task));
	/* A task that does not come back: so its context does not. */
	switch_to(&kernel_task);
	end(&other_task);
	switch_to(&user_task);
	pass(100);
	expect(event, 100, 100);
	perf_event_disable(event);
	pass(100);
	expect(event, 100, 100);
	perf_event_enable(event);
	/* It is a leader as ever, of its own task's. */
	attr.inherit = 1;
	assert_int_equal(PTR_ERR(try_open(&attr, &kernel_task, -1, event)), -EINVAL);
	sibling = try_open(&attr, &user_task, -1, event);
	assert_false(IS_ERR(sibling));
	assert_ptr_equal(event->ctx, &user_task.perf->ctx);
	pass(50);
	expect(event, 150, 150);
	expect(sibling, 50, 50);
	assert_int_equal(perf_event_read(event, &enabled, NULL), 150);
	close_event(sibling);
	close_event(event);
}

/* The same while the child lives, which goes on with copies of all of the group. */
static void groups_come_home(void **state)
{
	struct perf_event_attr attr = counting();
	struct perf_event *event[3];
	u64 *words;

	counters = 4;
	attr.inherit = 1;
	attr.read_format = PERF_FORMAT_GROUP;
	for (int i = 0; i < 2; i++)
		event[i] = try_open(&attr, &user_task, -1, i ? event[0] : NULL);
	fork_to(&other_task);
	assert_true(swaps(&other_task));
	pass(10);
	/* Out of memory at each of the places. */
	for (unsigned n = 2; n <= 4; n++) {
		host_fail_alloc = n;
		assert_int_equal(PTR_ERR(try_open(&attr, &user_task, -1, event[0])), -ENOMEM);
		host_fail_alloc = 0;
	}
	event[2] = try_open(&attr, &user_task, -1, event[0]);
	assert_false(IS_ERR(event[2]));
	pass(100);
	assert_false(swaps(&user_task));
	pass(1000);
	assert_int_equal(perf_event_read_group(event[1], &words), 4);
	assert_int_equal(words[0], 3);
	assert_int_equal(words[1], 1110);
	assert_int_equal(words[2], 1110);
	assert_int_equal(words[3], 1000);
	kfree(words);
	for (int i = 3; i-- > 0;)
		close_event(event[i]);
}

/* READ records are of tasks: the child's, whatever events it ends with, and not the parent's. */
static void tasks_tell_their_counts(void **state)
{
	struct perf_event_attr attr = counting();
	struct perf_event *event;
	struct perf_ring *ring;
	struct record record;

	counters = 4;
	attr.inherit = attr.inherit_stat = 1;
	event = try_open(&attr, &user_task, 0, NULL);
	ring = map_event(event, 1);
	pass(10);
	fork_to(&other_task);
	assert_true(swaps(&other_task));
	pass(200);
	assert_true(swaps(&user_task));
	pass(3000);
	assert_true(swaps(&other_task));
	pass(40000);
	switch_to(&kernel_task);
	end(&other_task);
	expect_record(ring, &record, PERF_RECORD_READ, 4);
	assert_int_equal(second_half(record.word[0]), other_task.tid);
	for (int i = 1; i < 4; i++)
		assert_int_equal(record.word[i], 40200);
	switch_to(&user_task);
	pass(500000);
	switch_to(&kernel_task);
	end(&user_task);
	expect_no_record(ring);
	expect(event, 543210, 543210);
	close_event(event);
}

/* --- Meanwhile, elsewhere --- */

/* What happens between a look at whose a context is and that one's lock; or as memory is asked for.
 */
static void (*before_lock)(void), (*before_memory)(void);

static void interrupt(void (**hook)(void))
{
	void (*func)(void) = *hook;
	unsigned long flags = host_irqs_off;
	u32 here = host_cpu->id;

	*hook = NULL;
	if (func)
		func();
	run_on(here);
	host_irqs_off = flags;
}

struct cpu *task_rq_lock(struct task *task, unsigned long *flags)
{
	*flags = irq_save();
	interrupt(&before_lock);
	spin_lock(&cpus[task->cpu].rq.lock);
	return &cpus[task->cpu];
}

void *kmalloc(size_t size)
{
	void *p = kzalloc(size);

	interrupt(&before_memory);
	return p ? memset(p, 0xa5, size) : p;
}

/* user_task, on CPU 1, with an event that other_task has inherited; the caller is on CPU 0. */
static struct perf_event *open_on_another_cpu(void)
{
	struct perf_event *event;

	counters = 4;
	event = open_inherited(counting());
	fork_to(&other_task);
	switch_to(&idle_task);
	user_task.cpu = other_task.cpu = 1;
	run_on(1);
	switch_to(&user_task);
	run_on(0);
	return event;
}

static void swap_and_move(void)
{
	run_on(1);
	assert_true(swaps(&other_task));
	user_task.cpu = 0;
}

static void changed_while_it_goes(void **state)
{
	struct perf_event *event = open_on_another_cpu();

	before_lock = swap_and_move;
	perf_event_disable(event);
	assert_int_equal(used[1], 0);
	perf_event_enable(event);
	assert_int_equal(used[1], 1);
	pass(10);
	expect(event, 10, 10);
	close_event(event);
}

static void opened_while_it_goes(void **state)
{
	struct perf_event *event = open_on_another_cpu(), *more;
	struct perf_event_attr attr = counting();

	before_lock = swap_and_move;
	more = try_open(&attr, &user_task, -1, NULL);
	assert_ptr_equal(more->ctx, &user_task.perf->ctx);
	pass(10);
	expect(more, 0, 0);
	close_event(more);
	close_event(event);
}

static void go_and_return(void)
{
	assert_false(swaps(&other_task));
	assert_false(swaps(&user_task));
}

/* Not while an event is disabled at one of them already, and at the other not yet. */
static void not_while_they_differ(void **state)
{
	struct perf_event *event, *other;

	counters = 4;
	event = open_inherited(counting());
	other = open_inherited(attr_of(PERF_COUNT_SW_CONTEXT_SWITCHES, 0));
	fork_to(&other_task);
	before_lock = go_and_return;
	perf_event_disable(other);
	assert_true(swaps(&other_task));
	assert_true(swaps(&user_task));
	assert_int_equal(value_of(other), 1);
	close_event(other);
	close_event(event);
}

/* Nor while one has been reset, whose part would come back from the other. */
static void not_while_they_are_reset(void **state)
{
	struct perf_event_attr attr = counting();
	struct perf_event *event;

	counters = 4;
	attr.inherit_stat = 1;
	event = open_inherited(attr);
	fork_to(&other_task);
	assert_true(swaps(&other_task));
	assert_true(swaps(&user_task));
	before_lock = go_and_return;
	perf_event_reset(event);
	assert_null(before_lock);
	assert_false(swaps(&other_task));
	close_event(event);
}

/* While a task's events are copied they stay its own. */
static void held_while_it_forks(void **state)
{
	struct perf_event *event;

	counters = 4;
	event = open_inherited(counting());
	fork_to(&other_task);
	before_memory = go_and_return;
	fork_to(&kernel_task);
	assert_true(swaps(&kernel_task));
	assert_true(swaps(&other_task));
	close_event(event);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(turns_go_on),
	    TEST(some_stay),
	    TEST(families_end),
	    TEST(exec_makes_different),
	    TEST(opened_one_ends_elsewhere),
	    TEST(groups_come_home),
	    TEST(tasks_tell_their_counts),
	    TEST(changed_while_it_goes),
	    TEST(opened_while_it_goes),
	    TEST(not_while_they_differ),
	    TEST(not_while_they_are_reset),
	    TEST(held_while_it_forks),
	    TEST(random_histories),
	};

	return cmocka_run_group_tests_name("perf swap", tests, NULL, NULL);
}
