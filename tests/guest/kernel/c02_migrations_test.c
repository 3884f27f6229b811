/* SPDX-License-Identifier: MIT */
/*
 * Contract C2: a move is reported once, for the task that moved, with the chain of the place that
 * decided it. Here the decisions are the test's own, which needs no second processor.
 */
#include <hotregs/perf_event.h>
#include <hotregs/sched.h>
#include <hotregs/smp.h>
#include <hotregs/string.h>
#include <hotregs/wait.h>

#include "c02_moves.h"

#include <arch/irq.h>
#include <arch/regs.h>

static struct move_log task_log, other_log;
static struct wait_queue queue = WAIT_QUEUE_INIT(queue);
static bool go;

static void wait_to_go(void *arg)
{
	wait_event(&queue, READ_ONCE(go));
}

static void let_go(struct task *task)
{
	WRITE_ONCE(go, true);
	wake_up(&queue);
	kthread_join(task);
}

/* A thread that waits for let_go(), and then runs @entry's rest, on the caller's processor. */
static struct task *start(void (*entry)(void *))
{
	struct task *task;

	WRITE_ONCE(go, false);
	sched_set_affinity(current, CPU_MASK(0));
	task = kthread_start("c02", entry, NULL);
	sched_set_affinity(current, AFFINITY_ALL);
	return task;
}

/* A thread that sleeps until let_go(); NULL: failed. */
static struct task *start_sleeper(void)
{
	struct task *task = start(wait_to_go);

	if (!EXPECT(!IS_ERR(task)))
		return NULL;
	for (int i = 0; i < 1000 && READ_ONCE(task->state) != TASK_SLEEPING; i++)
		sleep_ns(1000000);
	return task;
}

/* Says that @task is to go where it is. */
static noinline void decide(struct task *task, bool foreign)
{
	static struct pt_regs regs;
	unsigned long flags;
	struct cpu *cpu = task_rq_lock(task, &flags);

	if (perf_migration_watched(task, cpu->id)) {
		arch_hot_regs(&regs);
		perf_sched_migrate(task, cpu->id, &regs, foreign);
		task->nr_migrations++;
	}
	task_rq_unlock(cpu, flags);
}

static noinline void decide_deep(struct task *task, bool foreign)
{
	decide(task, foreign);
	barrier(); /* no tail call */
}

KTEST(c02_one_sample_of_the_task_that_moved)
{
	const char *const chain[] = {"decide", "decide_deep", NULL};
	struct task *task = start_sleeper(), *other = start_sleeper();
	struct perf_event *event, *bystander;
	pid_t tid;

	if (!task || !other)
		return;
	tid = task->tid;
	event = moves_open(task, -1, true, &task_log);
	bystander = moves_open(other, -1, true, &other_log);
	decide_deep(task, false);
	/* Whoever runs meanwhile is not moved. */
	sleep_ns(1000000);
	EXPECT_EQ(task_log.nr, 0);
	let_go(other);
	let_go(task);
	EXPECT_EQ(task_log.nr, 1);
	EXPECT_EQ(task_log.moves, 1);
	EXPECT_EQ(task_log.move[0].sample.tid, tid);
	captured_chain_is(&task_log.move[0].sample, chain);
	EXPECT(!move_is_foreign(&task_log.move[0]));
	EXPECT_EQ(perf_event_read(event, NULL, NULL), 1);
	EXPECT_EQ(other_log.nr, 0);
	perf_event_release(event);
	perf_event_release(bystander);
}

KTEST(c02_place_of_somebody_else_is_marked)
{
	const char *const chain[] = {"decide", "decide_deep", NULL};
	struct task *task = start_sleeper();
	struct perf_event *event;

	if (!task)
		return;
	event = moves_open(task, -1, true, &task_log);
	decide_deep(task, true);
	let_go(task);
	if (EXPECT_EQ(task_log.nr, 1)) {
		captured_chain_is(&task_log.move[0].sample, chain);
		EXPECT(move_is_foreign(&task_log.move[0]));
	}
	perf_event_release(event);
}

/* Each of the first four, and the last one for all that follow. */
KTEST(c02_several_moves_before_it_runs)
{
	struct task *task = start_sleeper();
	struct perf_event *event, *counting;

	if (!task)
		return;
	event = moves_open(task, -1, true, &task_log);
	counting = moves_open(task, -1, false, NULL);
	for (int i = 0; i < 7; i++)
		decide_deep(task, i == 6);
	/* What only counts has nothing to wait for. */
	EXPECT_EQ(perf_event_read(counting, NULL, NULL), 7);
	let_go(task);
	EXPECT_EQ(task_log.nr, 5);
	EXPECT_EQ(task_log.moves, 7);
	for (int i = 0; i < 5; i++) {
		EXPECT_EQ(task_log.move[i].period, i < 4 ? 1 : 3);
		EXPECT_EQ(move_is_foreign(&task_log.move[i]), i == 4);
	}
	perf_event_release(event);
	perf_event_release(counting);
}

static void decide_and_end(void *arg)
{
	wait_event(&queue, READ_ONCE(go));
	irq_disable();
	decide(current, false);
	kthread_exit();
}

/* A task that ends before it goes anywhere: counted, and its sample is reported as lost. */
KTEST(c02_end_before_it_runs)
{
	u64 words[PERF_READ_WORDS_MAX];
	struct perf_event *event, *counting;
	struct task *task = start(decide_and_end);

	if (!EXPECT(!IS_ERR(task)))
		return;
	event = moves_open(task, -1, true, &task_log);
	counting = moves_open(task, -1, false, NULL);
	let_go(task);
	EXPECT_EQ(task_log.nr, 0);
	perf_event_read_words(event, words);
	EXPECT_EQ(words[0], 0);
	EXPECT_EQ(words[1], 1);
	EXPECT_EQ(perf_event_read(counting, NULL, NULL), 1);
	perf_event_release(event);
	perf_event_release(counting);
}

/* An event that goes while its task has yet to run. */
KTEST(c02_close_before_it_runs)
{
	struct task *task = start_sleeper();
	struct perf_event *event;

	if (!task)
		return;
	event = moves_open(task, -1, true, &task_log);
	decide(task, false);
	perf_event_release(event);
	EXPECT(!task->moves);
	event = moves_open(NULL, task->cpu, true, &task_log);
	decide(task, false);
	EXPECT(task->moves);
	perf_event_release(event);
	EXPECT(!task->moves);
	let_go(task);
	EXPECT_EQ(task_log.nr, 0);
}
