/* SPDX-License-Identifier: MIT */
/*
 * A storm of threads that send themselves and each other from processor to processor, while events
 * come and go: what the events of tasks and of processors tell is what the scheduler counted. It
 * ends by a number of moves, which "moves=" on the command line sets.
 */
#include <hotregs/perf_event.h>
#include <hotregs/sched.h>
#include <hotregs/smp.h>
#include <hotregs/string.h>
#include <hotregs/wait.h>

#include "ktest.h"

#define STORMERS     6
#define STEPS        16
#define MOVES        2000
#define EVENTS       3
#define SETTLE_LOOKS 1000 /* of a millisecond */

static struct wait_queue gate = WAIT_QUEUE_INIT(gate);
static bool go;
static u32 seed;

/* A thread, and what its own events say. */
static struct stormer {
	struct task *task;
	struct perf_event *event[EVENTS];
	u64 base;            /* switches before the first that its event saw */
	u64 switches, moves; /* by events */
	bool wrong;          /* they were not what the scheduler had counted */
} stormers[STORMERS];

/* What the events of a processor say; written there. */
static struct by_cpu {
	struct perf_event *event[2];
	u64 switches, moves, idle, stormers;
	u64 base, scheduler; /* its switches by the scheduler's count */
	u64 events;          /* those by the event, at the same time */
} by_cpu[MAX_CPUS];

static u64 stormers_switches; /* of stormers that have ended */

static u32 random(void)
{
	return (__atomic_add_fetch(&seed, 0x9e3779b9, __ATOMIC_RELAXED) * 2654435761u) >> 8;
}

static void count_switch(struct perf_event *event, struct perf_sample_data *data,
			 struct pt_regs *regs)
{
	struct stormer *s = perf_event_context(event);

	if (!s->switches)
		s->base = current->nr_switches - data->period;
	s->switches += data->period;
	s->wrong |= s->base + s->switches != current->nr_switches;
}

static void count_move(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs)
{
	struct stormer *s = perf_event_context(event);

	s->moves += data->period;
	/* With the last of those that waited for it to run, all have been told of. */
	s->wrong |= s->moves > current->nr_migrations;
}

static void count_cpu_switch(struct perf_event *event, struct perf_sample_data *data,
			     struct pt_regs *regs)
{
	struct by_cpu *c = &by_cpu[this_cpu()->id];

	c->switches += data->period;
	c->idle += !current->tid;
	c->stormers += !strcmp(current->comm, "storm");
}

static void count_cpu_move(struct perf_event *event, struct perf_sample_data *data,
			   struct pt_regs *regs)
{
	by_cpu[this_cpu()->id].moves += data->period;
}

static struct perf_event *open(u64 config, int cpu, struct task *task,
			       perf_overflow_handler_t handler, void *context)
{
	const struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
					     .size = sizeof(attr),
					     .config = config,
					     .read_format = PERF_FORMAT_LOST,
					     .sample_period = handler ? 1 : 0};
	struct perf_event *event =
	    perf_event_create_kernel_counter(&attr, cpu, task, handler, context);

	/* A task may have ended. */
	return EXPECT(!IS_ERR(event) || PTR_ERR(event) == -ESRCH) && !IS_ERR(event) ? event : NULL;
}

static void storm(void *arg)
{
	wait_event(&gate, READ_ONCE(go));
	for (int i = 0; i < STEPS; i++) {
		switch (random() % 4) {
		case 0:
		case 1:
			sched_set_affinity(current, CPU_MASK(random() % nr_cpus));
			break;
		case 2:
			sched_set_affinity(current, AFFINITY_ALL);
			yield();
			break;
		default:
			sleep_ns(random() % 200000);
		}
	}
}

static void begin_stormer(struct stormer *s)
{
	memset(s, 0, sizeof(*s));
	s->task = kthread_start("storm", storm, NULL);
	while (READ_ONCE(s->task->state) != TASK_SLEEPING)
		sleep_ns(50000);
	s->event[0] = open(PERF_COUNT_SW_CONTEXT_SWITCHES, -1, s->task, count_switch, s);
	s->event[1] = open(PERF_COUNT_SW_CPU_MIGRATIONS, -1, s->task, count_move, s);
	s->event[2] = open(PERF_COUNT_SW_CPU_MIGRATIONS, -1, s->task, NULL, NULL);
}

/* Sends them around, and has a look at events of those that run and of those that end. */
static void disturb(void)
{
	for (int i = 0; i < STORMERS; i++) {
		struct stormer *s = &stormers[random() % STORMERS];
		struct perf_event *passing =
		    open(PERF_COUNT_SW_CPU_MIGRATIONS, -1, s->task, NULL, NULL);

		sched_set_affinity(s->task, CPU_MASK(random() % nr_cpus));
		perf_event_read(s->event[2], NULL, NULL);
		if (passing)
			perf_event_release(passing);
		if (random() % 4 == 0)
			sleep_ns(100000);
	}
}

static u64 lost_samples(struct perf_event *event)
{
	u64 words[PERF_READ_WORDS_MAX];

	return words[perf_event_read_words(event, words) - 1];
}

static void end_stormer(struct stormer *s)
{
	u64 counted;

	kthread_join(s->task);
	counted = perf_event_read(s->event[2], NULL, NULL);
	EXPECT(!s->wrong);
	EXPECT_EQ(s->moves, perf_event_read(s->event[1], NULL, NULL));
	/* What it was told of too late to follow is no sample, but counts. */
	EXPECT_EQ(s->moves + lost_samples(s->event[1]), counted);
	stormers_switches += s->switches;
	for (int i = 0; i < EVENTS; i++)
		perf_event_release(s->event[i]);
}

static void round_of_stormers(void)
{
	WRITE_ONCE(go, false);
	for (int i = 0; i < STORMERS; i++)
		begin_stormer(&stormers[i]);
	WRITE_ONCE(go, true);
	wake_up(&gate);
	disturb();
	for (int i = 0; i < STORMERS; i++)
		end_stormer(&stormers[i]);
}

/* On a processor whose switches are to be compared: none comes in between. */
static void look(void *arg)
{
	struct by_cpu *c = &by_cpu[this_cpu()->id];

	c->scheduler = this_cpu()->nr_switches - c->base;
	c->events = c->switches;
}

static void set_base(void *arg)
{
	by_cpu[this_cpu()->id].base = this_cpu()->nr_switches - by_cpu[this_cpu()->id].switches;
}

static u64 all_moves(void)
{
	u64 moves = 0;

	for (u32 id = 0; id < nr_cpus; id++)
		moves += READ_ONCE(by_cpu[id].moves);
	return moves;
}

/* And those of tasks that ended before they could follow, which no sample tells. */
static u64 moves_accounted_for(void)
{
	u64 moves = all_moves();

	for (u32 id = 0; id < nr_cpus; id++)
		moves += lost_samples(by_cpu[id].event[1]);
	return moves;
}

static void check_sums(u64 moves_before)
{
	u64 stormers_seen = 0, idle = 0;

	smp_call(cpus_online(), look, NULL);
	for (u32 id = 0; id < nr_cpus; id++) {
		EXPECT_EQ(by_cpu[id].events, by_cpu[id].scheduler);
		stormers_seen += by_cpu[id].stormers;
		idle += by_cpu[id].idle;
	}
	EXPECT(stormers_seen >= stormers_switches);
	EXPECT(idle > 0);
	/* Those that were moved a moment ago have yet to run. */
	for (int i = 0; i < SETTLE_LOOKS; i++) {
		if (moves_accounted_for() == sched_nr_migrations() - moves_before)
			break;
		sleep_ns(1000000);
	}
	EXPECT_EQ(moves_accounted_for(), sched_nr_migrations() - moves_before);
}

KTEST(c02_storm_adds_up)
{
	u64 wanted = ktest_number("moves", MOVES), before;

	if (nr_cpus < 2) {
		ktest_skip("one processor runs");
		return;
	}
	memset(by_cpu, 0, sizeof(by_cpu));
	stormers_switches = 0;
	for (u32 id = 0; id < nr_cpus; id++)
		by_cpu[id].event[0] =
		    open(PERF_COUNT_SW_CONTEXT_SWITCHES, id, NULL, count_cpu_switch, NULL);
	smp_call(cpus_online(), set_base, NULL);
	before = sched_nr_migrations();
	for (u32 id = 0; id < nr_cpus; id++)
		by_cpu[id].event[1] =
		    open(PERF_COUNT_SW_CPU_MIGRATIONS, id, NULL, count_cpu_move, NULL);
	while (all_moves() < wanted)
		round_of_stormers();
	check_sums(before);
	for (u32 id = 0; id < nr_cpus; id++) {
		perf_event_release(by_cpu[id].event[0]);
		perf_event_release(by_cpu[id].event[1]);
	}
	sched_set_affinity(current, AFFINITY_ALL);
}
