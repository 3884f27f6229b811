/* SPDX-License-Identifier: MIT */
/* The scheduler: priorities, slices among equals, sleeping, mutexes, and nothing left behind. */
#include <hotregs/mm.h>
#include <hotregs/sched.h>
#include <hotregs/string.h>
#include <hotregs/time.h>
#include <hotregs/wait.h>

#include "ktest.h"

static bool stop;
static u64 spins[2];

static void spin(void *counter)
{
	while (!READ_ONCE(stop))
		++*(volatile u64 *)counter;
}

KTEST(sched_equals_share)
{
	struct task *task[2];

	stop = false;
	for (int i = 0; i < 2; i++) {
		spins[i] = 0;
		task[i] = kthread_start("spin", spin, &spins[i]);
	}
	/* Some slices for each; both spin all the while, so this thread too must get its turns. */
	while (!READ_ONCE(spins[0]) || !READ_ONCE(spins[1]))
		sleep_ns(1000000);
	WRITE_ONCE(stop, true);
	for (int i = 0; i < 2; i++) {
		kthread_join(task[i]);
		EXPECT(spins[i] > 0);
	}
}

static char order[8];

static void note(void *letter)
{
	size_t n = strlen(order);

	order[n] = *(const char *)letter;
}

/* A more urgent thread runs before its starter goes on; a less urgent one when the CPU is free. */
KTEST(sched_priority_order)
{
	struct task *high, *low;
	unsigned long flags = irq_save();

	memset(order, 0, sizeof(order));
	low = kthread_start("low", note, "l");
	sched_set_priority(low, 1);
	high = kthread_start("high", note, "h");
	sched_set_priority(high, PRIORITY_MAX);
	irq_restore(flags);
	while (!READ_ONCE(order[0]))
		cpu_relax();
	note("m");
	kthread_join(low);
	kthread_join(high);
	EXPECT_STR(order, "hml");
}

KTEST(sched_priority_range)
{
	EXPECT_EQ(sched_set_priority(current, 0), -EINVAL);
	EXPECT_EQ(sched_set_priority(current, 32), -EINVAL);
	EXPECT_EQ(sched_set_priority(current, PRIORITY_DEFAULT), 0);
}

KTEST(sched_sleep_lasts)
{
	u64 start = clock_ns();

	EXPECT_EQ(sleep_ns(3000000), 0);
	EXPECT(clock_ns() - start >= 3000000);
	start = clock_ns();
	EXPECT_EQ(sleep_ns(0), 0);
}

static struct mutex mutex = MUTEX_INIT(mutex);
static unsigned inside, most, rounds;

static void contend(void *arg)
{
	for (int i = 0; i < 50; i++) {
		mutex_lock(&mutex);
		inside++;
		most = MAX(most, inside);
		yield();
		inside--;
		rounds++;
		mutex_unlock(&mutex);
	}
}

KTEST(sched_mutex_excludes)
{
	struct task *task[4];

	inside = most = rounds = 0;
	for (int i = 0; i < 4; i++)
		task[i] = kthread_start("contend", contend, NULL);
	for (int i = 0; i < 4; i++)
		kthread_join(task[i]);
	EXPECT_EQ(most, 1);
	EXPECT_EQ(rounds, 200);
}

static void nothing(void *arg)
{
}

KTEST(sched_threads_leave_nothing)
{
	size_t before, i;

	/* The first ones may fill caches. */
	for (i = 0; i < 8; i++)
		kthread_join(kthread_start("nothing", nothing, NULL));
	before = page_nr_free();
	for (i = 0; i < 100; i++)
		kthread_join(kthread_start("nothing", nothing, NULL));
	EXPECT_EQ(page_nr_free(), before);
}

KTEST(sched_switches_are_conserved)
{
	u64 mine = current->nr_switches, all = sched_nr_switches();

	for (int i = 0; i < 5; i++)
		sleep_ns(100000);
	EXPECT_EQ(current->nr_switches - mine, 5);
	EXPECT(sched_nr_switches() - all >= 10);
}
