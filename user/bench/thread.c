/* SPDX-License-Identifier: MIT */
/* Threads: switches between two of them through futexes, and what it costs to make and join one. */
#include "bench.h"

#include <pthread.h>
#include <raw_syscall.h>
#include <sys/syscall.h>
#include <uapi/futex.h>

#define TRIPS   300
#define THREADS 50

static uint32_t there, back; /* rounds begun, and answered; each is a futex */

static void futex_wait_for(uint32_t *word, uint32_t wanted)
{
	uint32_t value;

	while ((value = __atomic_load_n(word, __ATOMIC_ACQUIRE)) != wanted)
		raw_syscall6(SYS_futex, (long)word, UAPI_FUTEX_WAIT | UAPI_FUTEX_PRIVATE, value, 0,
			     0, 0);
}

static void futex_set(uint32_t *word, uint32_t value)
{
	__atomic_store_n(word, value, __ATOMIC_RELEASE);
	raw_syscall3(SYS_futex, (long)word, UAPI_FUTEX_WAKE | UAPI_FUTEX_PRIVATE, 1);
}

/* Answers as many rounds as *@arg says. */
static void *answer(void *arg)
{
	uint32_t rounds = *(uint32_t *)arg;

	for (uint32_t i = 1; i <= rounds; i++) {
		futex_wait_for(&there, i);
		futex_set(&back, i);
	}
	return NULL;
}

static double futex_batch(void)
{
	uint32_t rounds = TRIPS + 1;
	uint64_t before, start, took, switches;
	pthread_t partner;

	there = back = 0;
	if (pthread_create(&partner, NULL, answer, &rounds))
		return bench_failed("pthread_create failed");
	/* One round beforehand: the partner waits then. */
	futex_set(&there, 1);
	futex_wait_for(&back, 1);
	before = count_switches();
	start = clock_instructions();
	for (uint32_t i = 2; i <= rounds; i++) {
		futex_set(&there, i);
		futex_wait_for(&back, i);
	}
	took = clock_instructions() - start;
	switches = count_switches() - before;
	pthread_join(partner, NULL);
	if (switches < 2 * TRIPS || switches > 2 * TRIPS + TRIPS / 20)
		return bench_failed("%u round trips made %u switches", TRIPS, (unsigned)switches);
	return (double)took / switches;
}

static void *count_up(void *arg)
{
	++*(unsigned *)arg;
	return NULL;
}

static double create_batch(void)
{
	uint64_t start = clock_instructions(), took;
	unsigned ran = 0;

	for (unsigned i = 0; i < THREADS; i++) {
		pthread_t thread;

		if (pthread_create(&thread, NULL, count_up, &ran))
			return bench_failed("pthread_create failed");
		pthread_join(thread, NULL);
	}
	took = clock_instructions() - start;
	return ran == THREADS ? (double)took / THREADS : bench_failed("%u threads ran", ran);
}

bool bench_threads(void)
{
	bool ok = bench_row("futex switch", futex_batch);

	return bench_row("thread create+join", create_batch) && ok;
}
