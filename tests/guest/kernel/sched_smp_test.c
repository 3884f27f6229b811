/* SPDX-License-Identifier: MIT */
/*
 * The scheduler on several processors: tasks run where they may, work spreads, nothing that was
 * woken is lost, and moves are counted. That no task runs on two processors at once is checked at
 * every switch (check_task_on()).
 */
#include <hotregs/sched.h>
#include <hotregs/smp.h>
#include <hotregs/time.h>
#include <hotregs/wait.h>

#include "ktest.h"

#include <arch/irq.h>

#define PAIRS      4
#define PINGS      1000
#define STORMERS   8
#define STORM_ENDS 2000 /* moves */

/* The caller keeps to the first processor, unless a test says otherwise. */
static bool one_cpu(void)
{
	sched_set_affinity(current, CPU_MASK(0));
	if (nr_cpus > 1)
		return false;
	ktest_skip("there is but one processor");
	return true;
}

static u32 here(void)
{
	return READ_ONCE(current->cpu);
}

/* --- Spinners: each tells where it is --- */

static bool stop;
static u32 seen_on[MAX_CPUS + 1]; /* a spinner's processor, + 1 */

static void spin(void *place)
{
	while (!READ_ONCE(stop)) {
		WRITE_ONCE(*(u32 *)place, here() + 1);
		cpu_relax();
	}
}

/* One that may run on @cpus, which the caller may too. */
static struct task *start_spinner(unsigned i, u32 cpus)
{
	struct task *task;

	WRITE_ONCE(seen_on[i], 0);
	sched_set_affinity(current, cpus);
	task = kthread_start("spin", spin, &seen_on[i]);
	sched_set_affinity(current, CPU_MASK(0));
	return task;
}

static u32 seen(unsigned i)
{
	u32 cpu = READ_ONCE(seen_on[i]);

	return cpu ? CPU_MASK(cpu - 1) : 0;
}

static u32 all_seen(unsigned n)
{
	u32 cpus = 0;

	for (unsigned i = 0; i < n; i++)
		cpus |= seen(i);
	return cpus;
}

static void end_spinners(struct task **task, unsigned n)
{
	WRITE_ONCE(stop, true);
	for (unsigned i = 0; i < n; i++)
		kthread_join(task[i]);
	stop = false;
}

/* --- Affinity --- */

KTEST(smp_affinity_that_is_none)
{
	EXPECT_EQ(sched_set_affinity(current, 0), -EINVAL);
	EXPECT_EQ(sched_set_affinity(current, ~cpus_online()), -EINVAL);
	EXPECT_EQ(sched_set_affinity(current, AFFINITY_ALL), 0);
	EXPECT_EQ(current->affinity, cpus_online());
}

static void nothing_to_do(void *arg)
{
	WRITE_ONCE(*(u32 *)arg, here() + 1);
}

/* A task that has not begun is nowhere: where it starts is no move. */
KTEST(smp_affinity_before_the_start)
{
	struct task *task;
	unsigned long flags;
	u32 last = nr_cpus - 1;

	if (one_cpu())
		return;
	task = task_create("unborn", nothing_to_do, &seen_on[0]);
	if (!EXPECT(!IS_ERR(task)))
		return;
	task->flags |= TASK_KTHREAD;
	flags = spin_lock_irqsave(&task_list_lock);
	task_publish(task, 0);
	spin_unlock_irqrestore(&task_list_lock, flags);
	EXPECT_EQ(sched_set_affinity(task, CPU_MASK(last)), 0);
	EXPECT(!wake_up_task(task));
	EXPECT_EQ(task->nr_migrations, 0);
	sched_start(task);
	COMES(seen(0) == CPU_MASK(last));
	EXPECT_EQ(task->nr_migrations, 0);
	kthread_join(task);
}

KTEST(smp_affinity_moves_its_caller)
{
	u64 own;

	if (one_cpu())
		return;
	own = current->nr_migrations;
	for (u32 i = 1; i <= 3 * nr_cpus; i++) {
		u64 into = cpus[i % nr_cpus].nr_migrations;

		EXPECT_EQ(sched_set_affinity(current, CPU_MASK(i % nr_cpus)), 0);
		EXPECT_EQ(here(), i % nr_cpus);
		EXPECT_EQ(current->nr_migrations - own, i);
		EXPECT(cpus[i % nr_cpus].nr_migrations > into);
	}
	/* Where it may stay, it does. */
	EXPECT_EQ(sched_set_affinity(current, CPU_MASK(0) | CPU_MASK(1)), 0);
	EXPECT_EQ(current->nr_migrations - own, 3 * nr_cpus);
}

KTEST(smp_affinity_moves_who_runs)
{
	struct task *task;

	if (one_cpu())
		return;
	task = start_spinner(0, CPU_MASK(1));
	COMES(seen(0) == CPU_MASK(1));
	for (u32 i = 0; i < 20; i++) {
		u32 to = CPU_MASK(i % 2 ? 1 : nr_cpus > 2 ? 2 : 0);

		EXPECT_EQ(sched_set_affinity(task, to), 0);
		COMES(seen(0) == to);
		EXPECT_EQ(task->nr_migrations, i + 1);
	}
	end_spinners(&task, 1);
}

static struct wait_queue gate = WAIT_QUEUE_INIT(gate);
static u32 opened, passed_on;

static void pass_gate(void *arg)
{
	while (wait_event(&gate, READ_ONCE(opened)) < 0)
		yield();
	WRITE_ONCE(passed_on, here() + 1);
}

KTEST(smp_affinity_moves_who_sleeps)
{
	struct task *task;

	if (one_cpu())
		return;
	opened = passed_on = 0;
	task = kthread_start("sleeper", pass_gate, NULL);
	COMES(READ_ONCE(task->state) == TASK_SLEEPING);
	EXPECT_EQ(sched_set_affinity(task, CPU_MASK(1)), 0);
	EXPECT_EQ(task->nr_migrations, 1);
	EXPECT_EQ(task->cpu, 1);
	WRITE_ONCE(opened, 1);
	wake_up(&gate);
	COMES(READ_ONCE(passed_on));
	EXPECT_EQ(passed_on, 2);
	kthread_join(task);
}

/* A less urgent one that never had its turn. */
KTEST(smp_affinity_moves_who_waits)
{
	struct task *busy, *task;

	if (one_cpu())
		return;
	busy = start_spinner(0, CPU_MASK(1));
	COMES(seen(0));
	opened = 1;
	passed_on = 0;
	sched_set_affinity(current, CPU_MASK(1));
	sched_set_priority(current, PRIORITY_MAX);
	task = kthread_start("waits", pass_gate, NULL);
	sched_set_priority(task, 1);
	sched_set_affinity(current, CPU_MASK(0));
	sched_set_priority(current, PRIORITY_DEFAULT);
	sleep_ns(30000000);
	EXPECT_EQ(READ_ONCE(passed_on), 0);
	EXPECT_EQ(sched_set_affinity(task, CPU_MASK(0)), 0);
	COMES(READ_ONCE(passed_on));
	EXPECT_EQ(passed_on, 1);
	EXPECT_EQ(task->nr_migrations, 1);
	kthread_join(task);
	end_spinners(&busy, 1);
}

/* --- Spreading --- */

KTEST(smp_work_spreads)
{
	struct task *task[MAX_CPUS];

	if (one_cpu())
		return;
	for (u32 i = 0; i < nr_cpus; i++)
		task[i] = start_spinner(i, AFFINITY_ALL);
	COMES(all_seen(nr_cpus) == cpus_online());
	end_spinners(task, nr_cpus);
}

/* A processor that becomes idle takes one of two that share another one. */
KTEST(smp_idle_takes_what_waits)
{
	struct task *task[2];
	u64 before;

	if (one_cpu())
		return;
	for (u32 i = 0; i < 2; i++)
		task[i] = start_spinner(i, CPU_MASK(0));
	COMES(seen(0) && seen(1));
	before = cpus[1].nr_migrations;
	for (u32 i = 0; i < 2; i++)
		sched_set_affinity(task[i], CPU_MASK(0) | CPU_MASK(1));
	COMES(all_seen(2) == (CPU_MASK(0) | CPU_MASK(1)));
	EXPECT(cpus[1].nr_migrations > before);
	end_spinners(task, 2);
}

/* A busy one takes from a busier one, until they are even. */
KTEST(smp_busy_ones_even_out)
{
	struct task *task[5];
	u32 n;

	if (one_cpu())
		return;
	for (u32 i = 0; i < 5; i++)
		task[i] = start_spinner(i, CPU_MASK(i == 4));
	for (u32 i = 0; i < 4; i++)
		sched_set_affinity(task[i], CPU_MASK(0) | CPU_MASK(1));
	COMES(({
		n = 0;
		for (u32 i = 0; i < 5; i++)
			n += seen(i) == CPU_MASK(1);
		n >= 2;
	}));
	end_spinners(task, 5);
}

static u32 arrived;

/* All of them have to run at once, or nobody gets on. */
static void meet(void *arg)
{
	__atomic_fetch_add(&arrived, 1, __ATOMIC_RELAXED);
	for (u64 end = clock_ns() + 2000000000ULL; clock_ns() < end;) {
		if (READ_ONCE(arrived) == nr_cpus) {
			WRITE_ONCE(*(bool *)arg, true);
			return;
		}
		cpu_relax();
	}
}

/* As many urgent ones as there are processors all run, whatever else there is to do. */
KTEST(smp_urgent_ones_get_processors)
{
	struct task *busy[MAX_CPUS], *urgent[MAX_CPUS];
	bool met[MAX_CPUS] = {};

	if (one_cpu())
		return;
	for (u32 i = 0; i < nr_cpus; i++)
		busy[i] = start_spinner(i, AFFINITY_ALL);
	COMES(all_seen(nr_cpus) == cpus_online());
	arrived = 0;
	sched_set_priority(current, PRIORITY_MAX);
	sched_set_affinity(current, AFFINITY_ALL);
	for (u32 i = 0; i < nr_cpus; i++) {
		urgent[i] = kthread_start("urgent", meet, &met[i]);
		sched_set_priority(urgent[i], PRIORITY_MAX - 1);
	}
	for (u32 i = 0; i < nr_cpus; i++) {
		kthread_join(urgent[i]);
		EXPECT(met[i]);
	}
	sched_set_priority(current, PRIORITY_DEFAULT);
	sched_set_affinity(current, CPU_MASK(0));
	end_spinners(busy, nr_cpus);
}

/* --- Wake-ups --- */

static struct ball {
	struct wait_queue queue;
	u32 side, hits;
} balls[PAIRS];

static void hit(struct ball *ball, u32 side)
{
	for (unsigned i = 0; i < PINGS; i++) {
		while (wait_event(&ball->queue, READ_ONCE(ball->side) == side) < 0)
			yield();
		ball->hits++;
		WRITE_ONCE(ball->side, !side);
		wake_up(&ball->queue);
	}
}

static void ping(void *ball)
{
	hit(ball, 0);
}

static void pong(void *ball)
{
	hit(ball, 1);
}

KTEST(smp_no_wake_up_is_lost)
{
	struct task *task[PAIRS][2];

	if (one_cpu())
		return;
	sched_set_affinity(current, AFFINITY_ALL);
	for (unsigned i = 0; i < PAIRS; i++) {
		wait_queue_init(&balls[i].queue);
		balls[i].side = balls[i].hits = 0;
		task[i][0] = kthread_start("ping", ping, &balls[i]);
		task[i][1] = kthread_start("pong", pong, &balls[i]);
	}
	for (unsigned i = 0; i < PAIRS; i++) {
		kthread_join(task[i][0]);
		kthread_join(task[i][1]);
		EXPECT_EQ(balls[i].hits, 2 * PINGS);
	}
}

/* --- All of it at once --- */

static struct task *stormer[STORMERS];
static u32 parked;

static u32 next_random(u32 *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

/* Sends itself and others about, computes, yields and sleeps; in the end stays to be looked at. */
static void storm(void *arg)
{
	u32 random = (unsigned long)arg;

	while (!READ_ONCE(stop)) {
		u32 choice = next_random(&random), mask = next_random(&random) & cpus_online();
		struct task *task = READ_ONCE(stormer[choice % STORMERS]);

		if (mask && task && !sched_set_affinity(task, mask) && task == current &&
		    !(READ_ONCE(current->affinity) & CPU_MASK(here())))
			yield(); /* somebody else has sent it on */
		if (choice & 64)
			sleep_ns(20000);
		else if (choice & 128)
			yield();
		else
			sched_set_priority(current, 1 + choice / 256 % PRIORITY_DEFAULT);
	}
	__atomic_fetch_add(&parked, 1, __ATOMIC_RELAXED);
	while (wait_event(&gate, READ_ONCE(opened)) < 0)
		yield();
}

static u64 migrations_of_tasks(void)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	struct task *task;
	u64 n = 0;

	list_for_each (task, &task_list, all_node)
		n += task->nr_migrations;
	spin_unlock_irqrestore(&task_list_lock, flags);
	return n;
}

KTEST(smp_migration_storm_is_counted)
{
	u64 tasks, all;

	if (one_cpu())
		return;
	opened = parked = 0;
	sched_set_affinity(current, AFFINITY_ALL);
	tasks = migrations_of_tasks();
	all = sched_nr_migrations();
	for (unsigned i = 0; i < STORMERS; i++)
		WRITE_ONCE(stormer[i], kthread_start("storm", storm, (void *)(i + 1UL)));
	while (sched_nr_migrations() - all < STORM_ENDS)
		sleep_ns(1000000);
	WRITE_ONCE(stop, true);
	COMES(READ_ONCE(parked) == STORMERS);
	/* This one may be sent elsewhere while it adds up. */
	sched_set_affinity(current, CPU_MASK(0));
	EXPECT_EQ(migrations_of_tasks() - tasks, sched_nr_migrations() - all);
	WRITE_ONCE(opened, 1);
	wake_up(&gate);
	end_spinners(stormer, STORMERS);
	for (unsigned i = 0; i < STORMERS; i++)
		stormer[i] = NULL;
}
