/* SPDX-License-Identifier: MIT */
/*
 * kernel/breakpoint/reserve.c: what is admitted is what fits, by trying every sequence of openings,
 * closings and changes up to a bound and looking at each CPU and each task; and the nine cases in
 * which a slot too many is asked for.
 */
#include <stdlib.h>
#include <string.h>

#include "breakpoint_machine.h"

#define TASKS 2

static struct task tasks[TASKS];

/* --- Against brute force --- */

/* Whose it may be. CPUs 0 and 1 stand for those that somebody asks for, the others for the rest. */
struct scope {
	int task; /* -1: none */
	s32 cpu;
};

static const struct scope scopes[] = {{0, -1}, {0, 0},  {0, 1},  {1, -1}, {1, 0},
				      {1, 1},  {-1, 0}, {-1, 1}, {-1, -1}};

static struct bp_parts parts_of(unsigned slots, unsigned pool)
{
	struct bp_form form = pool ? host_exec(0x1000) : host_data(0x1000, 4);

	return (struct bp_parts){{form, form}, slots};
}

#define LIVE_MAX 16
static struct breakpoint live[LIVE_MAX];
static unsigned nr_live;
static unsigned long tried, refused;

/* Would these all fit, everywhere? */
static bool fit(unsigned size, unsigned pool)
{
	for (s32 cpu = 0; cpu < MAX_CPUS; cpu++) {
		unsigned own = 0, of_task[TASKS] = {};

		for (unsigned i = 0; i < nr_live; i++) {
			const struct breakpoint *bp = &live[i];

			if ((bp->cpu >= 0 && bp->cpu != cpu) || bp->parts.form[0].pool != pool)
				continue;
			if (bp->task)
				of_task[bp->task - tasks] += bp->parts.nr;
			else
				own += bp->parts.nr;
		}
		for (unsigned t = 0; t < TASKS; t++)
			if (own + of_task[t] > size)
				return false;
	}
	return true;
}

static u32 live_slots(void)
{
	u32 n = 0;

	for (unsigned i = 0; i < nr_live; i++)
		n += live[i].parts.nr;
	return n;
}

static void try_all(unsigned depth, unsigned max_slots);

static void try_reserve(const struct scope *scope, unsigned slots, unsigned depth, unsigned max)
{
	struct breakpoint *bp = &live[nr_live++];
	bool fits;

	*bp = (struct breakpoint){.parts = parts_of(slots, 0),
				  .task = scope->task < 0 ? NULL : &tasks[scope->task],
				  .cpu = scope->cpu};
	fits = fit(host_bp_slots[0], 0);
	tried++;
	assert_int_equal(breakpoint_reserve(bp), fits ? 0 : -ENOSPC);
	if (fits) {
		try_all(depth - 1, max);
		breakpoint_release(bp);
	}
	refused += !fits;
	nr_live--;
	assert_int_equal(breakpoint_slots_used(), live_slots());
}

/* @bp becomes one of other slots, or of the other pool; and then what it was. */
static void try_modify(struct breakpoint *bp, unsigned slots, unsigned pool, unsigned depth,
		       unsigned max)
{
	struct bp_parts old = bp->parts, new = parts_of(slots, pool);
	bool fits;
	int err;

	bp->parts = new;
	fits = fit(host_bp_slots[pool], pool);
	bp->parts = old;
	err = breakpoint_hold(bp, &new);
	assert_int_equal(err, fits ? 0 : -ENOSPC);
	if (err)
		return;
	bp->parts = new;
	breakpoint_trim(bp);
	assert_int_equal(breakpoint_slots_used(), live_slots());
	try_all(depth - 1, max);
	/* It goes back the same way, which nobody has taken. */
	assert_int_equal(breakpoint_hold(bp, &old), 0);
	bp->parts = old;
	breakpoint_trim(bp);
}

/* The @nth goes first and comes again last: others are opened while it is gone. */
static void try_release(unsigned nth, unsigned depth, unsigned max)
{
	struct breakpoint kept[LIVE_MAX];
	unsigned n = nr_live;

	/* Lists hold addresses: those behind it are taken off, and put on in their new places. */
	for (unsigned i = nth; i < n; i++)
		breakpoint_release(&live[i]);
	memcpy(kept, live, sizeof(kept));
	memmove(&live[nth], &live[nth + 1], (n - nth - 1) * sizeof(live[0]));
	nr_live--;
	for (unsigned i = nth; i < nr_live; i++)
		assert_int_equal(breakpoint_reserve(&live[i]), 0);
	try_all(depth - 1, max);
	for (unsigned i = nth; i < nr_live; i++)
		breakpoint_release(&live[i]);
	memcpy(live, kept, sizeof(live));
	nr_live = n;
	for (unsigned i = nth; i < n; i++)
		assert_int_equal(breakpoint_reserve(&live[i]), 0);
}

static void try_all(unsigned depth, unsigned max)
{
	if (!depth)
		return;
	for (unsigned i = 0; i < ARRAY_SIZE(scopes); i++)
		for (unsigned slots = 1; slots <= max; slots++)
			try_reserve(&scopes[i], slots, depth, max);
	for (unsigned i = 0; i < nr_live; i++) {
		try_release(i, depth, max);
		if (max == 1)
			continue;
		try_modify(&live[i], 3 - live[i].parts.nr, live[i].parts.form[0].pool, depth, max);
		try_modify(&live[i], live[i].parts.nr, !live[i].parts.form[0].pool, depth, max);
	}
}

static void try_sequences(unsigned size, unsigned depth, unsigned max)
{
	host_bp_slots[0] = host_bp_slots[1] = size;
	tried = refused = 0;
	try_all(depth, max);
	assert_int_equal(breakpoint_slots_used(), 0);
	assert_true(refused > tried / 20);
}

static void what_is_admitted_is_what_fits(void **state)
{
	try_sequences(1, 4, 1);
	try_sequences(2, 6, 1);
	try_sequences(2, 5, 2);
	try_sequences(3, 6, 1);
	try_sequences(4, 4, 2);
}

/* Longer ones, at random. */
static void long_sequences_too(void **state)
{
	static struct breakpoint *slot[LIVE_MAX];
	unsigned seed = 1;

	for (unsigned size = 1; size <= BP_SLOTS; size++) {
		host_bp_slots[0] = size;
		for (unsigned step = 0; step < 20000; step++) {
			unsigned i;
			const struct scope *scope;
			bool fits;

			seed = seed * 1103515245 + 12345;
			i = seed >> 16 & (LIVE_MAX - 1);
			scope = &scopes[(seed >> 20) % ARRAY_SIZE(scopes)];
			if (slot[i]) {
				breakpoint_release(slot[i]);
				free(slot[i]);
				slot[i] = NULL;
				continue;
			}
			slot[i] = calloc(1, sizeof(*slot[i]));
			slot[i]->task = scope->task < 0 ? NULL : &tasks[scope->task];
			slot[i]->cpu = scope->cpu;
			slot[i]->parts = parts_of(1 + (seed >> 28 & 1), 0);
			nr_live = 0;
			for (unsigned j = 0; j < LIVE_MAX; j++)
				if (slot[j])
					live[nr_live++] = *slot[j];
			fits = fit(size, 0);
			assert_int_equal(breakpoint_reserve(slot[i]), fits ? 0 : -ENOSPC);
			if (fits)
				continue;
			free(slot[i]);
			slot[i] = NULL;
		}
		for (unsigned i = 0; i < LIVE_MAX; i++) {
			if (slot[i])
				breakpoint_release(slot[i]);
			free(slot[i]);
			slot[i] = NULL;
		}
		assert_int_equal(breakpoint_slots_used(), 0);
	}
	nr_live = 0;
}

/* --- The nine cases --- */

static struct breakpoint *pool[64];
static unsigned nr_pool;

static int open_one(int task, s32 cpu)
{
	struct breakpoint *bp = calloc(1, sizeof(*bp));
	int err;

	bp->parts = parts_of(1, 0);
	bp->task = task < 0 ? NULL : &tasks[task];
	bp->cpu = cpu;
	err = breakpoint_reserve(bp);
	if (err)
		free(bp);
	else
		pool[nr_pool++] = bp;
	return err;
}

static void close_one(unsigned i)
{
	breakpoint_release(pool[i]);
	free(pool[i]);
	memmove(&pool[i], &pool[i + 1], (nr_pool - i - 1) * sizeof(pool[0]));
	nr_pool--;
}

/* So many as there are slots, but for @but. */
static void fill(int task, s32 cpu, unsigned but)
{
	for (unsigned i = but; i < BP_SLOTS; i++)
		assert_int_equal(open_one(task, cpu), 0);
}

#define full(task, cpu) assert_int_equal(open_one(task, cpu), -ENOSPC)

static int set_up(void **state)
{
	host_bp_slots[0] = host_bp_slots[1] = BP_SLOTS;
	memset(tasks, 0, sizeof(tasks));
	return 0;
}

static int tear_down(void **state)
{
	while (nr_pool)
		close_one(0);
	assert_int_equal(breakpoint_slots_used(), 0);
	return 0;
}

static void one_cpu(void **state)
{
	fill(-1, 0, 0);
	full(-1, 0);
	close_one(1);
	assert_int_equal(open_one(-1, 0), 0);
}

static void many_cpus(void **state)
{
	for (s32 cpu = 0; cpu < MAX_CPUS; cpu++)
		fill(-1, cpu, 0);
	for (s32 cpu = 0; cpu < MAX_CPUS; cpu++)
		full(-1, cpu);
	full(0, -1);
	full(-1, -1);
}

static void one_task_on_all_cpus(void **state)
{
	fill(0, -1, 0);
	full(0, -1);
	full(0, 3);
	full(-1, 3);
	full(-1, -1);
	close_one(0);
	assert_int_equal(open_one(-1, -1), 0);
	full(0, -1);
}

static void two_tasks_on_all_cpus(void **state)
{
	fill(0, -1, 0);
	fill(1, -1, 0);
	full(0, -1);
	full(1, -1);
	full(-1, 0);
	full(-1, 1);
	/* Only when both have one less is there room for a CPU's. */
	close_one(0);
	full(-1, 0);
	close_one(nr_pool - 1);
	assert_int_equal(open_one(-1, 0), 0);
	full(-1, 0);
}

static void one_task_on_one_cpu(void **state)
{
	fill(0, 0, 0);
	full(0, -1);
	full(0, 0);
	full(-1, 0);
	/* Elsewhere there is room. */
	assert_int_equal(open_one(0, 1), 0);
	assert_int_equal(open_one(-1, 1), 0);
}

static void one_task_mixed(void **state)
{
	assert_int_equal(open_one(0, -1), 0);
	fill(0, 0, 1);
	full(0, -1);
	full(0, 0);
	full(-1, 0);
	/* All of them are on CPU 0, one of them everywhere. */
	fill(-1, 1, 1);
	full(-1, 1);
	close_one(0);
	assert_int_equal(open_one(0, 0), 0);
	assert_int_equal(open_one(-1, 1), 0);
}

static void two_tasks_on_one_cpu(void **state)
{
	fill(0, 0, 0);
	fill(1, 0, 0);
	full(0, -1);
	full(1, 0);
	full(-1, 0);
	close_one(0);
	full(-1, 0);
	close_one(nr_pool - 1);
	assert_int_equal(open_one(-1, 0), 0);
}

static void two_tasks_on_one_and_all_cpus(void **state)
{
	fill(0, 0, 0);
	fill(1, -1, 0);
	full(0, -1);
	full(1, -1);
	full(-1, 0);
	full(-1, 1);
	close_one(nr_pool - 1);
	full(-1, 0);
	assert_int_equal(open_one(-1, 1), 0);
}

static void a_task_on_all_and_on_one_cpu(void **state)
{
	fill(0, -1, 1);
	assert_int_equal(open_one(0, 0), 0);
	full(0, -1);
	full(-1, 0);
	assert_int_equal(open_one(-1, 1), 0);
	full(-1, 1);
	/* Where the CPU has one, the task has no room for one more. */
	full(0, 1);
	assert_int_equal(open_one(0, 2), 0);
}

#define CASE(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    CASE(what_is_admitted_is_what_fits),
	    CASE(long_sequences_too),
	    CASE(one_cpu),
	    CASE(many_cpus),
	    CASE(one_task_on_all_cpus),
	    CASE(two_tasks_on_all_cpus),
	    CASE(one_task_on_one_cpu),
	    CASE(one_task_mixed),
	    CASE(two_tasks_on_one_cpu),
	    CASE(two_tasks_on_one_and_all_cpus),
	    CASE(a_task_on_all_and_on_one_cpu),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
