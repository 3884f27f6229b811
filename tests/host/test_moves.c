/* SPDX-License-Identifier: MIT */
/*
 * cpu-migrations (contract C2): what is captured where a move is decided is sampled when the moved
 * task runs, once for each move, with its own user part, and on no other task's account.
 */
#include "../../kernel/perf/moves.h"
#include "perf_fixture.h"

/* Where the moves of these tests are decided. */
#define PLACE 0xffff800000002000ULL

static struct record record;

/* Sends @task to CPU @to as the scheduler does: the decision, and a new queue if it does not run.
 */
static void move(struct task *task, u32 to, u64 place, bool foreign)
{
	struct pt_regs regs = {.ip = place};

	host_irqs_off = 1;
	if (perf_migration_watched(task, to))
		perf_sched_migrate(task, to, &regs, foreign);
	host_irqs_off = 0;
	task->cpu = to;
}

/* @task, which was moved to CPU @id, runs there and leaves again. */
static void run_task(struct task *task, u32 id)
{
	run_on(id);
	switch_to(task);
	switch_to(&idle_task);
	run_on(0);
}

static void run_other(u32 id)
{
	run_task(&other_task, id);
}

static struct perf_event *open_moves(u64 period, struct task *task, int cpu,
				     struct perf_ring **ring)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CPU_MIGRATIONS, period);
	struct perf_event *event;

	attr.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			   PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN;
	event = perf_event_create_kernel_counter(&attr, cpu, task, NULL, NULL);
	assert_false(IS_ERR(event));
	if (ring)
		*ring = map_event(event, 2);
	return event;
}

/* The next record is a sample of other_task for @count moves by @place, in CPU @cpu. */
static void expect_move(struct perf_ring *ring, u64 place, u32 cpu, u64 count)
{
	assert_true(next_record(ring, &record));
	assert_int_equal(record.header.type, PERF_RECORD_SAMPLE);
	assert_int_equal(record.word[0], place);
	assert_int_equal(second_half(record.word[1]), other_task.tid);
	assert_int_equal(record.word[2], host_clock);
	assert_int_equal(first_half(record.word[3]), cpu);
	assert_int_equal(record.word[4], count);
}

/* Besides samples the ring has one record, that @n moves could not be sampled. */
static void expect_lost(struct perf_ring *ring, u64 n)
{
	unsigned told = 0;

	assert_int_equal(ring->lost_total, 0);
	while (next_record(ring, &record)) {
		if (record.header.type == PERF_RECORD_SAMPLE)
			continue;
		assert_int_equal(record.header.type, PERF_RECORD_LOST_SAMPLES);
		assert_int_equal(record.word[0], n);
		told++;
	}
	assert_int_equal(told, 1);
}

static void sample_when_it_runs(void **state)
{
	struct perf_ring *ring;
	struct perf_event *event = open_moves(1, &other_task, -1, &ring);
	const u64 chain[] = {PERF_CONTEXT_KERNEL, PLACE,   PLACE + 1,  PLACE + 2,
			     PERF_CONTEXT_USER,   USER_IP, USER_IP + 1};

	for (unsigned n = 1; n <= 3; n++) {
		move(&other_task, 0, PLACE, false);
		run_other(0);
		expect_move(ring, PLACE, 0, 1);
		assert_int_equal(record.word[5], ARRAY_SIZE(chain));
		assert_memory_equal(record.word + 6, chain, sizeof(chain));
	}
	move(&other_task, 1, PLACE, false);
	host_clock += 1000;
	/* Who runs meanwhile has nothing to do with it. */
	switch_to(&kernel_task);
	switch_to(&user_task);
	expect_no_record(ring);
	assert_int_equal(value_of(event), 3);
	run_other(1);
	expect_move(ring, PLACE, 1, 1);
	run_other(1);
	expect_no_record(ring);
	assert_int_equal(value_of(event), 4);
	close_event(event);
}

static void foreign_place_is_marked(void **state)
{
	struct perf_ring *ring;
	struct perf_event *event = open_moves(1, &other_task, -1, &ring);

	for (unsigned n = 1; n <= 200; n += 62) {
		unsigned frames = MIN(n, MOVE_DEPTH - 1u);

		kernel_frames = n;
		move(&other_task, 1, PLACE, true);
		run_other(1);
		expect_move(ring, PLACE, 1, 1);
		assert_int_equal(record.word[6], PERF_CONTEXT_KERNEL);
		assert_int_equal(record.word[6 + frames], PLACE + frames - 1);
		assert_int_equal(record.word[7 + frames], perf_move_marker());
	}
	close_event(event);
}

/* Without a chain to show none is walked; to who is opened as the move is decided it is too early.
 */
static void only_chains_that_are_shown(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CPU_MIGRATIONS, 1);
	struct perf_ring *ring, *late_ring;
	struct perf_event *event, *late;

	attr.sample_type = PERF_SAMPLE_IP;
	event = open_event(&attr, &other_task);
	ring = map_event(event, 1);
	host_clock += 1000;
	move(&other_task, 1, PLACE, true);
	assert_int_equal(other_task.moves->chain.nr, 0);
	late = open_moves(1, &other_task, -1, &late_ring);
	late->start = event->start;
	run_other(1);
	expect_record(ring, &record, PERF_RECORD_SAMPLE, 1);
	assert_int_equal(record.word[0], PLACE);
	expect_no_record(late_ring);
	move(&other_task, 0, PLACE + 1, true);
	run_other(0);
	expect_record(ring, &record, PERF_RECORD_SAMPLE, 1);
	expect_move(late_ring, PLACE + 1, 0, 1);
	close_event(late);
	move(&other_task, 1, PLACE, true);
	assert_int_equal(other_task.moves->chain.nr, 0);
	close_event(event);
}

/* What takes the samples of an event with a limit shows what its handler had shown before. */
static void limits_want_no_chains(void **state)
{
	for (int with_regs = 0; with_regs < 2; with_regs++) {
		struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CPU_MIGRATIONS, 1);
		struct perf_event *event, *limited;

		attr.sample_type = PERF_SAMPLE_IP;
		event = open_event(&attr, &other_task);
		attr.sample_type |= with_regs ? PERF_SAMPLE_REGS_INTR : 0;
		attr.sample_regs_intr = with_regs;
		limited = open_event(&attr, &other_task);
		for (int i = 0; i < 3; i++) {
			move(&other_task, 1, PLACE, true);
			assert_int_equal(other_task.moves->chain.nr, 0);
			run_other(1);
			if (i == 0)
				assert_int_equal(perf_event_refresh(limited, 10), 0);
			if (i == 1)
				close_event(limited);
		}
		assert_int_equal(value_of(event), 3);
		close_event(event);
	}
}

/* The marker outlives every limit, since without it the chain would say something else. */
static void marker_in_a_short_chain(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CPU_MIGRATIONS, 1);
	struct perf_event *event;
	struct perf_ring *ring;

	attr.sample_type = PERF_SAMPLE_CALLCHAIN;
	attr.sample_max_stack = 2;
	event = open_event(&attr, &other_task);
	ring = map_event(event, 1);
	move(&other_task, 1, PLACE, true);
	run_other(1);
	expect_record(ring, &record, PERF_RECORD_SAMPLE, 4);
	assert_int_equal(record.word[2], PLACE);
	assert_int_equal(record.word[3], perf_move_marker());
	close_event(event);
}

/* --- Kernel threads: what was captured is all that there is of a chain --- */

#define THREAD_FIELDS \
	(PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_PERIOD)

static struct perf_event *open_thread(struct perf_event_attr attr, u64 sample_type,
				      struct perf_ring **ring)
{
	struct perf_event *event;

	attr.sample_type = sample_type;
	event = open_event(&attr, &kernel_task);
	*ring = map_event(event, 1);
	return event;
}

static void move_thread(bool foreign)
{
	move(&kernel_task, 1, PLACE, foreign);
	run_task(&kernel_task, 1);
}

/* The next record is a thread's sample with @frames and, if it was @foreign, the marker. */
static void expect_thread(struct perf_ring *ring, bool period, unsigned frames, bool foreign)
{
	const u64 *chain = record.word + 5 + period;
	unsigned entries = frames + foreign ? 1 + frames + foreign : 0;

	expect_record(ring, &record, PERF_RECORD_SAMPLE, 5 + period + entries);
	assert_int_equal(record.word[0], PLACE);
	assert_int_equal(first_half(record.word[1]), kernel_task.pid);
	assert_int_equal(second_half(record.word[1]), kernel_task.tid);
	assert_int_equal(record.word[2], host_clock);
	assert_int_equal(record.word[3], 1);
	if (period)
		assert_int_equal(record.word[4], 1);
	assert_int_equal(chain[-1], entries);
	if (entries)
		assert_int_equal(chain[0], PERF_CONTEXT_KERNEL);
	for (unsigned i = 0; i < frames; i++)
		assert_int_equal(chain[1 + i], PLACE + i);
	if (foreign)
		assert_int_equal(chain[1 + frames], perf_move_marker());
}

/* Every length around what an event allows: the marker is cut off last. The first sample of a ring
 * looks for room, the others know of it. */
static void threads_chains(void **state)
{
	const unsigned limits[] = {1, 2, 5, MOVE_DEPTH};

	for (unsigned n = 0; n < 16; n++) {
		bool foreign = n & 1, period = n & 2;
		unsigned limit = limits[n / 4];
		struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CPU_MIGRATIONS, 1);
		u64 fields = THREAD_FIELDS & ~(period ? 0 : PERF_SAMPLE_PERIOD);
		struct perf_event *event;
		struct perf_ring *ring;

		attr.sample_max_stack = limit;
		event = open_thread(attr, fields | PERF_SAMPLE_CALLCHAIN, &ring);
		for (unsigned frames = limit + 3; frames--;) {
			host_clock++;
			kernel_frames = frames;
			move_thread(foreign);
			expect_thread(ring, period, MIN(frames, limit - foreign), foreign);
			expect_no_record(ring);
		}
		assert_int_equal(value_of(event), limit + 3);
		close_event(event);
	}
}

static void thread_without_kernel_chain(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CPU_MIGRATIONS, 1);
	struct perf_event *event;
	struct perf_ring *ring;

	attr.exclude_callchain_kernel = 1;
	event = open_thread(attr, THREAD_FIELDS | PERF_SAMPLE_CALLCHAIN, &ring);
	move_thread(false);
	expect_thread(ring, true, 0, false);
	close_event(event);
	event = open_thread(attr, THREAD_FIELDS, &ring);
	move_thread(false);
	expect_record(ring, &record, PERF_RECORD_SAMPLE, 5);
	close_event(event);
}

/* Round and round; what does not fit is lost, told first when there is room again, and no count. */
static void thread_in_a_full_ring(void **state)
{
	struct perf_event *event;
	struct perf_ring *ring;
	u64 taken = 0, lost;

	event = open_thread(attr_of(PERF_COUNT_SW_CPU_MIGRATIONS, 1),
			    THREAD_FIELDS | PERF_SAMPLE_CALLCHAIN, &ring);
	for (unsigned n = 0; n < 200; n++) {
		kernel_frames = 1 + n % 7;
		move_thread(n & 1);
		expect_thread(ring, true, kernel_frames, n & 1);
		taken++;
	}
	kernel_frames = 3;
	for (unsigned n = 0; n < 100; n++)
		move_thread(true);
	lost = event->lost;
	assert_in_range(lost, 1, 99);
	taken += 100 - lost;
	assert_int_equal(value_of(event), taken);
	for (unsigned n = 0; n < 100 - lost; n++)
		expect_thread(ring, true, 3, true);
	expect_no_record(ring);
	move_thread(true);
	assert_true(next_record(ring, &record));
	assert_int_equal(record.header.type, PERF_RECORD_LOST);
	assert_int_equal(record.word[1], lost);
	expect_thread(ring, true, 3, true);
	assert_int_equal(value_of(event), taken + 1);
	close_event(event);
}

/* What is asked for beyond the usual fields is there besides: an identifier, values. */
static void thread_with_more_fields(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CPU_MIGRATIONS, 1);
	const u64 chain[] = {PERF_CONTEXT_KERNEL, PLACE, PLACE + 1, PLACE + 2, perf_move_marker()};
	struct perf_event *event;
	struct perf_ring *ring;

	for (unsigned values = 0; values < 2; values++) {
		event = open_thread(attr,
				    PERF_SAMPLE_CALLCHAIN |
					(values ? PERF_SAMPLE_READ : PERF_SAMPLE_IDENTIFIER),
				    &ring);
		for (unsigned n = 1; n <= 3; n++) {
			move_thread(true);
			expect_record(ring, &record, PERF_RECORD_SAMPLE, 2 + ARRAY_SIZE(chain));
			assert_int_equal(record.word[0], values ? n : event->id);
			assert_memory_equal(record.word + 2, chain, sizeof(chain));
		}
		close_event(event);
	}
}

/* So are the wake-ups, period and limit that are asked for, from the start or later. */
static void thread_with_more_to_do(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CPU_MIGRATIONS, 1);
	struct perf_event *event;
	struct perf_ring *ring;

	attr.wakeup_events = 2;
	event = open_thread(attr, THREAD_FIELDS | PERF_SAMPLE_CALLCHAIN, &ring);
	for (unsigned n = 1; n <= 4; n++) {
		move_thread(false);
		assert_int_equal(perf_event_readable(event), n % 2 == 0);
		while (next_record(ring, &record))
			;
	}
	close_event(event);
	attr.wakeup_events = 0;
	event = open_thread(attr, THREAD_FIELDS | PERF_SAMPLE_CALLCHAIN, &ring);
	assert_int_equal(perf_event_set_period(event, 3), 0);
	for (unsigned n = 1; n <= 4; n++) {
		move_thread(false);
		assert_int_equal(count_records(ring, PERF_RECORD_SAMPLE), n == 3);
	}
	/* One is left over, which the next sample brings along. */
	assert_int_equal(perf_event_set_period(event, 1), 0);
	move_thread(false);
	expect_record(ring, &record, PERF_RECORD_SAMPLE, 10);
	assert_int_equal(record.word[4], 2);
	move_thread(false);
	expect_thread(ring, true, 3, false);
	assert_int_equal(value_of(event), 6);
	close_event(event);
	event = open_thread(attr, THREAD_FIELDS | PERF_SAMPLE_CALLCHAIN, &ring);
	move_thread(false);
	assert_int_equal(perf_event_refresh(event, 2), 0);
	for (unsigned n = 0; n < 4; n++)
		move_thread(false);
	assert_int_equal(count_records(ring, PERF_RECORD_SAMPLE), 3);
	assert_int_equal(value_of(event), 3);
	close_event(event);
}

/* --- */

/* One each up to four, then the last place for all others. */
static void several_moves_before_it_runs(void **state)
{
	struct perf_ring *ring;
	struct perf_event *event = open_moves(1, &other_task, -1, &ring);

	for (unsigned moves = 1; moves <= 9; moves++) {
		for (unsigned i = 0; i < moves; i++)
			move(&other_task, (i + 1) % 2, PLACE + 16 * i, i % 2);
		run_other(moves % 2);
		for (unsigned i = 0; i < MIN(moves, 4u); i++)
			expect_move(ring, PLACE + 16 * i, moves % 2, 1);
		if (moves > 4)
			expect_move(ring, PLACE + 16 * (moves - 1), moves % 2, moves - 4);
		expect_no_record(ring);
	}
	assert_int_equal(value_of(event), 45);
	close_event(event);
}

static void period_and_counting(void **state)
{
	struct perf_ring *ring;
	struct perf_event *third = open_moves(3, &other_task, -1, &ring);
	struct perf_event *counting = open_moves(0, &other_task, -1, NULL);
	struct perf_event *there = open_moves(0, &other_task, 1, NULL);

	for (unsigned i = 1; i <= 7; i++) {
		move(&other_task, i % 2, PLACE + i, false);
		/* Counted at once, whether it ever runs or not. */
		assert_int_equal(value_of(counting), i);
		run_other(i % 2);
		if (i % 3 == 0)
			expect_move(ring, PLACE + i, i % 2, 3);
		expect_no_record(ring);
	}
	assert_int_equal(value_of(third), 7);
	assert_int_equal(value_of(there), 4);
	close_event(third);
	close_event(counting);
	close_event(there);
}

/* A CPU's events see moves of tasks that run there then. */
static void events_of_cpus(void **state)
{
	struct perf_ring *ring[2];
	struct perf_event *sampling[2], *counting[2];

	for (int cpu = 0; cpu < 2; cpu++) {
		sampling[cpu] = open_moves(1, NULL, cpu, &ring[cpu]);
		counting[cpu] = open_moves(0, NULL, cpu, NULL);
	}
	move(&other_task, 1, PLACE, false);
	run_other(1);
	move(&other_task, 0, PLACE + 1, false);
	move(&other_task, 1, PLACE + 2, true);
	run_other(1);
	expect_move(ring[1], PLACE, 1, 1);
	expect_move(ring[1], PLACE + 1, 1, 1);
	expect_move(ring[1], PLACE + 2, 1, 1);
	expect_no_record(ring[0]);
	expect_no_record(ring[1]);
	for (int cpu = 0; cpu < 2; cpu++) {
		assert_int_equal(value_of(sampling[cpu]), 3 * cpu);
		assert_int_equal(value_of(counting[cpu]), 3 * cpu);
		close_event(sampling[cpu]);
		close_event(counting[cpu]);
	}
}

/* What moved before an event was enabled, or for one that is gone, is not its. */
static void neither_before_nor_after(void **state)
{
	struct perf_event *event = open_moves(1, NULL, 1, NULL), *late;
	struct perf_ring *ring;

	move(&other_task, 1, PLACE, false);
	host_clock++;
	late = open_moves(1, &other_task, -1, &ring);
	run_other(1);
	assert_int_equal(value_of(event), 1);
	expect_no_record(ring);
	close_event(late);
	/* Its places go with it. */
	move(&other_task, 1, PLACE, false);
	assert_non_null(other_task.moves);
	close_event(event);
	assert_null(other_task.moves);
	/* And one that went on to where nobody watches is forgotten. */
	event = open_moves(1, NULL, 1, NULL);
	move(&other_task, 1, PLACE, false);
	move(&other_task, 0, PLACE, false);
	assert_null(other_task.moves);
	close_event(event);
}

/* A task that was moved on has places of another CPU's event, and keeps them when that is closed.
 */
static void next_event_keeps_what_another_leaves(void **state)
{
	struct perf_event *first = open_moves(1, NULL, 0, NULL);
	struct perf_ring *ring;
	struct perf_event *second = open_moves(1, NULL, 1, &ring);
	struct perf_event *counting = open_moves(0, NULL, 1, NULL);

	for (unsigned i = 0; i < 7; i++)
		move(&other_task, i % 2, PLACE + 16 * i, i == 2);
	move(&other_task, 1, PLACE + 16 * 7, true);
	close_event(first);
	run_other(1);
	for (unsigned i = 0; i < 4; i++) {
		expect_move(ring, PLACE + 16 * i, 1, 1);
		assert_int_equal(record.word[7], PLACE + 16 * i);
	}
	expect_move(ring, PLACE + 16 * 7, 1, 4);
	expect_no_record(ring);
	assert_int_equal(value_of(counting), 8);
	assert_int_equal(second->lost, 0);
	/* The same of a task's own event, and of one who waits for no more of it. */
	first = open_moves(1, &other_task, -1, NULL);
	move(&other_task, 0, PLACE, false);
	move(&other_task, 1, PLACE, true);
	close_event(first);
	run_other(1);
	expect_move(ring, PLACE, 1, 1);
	expect_move(ring, PLACE, 1, 1);
	assert_int_equal(value_of(counting), 10);
	first = open_moves(1, &other_task, -1, NULL);
	move(&other_task, 0, PLACE, false);
	close_event(first);
	assert_null(other_task.moves);
	close_event(second);
	close_event(counting);
}

/* Where the other has no room for them they are lost, and counted. */
static void what_another_leaves_may_find_no_room(void **state)
{
	static struct task task[64];
	struct perf_event *first = open_moves(1, NULL, 0, NULL);
	struct perf_ring *ring;
	struct perf_event *second = open_moves(1, NULL, 1, &ring);
	struct perf_event *counting = open_moves(0, NULL, 1, NULL);

	move(&other_task, 0, PLACE, false);
	for (size_t i = 0; i < ARRAY_SIZE(task); i++) {
		task[i] = kernel_task;
		move(&task[i], 1, PLACE, true);
	}
	move(&other_task, 1, PLACE, false);
	close_event(first);
	run_on(1);
	switch_to(&other_task);
	for (size_t i = 0; i < ARRAY_SIZE(task); i++)
		switch_to(&task[i]);
	switch_to(&idle_task);
	assert_int_equal(value_of(second), 64);
	assert_int_equal(second->lost, 2);
	expect_lost(ring, 2);
	assert_int_equal(value_of(counting), 66);
	run_on(0);
	close_event(second);
	close_event(counting);
}

static void handler(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	u64 *ip = perf_event_context(event);
	struct callchain chain = {ip, 0, 4};

	assert_int_equal(regs_ip(regs), data->ip);
	perf_callchain(event, regs, &chain);
}

static void own_handler(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CPU_MIGRATIONS, 1);
	u64 ip[4] = {0};
	struct perf_event *event =
	    perf_event_create_kernel_counter(&attr, -1, &other_task, handler, ip);

	assert_false(IS_ERR(event));
	move(&other_task, 1, PLACE, false);
	run_other(1);
	assert_int_equal(ip[0], PERF_CONTEXT_KERNEL);
	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(ip[1 + i], PLACE + i);
	close_event(event);
}

/* The policy's table: the place is always the kernel's, the user part always the moved task's. */
static void policy(void **state)
{
	for (unsigned row = 0; row < 8; row++) {
		struct perf_event_attr attr =
		    attr_of(PERF_COUNT_SW_CPU_MIGRATIONS, row & 4 ? 0 : 1);
		bool no_kernel = row & 1, no_user = row & 2, sampling = !(row & 4);
		struct perf_event *event;
		struct perf_ring *ring;

		attr.exclude_kernel = no_kernel;
		attr.exclude_user = no_user;
		attr.sample_type = (THREAD_FIELDS & ~PERF_SAMPLE_PERIOD) | PERF_SAMPLE_CALLCHAIN;
		event = open_event(&attr, &other_task);
		ring = map_event(event, 1);
		for (unsigned n = 1; n <= 3; n++) {
			move(&other_task, 1, PLACE, false);
			run_other(1);
			assert_int_equal(value_of(event),
					 !no_kernel || (sampling && !no_user) ? n : 0);
			if (sampling && !(no_kernel && no_user)) {
				expect_record(ring, &record, PERF_RECORD_SAMPLE,
					      5 + (no_kernel ? 0 : 4) + (no_user ? 0 : 3));
				assert_int_equal(record.word[0], no_kernel ? USER_IP : PLACE);
			}
			expect_no_record(ring);
		}
		close_event(event);
		run_on(0);
	}
}

/* A CPU's events have room for 64; what is beyond is reported, and counted all the same. */
static void room_runs_out(void **state)
{
	static struct task task[70];
	struct perf_ring *ring;
	struct perf_event *event = open_moves(1, NULL, 1, &ring);
	struct perf_event *counting = open_moves(0, NULL, 1, NULL);
	u64 words[PERF_READ_WORDS_MAX];

	for (size_t i = 0; i < ARRAY_SIZE(task); i++) {
		task[i] = kernel_task;
		list_add_tail(&task[i].all_node, &task_list);
		move(&task[i], 1, PLACE, true);
	}
	run_on(1);
	for (size_t i = 0; i < ARRAY_SIZE(task); i++)
		switch_to(&task[i]);
	switch_to(&idle_task);
	perf_event_read_words(event, words);
	assert_int_equal(words[0], 64);
	assert_int_equal(event->lost, 6);
	expect_lost(ring, 6);
	assert_int_equal(value_of(counting), 70);
	for (size_t i = 0; i < ARRAY_SIZE(task); i++)
		list_del(&task[i].all_node);
	close_event(event);
	close_event(counting);
}

/* A task that ends before it goes: counted, and its sample is reported as lost. */
static void end_before_it_runs(void **state)
{
	struct perf_ring *ring;
	struct perf_event *sampling = open_moves(1, &other_task, -1, &ring);
	struct perf_event *counting = open_moves(0, &other_task, -1, NULL);
	struct perf_event *cpu = open_moves(0, NULL, 0, NULL), *late;

	switch_to(&other_task);
	host_irqs_off = 1;
	perf_sched_migrate(&other_task, 1, &(struct pt_regs){.ip = PLACE}, true);
	host_irqs_off = 0;
	host_clock++;
	late = open_moves(1, &other_task, -1, NULL);
	other_task.state = TASK_DEAD;
	switch_to(&user_task);
	perf_task_dead(&other_task, 0);
	assert_null(other_task.moves);
	assert_int_equal(value_of(sampling), 0);
	assert_int_equal(sampling->lost, 1);
	assert_int_equal(late->lost, 0);
	expect_lost(ring, 1);
	assert_int_equal(value_of(counting), 1);
	assert_int_equal(value_of(cpu), 1);
	perf_task_free(&other_task);
	assert_int_equal(value_of(counting), 1);
	close_event(sampling);
	close_event(counting);
	close_event(late);
	close_event(cpu);
}

static void copies_follow_the_children(void **state)
{
	struct perf_event_attr attr = attr_of(PERF_COUNT_SW_CPU_MIGRATIONS, 1);
	struct perf_event *event;

	attr.inherit = 1;
	event = open_event(&attr, &user_task);
	assert_int_equal(perf_task_fork(&other_task), 0);
	move(&other_task, 1, PLACE, false);
	run_other(1);
	assert_int_equal(value_of(event), 1);
	for (unsigned n = 1; n <= 3; n++) {
		host_fail_alloc = n;
		assert_int_equal(perf_task_fork(&kernel_task), -ENOMEM);
		host_fail_alloc = 0;
		assert_null(kernel_task.perf);
	}
	close_event(event);
}

static int set_up(void **state)
{
	fixture_set_up(state);
	run_on(0); /* of two CPUs */
	return 0;
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, fixture_tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(sample_when_it_runs),
	    TEST(foreign_place_is_marked),
	    TEST(only_chains_that_are_shown),
	    TEST(limits_want_no_chains),
	    TEST(marker_in_a_short_chain),
	    TEST(threads_chains),
	    TEST(thread_without_kernel_chain),
	    TEST(thread_in_a_full_ring),
	    TEST(thread_with_more_fields),
	    TEST(thread_with_more_to_do),
	    TEST(several_moves_before_it_runs),
	    TEST(period_and_counting),
	    TEST(events_of_cpus),
	    TEST(neither_before_nor_after),
	    TEST(next_event_keeps_what_another_leaves),
	    TEST(what_another_leaves_may_find_no_room),
	    TEST(own_handler),
	    TEST(policy),
	    TEST(room_runs_out),
	    TEST(end_before_it_runs),
	    TEST(copies_follow_the_children),
	};

	return cmocka_run_group_tests_name("perf migrations", tests, NULL, NULL);
}
