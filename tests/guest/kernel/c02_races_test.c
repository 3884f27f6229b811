/* SPDX-License-Identifier: MIT */
/*
 * Events of tasks and of processors that are closed at any moment of a move: while the task is on
 * its way, has yet to run, ends, or is freed. What a sampling event tells of, and says to have
 * lost, is never more than one has counted that was there before it and after it.
 */
#include <hotregs/perf_event.h>
#include <hotregs/sched.h>
#include <hotregs/smp.h>
#include <hotregs/string.h>
#include <hotregs/wait.h>

#include "ktest.h"

#define MOVERS 4
#define STEPS  24
/* So many pairs of events, and moves, end it. */
#define PAIRS  400
#define MOVES  600

static struct wait_queue gate = WAIT_QUEUE_INIT(gate);
static bool go;
static u32 active, seed;
static struct task *movers[MOVERS];

/* Two events of a mover, or of a processor. */
static struct pair {
	struct perf_event *counting, *sampling;
	u64 told; /* of moves, by samples */
} pairs[MOVERS + MAX_CPUS];

static u32 any(u32 n)
{
	return (__atomic_add_fetch(&seed, 0x9e3779b9, __ATOMIC_RELAXED) * 2654435761u >> 8) % n;
}

static void tell(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct pair *pair = perf_event_context(event);

	pair->told += data->period;
}

static struct perf_event *open(struct pair *pair, bool sampling)
{
	const struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
					     .size = sizeof(attr),
					     .config = PERF_COUNT_SW_CPU_MIGRATIONS,
					     .sample_period = sampling,
					     .read_format = PERF_FORMAT_LOST};
	unsigned i = pair - pairs;
	struct perf_event *event = perf_event_create_kernel_counter(
	    &attr, i < MOVERS ? -1 : (int)i - MOVERS, i < MOVERS ? movers[i] : NULL, tell, pair);

	/* A task may have ended. */
	EXPECT(!IS_ERR(event) || PTR_ERR(event) == -ESRCH);
	return IS_ERR(event) ? NULL : event;
}

static void open_pair(struct pair *pair)
{
	pair->told = 0;
	pair->counting = open(pair, false);
	pair->sampling = pair->counting ? open(pair, true) : NULL;
}

static void close_pair(struct pair *pair)
{
	u64 words[PERF_READ_WORDS_MAX] = {0};

	if (!pair->counting)
		return;
	if (pair->sampling) {
		perf_event_read_words(pair->sampling, words);
		perf_event_release(pair->sampling);
	}
	EXPECT(words[0] <= pair->told);
	EXPECT(pair->told + words[1] <= perf_event_read(pair->counting, NULL, NULL));
	perf_event_release(pair->counting);
	pair->counting = NULL;
}

static void close_all(void *arg)
{
	for (size_t i = 0; i < ARRAY_SIZE(pairs); i++)
		close_pair(&pairs[i]);
}

/* Sends itself and the others around, and ends. */
static void move_about(void *arg)
{
	wait_event(&gate, READ_ONCE(go));
	for (unsigned i = 0; i < STEPS; i++) {
		sched_set_affinity(movers[any(MOVERS)], CPU_MASK(any(nr_cpus)));
		if (any(3) == 0)
			sleep_ns(any(100000));
		sched_set_affinity(current, any(2) ? AFFINITY_ALL : CPU_MASK(any(nr_cpus)));
	}
	__atomic_fetch_sub(&active, 1, __ATOMIC_RELEASE);
}

/* Opens and closes while they move; the last ones are closed while tasks end and are freed. */
static unsigned round_of_movers(void)
{
	unsigned opened = 0;
	struct task *closer;

	WRITE_ONCE(go, false);
	WRITE_ONCE(active, MOVERS);
	for (unsigned i = 0; i < MOVERS; i++)
		movers[i] = kthread_start("mover", move_about, NULL);
	WRITE_ONCE(go, true);
	wake_up(&gate);
	while (__atomic_load_n(&active, __ATOMIC_ACQUIRE)) {
		struct pair *pair = &pairs[any(MOVERS + nr_cpus)];

		if (pair->counting) {
			close_pair(pair);
		} else {
			open_pair(pair);
			opened++;
		}
		if (any(2))
			sleep_ns(any(20000));
	}
	closer = kthread_start("closer", close_all, NULL);
	for (unsigned i = 0; i < MOVERS; i++)
		kthread_join(movers[i]);
	kthread_join(closer);
	return opened;
}

static void no_place_is_left(void)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	struct task *task;

	list_for_each (task, &task_list, all_node)
		EXPECT(!task->moves);
	spin_unlock_irqrestore(&task_list_lock, flags);
}

KTEST(c02_close_and_exit_race_with_moves)
{
	unsigned opened = 0;
	u64 before = sched_nr_migrations();

	if (nr_cpus < 2) {
		ktest_skip("one processor runs");
		return;
	}
	memset(pairs, 0, sizeof(pairs));
	while (opened < PAIRS || sched_nr_migrations() - before < MOVES)
		opened += round_of_movers();
	no_place_is_left();
}
