/* SPDX-License-Identifier: MIT */
/*
 * Mutexes: who has one is as urgent as who waits for it, so that nobody in between keeps both from
 * their processor; and is what he was afterwards.
 */
#include <hotregs/sched.h>
#include <hotregs/smp.h>
#include <hotregs/string.h>
#include <hotregs/syscalls.h>
#include <hotregs/time.h>
#include <hotregs/wait.h>

#include "ktest.h"

#define LOW    5
#define MIDDLE 10
#define HIGH   20

#define STORMERS 6
#define ROUNDS   300

static struct mutex outer = MUTEX_INIT(outer);
static struct mutex inner = MUTEX_INIT(inner);

/* --- Threads that take up to two mutexes, and give them back when they may --- */

static struct actor {
	struct mutex *mutex[2];
	char letter;
	unsigned may_hold; /* so many it keeps */
	unsigned held;
	bool done;
	struct task *task;
} low, high, link, other;

static char order[8]; /* of those that are done */
static u32 nr_done;

static void act(void *arg)
{
	struct actor *a = arg;

	for (unsigned i = 0; i < 2 && a->mutex[i]; i++) {
		mutex_lock(a->mutex[i]);
		WRITE_ONCE(a->held, i + 1);
	}
	while (a->held) {
		while (READ_ONCE(a->may_hold) >= a->held)
			;
		mutex_unlock(a->mutex[a->held - 1]);
		WRITE_ONCE(a->held, a->held - 1);
	}
	order[__atomic_fetch_add(&nr_done, 1, __ATOMIC_RELAXED) % sizeof(order)] = a->letter;
	WRITE_ONCE(a->done, true);
}

static bool stop;

/* In between: keeps less urgent ones from its processor. */
static void spin(void *arg)
{
	while (!READ_ONCE(stop))
		;
}

/* A thread that has not run yet, since the caller is more urgent. */
static struct task *start(void (*run)(void *arg), void *arg, unsigned priority, u32 cpu)
{
	struct task *task = kthread_start("actor", run, arg);

	sched_set_priority(task, priority);
	sched_set_affinity(task, CPU_MASK(cpu));
	return task;
}

static void start_actor(struct actor *a, const struct actor *is, unsigned priority, u32 cpu)
{
	*a = *is;
	a->task = start(act, a, priority, cpu);
}

/* One that has all its mutexes, and keeps them. */
static void start_holder(struct actor *a, struct mutex *m, struct mutex *m2, u32 cpu)
{
	start_actor(a, &(struct actor){.mutex = {m, m2}, .letter = 'l', .may_hold = 2}, LOW, cpu);
	COMES(READ_ONCE(a->held) == 1 + !!m2);
}

/* One that waits for @m. */
static void start_waiter(struct actor *a, char letter, struct mutex *m, unsigned priority, u32 cpu)
{
	start_actor(a, &(struct actor){.mutex = {m}, .letter = letter}, priority, cpu);
	COMES(READ_ONCE(a->task->waits_for) == m);
}

static unsigned priority_of(const struct actor *a)
{
	return READ_ONCE(a->task->priority);
}

static void may_hold(struct actor *a, unsigned n)
{
	WRITE_ONCE(a->may_hold, n);
}

static void begin(void)
{
	sched_set_affinity(current, CPU_MASK(0));
	sched_set_priority(current, PRIORITY_MAX);
	memset(order, 0, sizeof(order));
	nr_done = 0;
	stop = false;
}

static void end(struct task **task, unsigned n)
{
	WRITE_ONCE(stop, true);
	for (unsigned i = 0; i < n; i++)
		kthread_join(task[i]);
	sched_set_priority(current, PRIORITY_DEFAULT);
}

#define END(...) \
	end((struct task *[]){__VA_ARGS__}, sizeof((void *[]){__VA_ARGS__}) / sizeof(void *))

/* --- Somebody in between --- */

static void somebody_in_between(u32 low_cpu, u32 high_cpu)
{
	struct task *middle;

	begin();
	start_holder(&low, &inner, NULL, low_cpu);
	middle = start(spin, NULL, MIDDLE, low_cpu);
	start_waiter(&high, 'h', &inner, HIGH, high_cpu);
	EXPECT_EQ(priority_of(&low), HIGH);
	EXPECT_EQ(low.task->own_priority, LOW);
	may_hold(&low, 0);
	COMES(READ_ONCE(high.done));
	EXPECT_EQ(priority_of(&low), LOW);
	EXPECT_EQ(priority_of(&high), HIGH);
	END(low.task, middle, high.task);
}

KTEST(mutex_in_between)
{
	somebody_in_between(0, 0);
	EXPECT_STR(order, "hl");
}

static bool one_cpu(void)
{
	if (nr_cpus == 1)
		ktest_skip("there is but one processor");
	return nr_cpus == 1;
}

/* The owner is in the queue of another processor. */
KTEST(smp_mutex_in_between)
{
	if (one_cpu())
		return;
	somebody_in_between(1, 0);
	somebody_in_between(0, 1);
}

/* Who is as urgent as another one takes that along to another processor. */
KTEST(smp_mutex_owner_moves)
{
	struct task *middle[2];

	if (one_cpu())
		return;
	begin();
	start_holder(&low, &inner, NULL, 1);
	for (u32 i = 0; i < 2; i++)
		middle[i] = start(spin, NULL, MIDDLE, i);
	start_waiter(&high, 'h', &inner, HIGH, 0);
	EXPECT_EQ(sched_set_affinity(low.task, CPU_MASK(0)), 0);
	COMES(READ_ONCE(low.task->cpu) == 0);
	EXPECT_EQ(priority_of(&low), HIGH);
	may_hold(&low, 0);
	COMES(READ_ONCE(high.done));
	EXPECT_EQ(priority_of(&low), LOW);
	END(low.task, middle[0], middle[1], high.task);
}

/* --- Chains, and several at once --- */

/* The owner of the one waits for the owner of the other. */
static void chain(u32 low_cpu, u32 link_cpu)
{
	struct task *middle;

	begin();
	start_holder(&low, &inner, NULL, low_cpu);
	start_actor(&link, &(struct actor){.mutex = {&outer, &inner}, .letter = 'k'}, LOW + 1,
		    link_cpu);
	COMES(READ_ONCE(link.task->waits_for) == &inner);
	EXPECT_EQ(priority_of(&low), LOW + 1);
	middle = start(spin, NULL, MIDDLE, low_cpu);
	start_waiter(&high, 'h', &outer, HIGH, 0);
	EXPECT_EQ(priority_of(&link), HIGH);
	EXPECT_EQ(priority_of(&low), HIGH);
	may_hold(&low, 0);
	COMES(READ_ONCE(high.done));
	EXPECT_EQ(priority_of(&low), LOW);
	EXPECT_EQ(priority_of(&link), LOW + 1);
	END(low.task, link.task, middle, high.task);
}

KTEST(mutex_chain)
{
	chain(0, 0);
	EXPECT_STR(order, "hkl");
}

KTEST(smp_mutex_chain)
{
	if (one_cpu())
		return;
	chain(1, 0);
	chain(1, 1);
}

/* Who gives back one of two is as urgent as who waits for the other. */
KTEST(mutex_two_are_waited_for)
{
	begin();
	start_holder(&low, &outer, &inner, 0);
	start_waiter(&other, 'o', &outer, HIGH - 5, 0);
	EXPECT_EQ(priority_of(&low), HIGH - 5);
	start_waiter(&high, 'h', &inner, HIGH, 0);
	EXPECT_EQ(priority_of(&low), HIGH);
	may_hold(&low, 1);
	COMES(READ_ONCE(high.done));
	EXPECT_EQ(priority_of(&low), HIGH - 5);
	may_hold(&low, 0);
	COMES(READ_ONCE(other.done));
	EXPECT_EQ(priority_of(&low), LOW);
	END(low.task, other.task, high.task);
}

/* --- Whose turn it is --- */

KTEST(mutex_most_urgent_first)
{
	begin();
	start_holder(&low, &inner, NULL, 0);
	start_waiter(&other, 'a', &inner, MIDDLE, 0);
	start_waiter(&link, 'b', &inner, MIDDLE, 0);
	start_waiter(&high, 'c', &inner, HIGH, 0);
	may_hold(&low, 0);
	END(low.task, other.task, high.task, link.task);
	EXPECT_STR(order, "cabl");
}

/* Who becomes more urgent goes to the front, and back. */
KTEST(mutex_line_follows_priorities)
{
	begin();
	start_holder(&low, &inner, NULL, 0);
	start_waiter(&other, 'a', &inner, MIDDLE, 0);
	start_waiter(&link, 'b', &inner, MIDDLE, 0);
	start_waiter(&high, 'c', &inner, HIGH, 0);
	sched_set_priority(link.task, HIGH + 1);
	sched_set_priority(high.task, MIDDLE - 1);
	may_hold(&low, 0);
	END(low.task, other.task, high.task, link.task);
	EXPECT_STR(order, "bacl");
}

/* Under SCHED_FIFO it goes on before its equals when it is no more urgent than they. */
KTEST(mutex_owner_keeps_its_turn)
{
	begin();
	start_holder(&low, &inner, NULL, 0);
	low.task->fifo = true;
	start_actor(&other, &(struct actor){.letter = 'o'}, LOW, 0);
	start_waiter(&high, 'h', &inner, HIGH, 0);
	may_hold(&low, 0);
	END(low.task, other.task, high.task);
	EXPECT_STR(order, "hlo");
}

/* --- Priorities that are set meanwhile --- */

KTEST(mutex_priority_of_owner)
{
	begin();
	start_holder(&low, &inner, NULL, 0);
	start_waiter(&high, 'h', &inner, HIGH, 0);
	sched_set_priority(low.task, HIGH + 1);
	EXPECT_EQ(priority_of(&low), HIGH + 1);
	sched_set_priority(low.task, LOW + 1);
	EXPECT_EQ(priority_of(&low), HIGH);
	EXPECT_EQ(low.task->own_priority, LOW + 1);
	may_hold(&low, 0);
	COMES(READ_ONCE(high.done));
	EXPECT_EQ(priority_of(&low), LOW + 1);
	END(low.task, high.task);
}

KTEST(mutex_priority_of_waiter)
{
	begin();
	start_holder(&low, &inner, NULL, 0);
	start_waiter(&other, 'o', &inner, MIDDLE, 0);
	start_waiter(&high, 'h', &inner, HIGH, 0);
	sched_set_priority(high.task, HIGH + 1);
	EXPECT_EQ(priority_of(&low), HIGH + 1);
	sched_set_priority(high.task, LOW - 1);
	EXPECT_EQ(priority_of(&low), MIDDLE);
	sched_set_priority(other.task, LOW - 2);
	EXPECT_EQ(priority_of(&low), LOW);
	may_hold(&low, 0);
	END(low.task, other.task, high.task);
	EXPECT_STR(order, "lho");
}

/* What programs are told, and what children begin with, is what was set. */
KTEST(mutex_policy_of_owner)
{
	begin();
	start_holder(&low, &inner, NULL, 0);
	low.task->policy = UAPI_SCHED_RR;
	sched_set_priority(low.task, PRIORITY_DEFAULT + 1);
	start_waiter(&high, 'h', &inner, HIGH, 0);
	EXPECT_EQ(priority_of(&low), HIGH);
	EXPECT_EQ(sys_sched_getparam(low.task->tid), 1);
	may_hold(&low, 0);
	END(low.task, high.task);
}

/* --- All of it at once --- */

static struct task *stormer[STORMERS];
static u32 in_outer, in_inner, most;

static u32 next_random(u32 *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

static void hold(struct mutex *m, u32 *inside, u32 *random)
{
	mutex_lock(m);
	++*inside;
	WRITE_ONCE(most, MAX(READ_ONCE(most), *inside));
	if (m == &outer && next_random(random) & 1)
		hold(&inner, &in_inner, random);
	if (next_random(random) & 1)
		yield();
	else
		sleep_ns(20000);
	--*inside;
	mutex_unlock(m);
}

/* Holds the one, the other, or both, and changes how urgent somebody is, and where. */
static void storm(void *arg)
{
	u32 random = (unsigned long)arg;

	for (unsigned i = 0; i < ROUNDS; i++) {
		u32 choice = next_random(&random);
		struct task *task = READ_ONCE(stormer[choice % STORMERS]);

		if (choice & 64)
			hold(&outer, &in_outer, &random);
		else
			hold(&inner, &in_inner, &random);
		if (task && choice & 128)
			sched_set_priority(task, 1 + next_random(&random) % PRIORITY_DEFAULT);
		else if (task && next_random(&random) & cpus_online())
			sched_set_affinity(task, random >> 16);
	}
	__atomic_fetch_add(&nr_done, 1, __ATOMIC_RELAXED);
}

KTEST(smp_mutex_storm)
{
	begin();
	in_outer = in_inner = most = 0;
	memset(stormer, 0, sizeof(stormer));
	for (unsigned i = 0; i < STORMERS; i++)
		WRITE_ONCE(stormer[i], start(storm, (void *)(i + 1UL), PRIORITY_DEFAULT, 0));
	COMES(READ_ONCE(nr_done) == STORMERS);
	EXPECT_EQ(most, 1);
	for (unsigned i = 0; i < STORMERS; i++) {
		EXPECT_EQ(stormer[i]->priority, stormer[i]->own_priority);
		EXPECT(!stormer[i]->waits_for && !stormer[i]->waited_for);
	}
	end(stormer, STORMERS);
}
