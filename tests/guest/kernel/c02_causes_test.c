/* SPDX-License-Identifier: MIT */
/*
 * Contract C2 on several processors: samples are the scheduler's moves one to one, and their chains
 * begin at what decided, for each of the four causes.
 */
#include <hotregs/perf_event.h>
#include <hotregs/sched.h>
#include <hotregs/smp.h>
#include <hotregs/string.h>
#include <hotregs/unwind.h>
#include <hotregs/wait.h>

#include "c02_moves.h"

#define MOVES 20

static struct move_log log, other_log;
static struct wait_queue queue = WAIT_QUEUE_INIT(queue);
static u32 orders, done; /* for the thread; those that it has seen */
static bool stop;

/* Sleeps between orders. */
static void follow(void *arg)
{
	while (!READ_ONCE(stop)) {
		wait_event(&queue, READ_ONCE(orders) != done || READ_ONCE(stop));
		WRITE_ONCE(done, READ_ONCE(orders));
	}
}

/* Wakes the thread; it has slept again, or nearly, when it is done. */
static void order(struct task *task)
{
	WRITE_ONCE(orders, orders + 1);
	wake_up(&queue);
	while (READ_ONCE(done) != orders || READ_ONCE(task->state) != TASK_SLEEPING)
		sleep_ns(50000);
}

struct run {
	struct task *task;
	struct perf_event *event;
};

/* Runs @entry in a thread of processor 0, where the caller is, too, with its moves logged. */
static bool begin(struct run *run, void (*entry)(void *))
{
	if (nr_cpus < 2) {
		ktest_skip("one processor runs");
		return false;
	}
	WRITE_ONCE(stop, false);
	orders = done = 0;
	sched_set_affinity(current, CPU_MASK(0));
	run->task = kthread_start("c02", entry, NULL);
	if (!EXPECT(!IS_ERR(run->task)))
		return false;
	run->event = moves_open(run->task, -1, true, &log);
	return run->event;
}

static void finish(struct run *run)
{
	WRITE_ONCE(stop, true);
	wake_up(&queue);
	kthread_join(run->task);
	EXPECT_EQ(log.moves, log.scheduler);
	EXPECT_EQ(log.nr, log.moves);
	perf_event_release(run->event);
	sched_set_affinity(current, AFFINITY_ALL);
}

static bool begins_at(const struct logged_move *move, const char *symbol)
{
	const char *name = kallsyms_lookup(move->sample.ip, NULL, NULL);

	return name && !strcmp(name, symbol);
}

/* How many of @log begin at @symbol; each of them must be @foreign or not. */
static u32 count_moves(const struct move_log *log, const char *symbol, bool foreign)
{
	u32 n = 0;

	for (u32 i = 0; i < MIN(log->nr, (u32)MOVES_LOGGED); i++) {
		if (!begins_at(&log->move[i], symbol))
			continue;
		EXPECT_EQ(move_is_foreign(&log->move[i]), foreign);
		n++;
	}
	return n;
}

static noinline void move_itself(void)
{
	for (int i = 0; i < MOVES; i++)
		sched_set_affinity(current, CPU_MASK(i % 2 ? 0 : 1));
}

static void mover(void *arg)
{
	wait_event(&queue, READ_ONCE(orders));
	move_itself();
	wait_event(&queue, READ_ONCE(stop));
}

KTEST(c02_task_that_moves_itself)
{
	const char *const chain[] = {"sched_set_affinity", "move_itself",  "mover",
				     "task_begin",         "thread_start", NULL};
	struct run run;

	if (!begin(&run, mover))
		return;
	WRITE_ONCE(orders, 1);
	wake_up(&queue);
	while (READ_ONCE(log.nr) < MOVES)
		sleep_ns(1000000);
	finish(&run);
	EXPECT_EQ(count_moves(&log, "sched_set_affinity", false), MOVES);
	for (int i = 0; i < MOVES; i++) {
		captured_chain_is(&log.move[i].sample, chain);
		EXPECT_EQ(log.move[i].cpu, i % 2 ? 0 : 1);
	}
}

static noinline void move_another(struct task *task)
{
	for (int i = 0; i < MOVES; i++) {
		sched_set_affinity(task, CPU_MASK(i % 2 ? 0 : 1));
		order(task);
	}
}

KTEST(c02_task_moved_by_another)
{
	const char *const chain[] = {"sched_set_affinity", "move_another", NULL};
	struct run run;

	if (!begin(&run, follow))
		return;
	order(run.task);
	move_another(run.task);
	finish(&run);
	EXPECT_EQ(count_moves(&log, "sched_set_affinity", true), MOVES);
	for (int i = 0; i < MOVES; i++) {
		captured_chain_is(&log.move[i].sample, chain);
		EXPECT_EQ(log.move[i].cpu, i % 2 ? 0 : 1);
	}
}

/* Woken on a busy processor, while another one has nothing to do. */
KTEST(c02_task_that_is_woken_elsewhere)
{
	struct run run;
	u32 woken = 0;

	if (!begin(&run, follow))
		return;
	for (int i = 0; i < 500 && log.nr < MOVES; i++) {
		sched_set_affinity(run.task, CPU_MASK(0));
		order(run.task);
		sched_set_affinity(run.task, CPU_MASK(0) | CPU_MASK(1));
		order(run.task);
	}
	finish(&run);
	woken = count_moves(&log, "wake_elsewhere", true);
	EXPECT(woken > 0);
	EXPECT_EQ(woken + count_moves(&log, "sched_set_affinity", true), MIN(log.nr, MOVES_LOGGED));
}

static void spin(void *arg)
{
	while (!READ_ONCE(stop))
		barrier();
}

static noinline void allow_both(struct task *a, struct task *b, u32 cpus)
{
	sched_set_affinity(a, cpus);
	sched_set_affinity(b, cpus);
}

/* Two share a processor and another idles: that comes for one of them. */
KTEST(c02_task_that_is_pulled)
{
	struct perf_event *event;
	struct task *other;
	struct run run;
	u32 pulled = 0;

	if (!begin(&run, spin))
		return;
	other = kthread_start("c02", spin, NULL);
	event = moves_open(other, -1, true, &other_log);
	for (int i = 0; i < 10 && !pulled; i++) {
		allow_both(run.task, other, CPU_MASK(0));
		sleep_ns(20000000);
		allow_both(run.task, other, CPU_MASK(0) | CPU_MASK(1));
		sleep_ns(100000000);
		pulled = count_moves(&log, "sched_pull", true) +
			 count_moves(&other_log, "sched_pull", true);
	}
	EXPECT(pulled > 0);
	finish(&run);
	kthread_join(other);
	EXPECT_EQ(other_log.moves, other_log.scheduler);
	perf_event_release(event);
}
