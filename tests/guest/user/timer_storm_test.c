/* SPDX-License-Identifier: MIT */
/* Timers in numbers: of threads that take each other's away, and of processes that want a machine
 * to do nothing else. */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "signals.h"

/* --- Threads that share numbers of timers --- */

#define NR_CREATORS 4
#define NR_CREATED  400

static int creating = NR_CREATORS;

static void *create_and_delete(void *arg)
{
	/* Long enough for the asker to run, in a kernel that checks itself too. */
	const struct timespec soon = {.tv_nsec = 100000};
	struct sigevent event = {.sigev_notify = SIGEV_NONE};
	timer_t timer;

	for (int i = 0; i < NR_CREATED; i++) {
		nanosleep(&soon, NULL);
		if (!EXPECT_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0))
			break;
		nanosleep(&soon, NULL);
		EXPECT_EQ(timer_delete(timer), 0);
	}
	__atomic_fetch_sub(&creating, 1, __ATOMIC_RELAXED);
	return arg;
}

/* Timer 0 is there or not whenever it is looked for: the asker is interrupted at any place, by who
 * then waits for it. */
TEST(timer_storm_of_threads)
{
	const struct itimerspec later = {.it_value.tv_sec = 1000};
	pthread_t thread[NR_CREATORS];
	struct itimerspec left;
	long there = 0, absent = 0;

	for (int i = 0; i < NR_CREATORS; i++)
		EXPECT_EQ(pthread_create(&thread[i], NULL, create_and_delete, NULL), 0);
	setpriority(PRIO_PROCESS, 0, 19); /* the calling thread's */
	while (__atomic_load_n(&creating, __ATOMIC_RELAXED)) {
		if (timer_gettime((timer_t)0, &left))
			absent++;
		else
			there++;
		timer_settime((timer_t)0, 0, &later, NULL);
		timer_getoverrun((timer_t)0);
	}
	setpriority(PRIO_PROCESS, 0, 0);
	for (int i = 0; i < NR_CREATORS; i++)
		EXPECT_EQ(pthread_join(thread[i], NULL), 0);
	EXPECT(there > 0 && absent > 0);
}

/* --- More expirations than a processor can serve --- */

#define NR_FLOODERS     8
#define TIMERS_OF_EACH  16
#define FLOOD_PERIOD_NS 100000

static long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static int flood(void)
{
	const struct itimerspec often = {.it_value.tv_nsec = FLOOD_PERIOD_NS,
					 .it_interval.tv_nsec = FLOOD_PERIOD_NS};
	timer_t timer;

	signal(SIGALRM, SIG_IGN);
	for (int i = 0; i < TIMERS_OF_EACH; i++)
		if (timer_create(CLOCK_MONOTONIC, NULL, &timer) ||
		    timer_settime(timer, 0, &often, NULL))
			return 1;
	for (;;)
		pause();
}

static void spin(long n)
{
	for (volatile long i = 0; i < n; i++)
		;
}

static long long time_of(long n)
{
	long long start = now_ns();

	spin(n);
	return now_ns() - start;
}

static int flood_as_user(void)
{
	return setuid(1000) ? 1 : flood();
}

static void start_flood(pid_t *child, int (*body)(void))
{
	for (int i = 0; i < NR_FLOODERS; i++)
		child[i] = start_child(body);
	for (int i = 0; i < NR_FLOODERS; i++)
		EXPECT(wait_until_asleep(child[i]));
}

static void end_flood(const pid_t *child)
{
	for (int i = 0; i < NR_FLOODERS; i++) {
		EXPECT_EQ(kill(child[i], SIGKILL), 0);
		EXPECT_EQ(join_child(child[i]), -1);
	}
}

/*
 * Timers of others do not make the privileged user's less exact: by the rule it is looked at every
 * 0.1 ms and 0.1 us for each of theirs, so that none of the expirations, 1 ms apart, is missed.
 */
TEST(timer_storm_without_privilege)
{
	const struct itimerspec often = {.it_value.tv_nsec = 1000000,
					 .it_interval.tv_nsec = 1000000};
	sigset_t set = only(SIGALRM), old = block(SIGALRM);
	pid_t child[NR_FLOODERS];
	siginfo_t info;
	timer_t timer;

	start_flood(child, flood_as_user);
	EXPECT_EQ(timer_create(CLOCK_MONOTONIC, NULL, &timer), 0);
	EXPECT_EQ(timer_settime(timer, 0, &often, NULL), 0);
	for (int i = 0; i < 20; i++) {
		EXPECT_EQ(sigwaitinfo(&set, &info), SIGALRM);
		EXPECT_EQ(info.si_overrun, 0);
	}
	EXPECT_EQ(timer_delete(timer), 0);
	end_flood(child);
	set_mask(old);
}

/* A bystander goes on, and has the machine for itself when the processes are gone. */
TEST(timer_storm_of_processes)
{
	const long n = 15000000 / (time_of(100000) / 100000 + 1); /* about 15 ms */
	long long alone = time_of(n), together;
	pid_t child[NR_FLOODERS];

	start_flood(child, flood);
	together = time_of(n);
	EXPECT(together < 2 * alone);
	end_flood(child);
	EXPECT(time_of(n) < alone * 11 / 10);
}
