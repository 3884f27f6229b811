/* SPDX-License-Identifier: MIT */
/*
 * threads [N]: N threads (3) with names take numbers from a queue, which another one fills, and add
 * up what they make of them. They sleep where it is empty, or full, or held by another.
 */
#define _GNU_SOURCE /* thread names */
#include "arguments.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define MAX_WORKERS 16
#define ROOM        4
#define JOBS        60

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_empty = PTHREAD_COND_INITIALIZER, not_full = PTHREAD_COND_INITIALIZER;
static unsigned queue[ROOM], first, filled;
static unsigned long sum;

static __attribute__((noinline)) void put_job(unsigned job)
{
	pthread_mutex_lock(&mutex);
	while (filled == ROOM)
		pthread_cond_wait(&not_full, &mutex);
	queue[(first + filled++) % ROOM] = job;
	pthread_cond_signal(&not_empty);
	pthread_mutex_unlock(&mutex);
}

static __attribute__((noinline)) unsigned take_job(void)
{
	unsigned job;

	pthread_mutex_lock(&mutex);
	while (!filled)
		pthread_cond_wait(&not_empty, &mutex);
	job = queue[first];
	first = (first + 1) % ROOM;
	filled--;
	pthread_cond_signal(&not_full);
	pthread_mutex_unlock(&mutex);
	return job;
}

/* How many steps 3n+1 takes to come down to 1. */
static __attribute__((noinline)) unsigned steps(unsigned long n)
{
	unsigned count = 0;

	for (; n > 1; count++)
		n = n % 2 ? 3 * n + 1 : n / 2;
	return count;
}

static void *work(void *unused __attribute__((unused)))
{
	unsigned job;

	while ((job = take_job())) {
		unsigned long local = 0;

		for (unsigned n = job * 100; n < (job + 1) * 100; n++)
			local += steps(n);
		__atomic_add_fetch(&sum, local, __ATOMIC_RELAXED);
	}
	return NULL;
}

int main(int argc, char **argv)
{
	struct number wanted = {3, .least = 1, .most = MAX_WORKERS};
	pthread_t thread[MAX_WORKERS];
	char name[16];
	int workers;

	take_numbers(argc, argv, &wanted, 1, "threads [N], 1 to 16");
	workers = wanted.value;
	for (int i = 0; i < workers; i++) {
		int err = pthread_create(&thread[i], NULL, work, NULL);

		if (err) {
			fprintf(stderr, "threads: cannot make one (error %d)\n", err);
			return 1;
		}
		snprintf(name, sizeof(name), "worker-%d", i + 1);
		pthread_setname_np(thread[i], name);
	}
	for (unsigned job = 1; job <= JOBS; job++)
		put_job(job);
	for (int i = 0; i < workers; i++)
		put_job(0);
	for (int i = 0; i < workers; i++)
		pthread_join(thread[i], NULL);
	printf("%d workers: %lu steps\n", workers, sum);
	return 0;
}
