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
	const struct timespec soon = {.tv_nsec = 20000};
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
