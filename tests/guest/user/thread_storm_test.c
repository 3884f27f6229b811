/* SPDX-License-Identifier: MIT */
/*
 * Storms of threads by fixed seeds: processes whose threads make, join and detach each other, lock,
 * fork, and end the whole in every way there is, at places that no test could choose. Each process
 * is waited for once, and the machine's memory is what it was.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ktap.h"

#define NR_STORMS   90
#define MAX_THREADS 12
#define STATUS_EXIT 11
#define STATUS_EXEC 12

static uint32_t seed;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t cond = PTHREAD_COND_INITIALIZER;
static int nr_threads, guarded, owners, torn;

static uint32_t next_random(uint32_t *state)
{
	*state = *state * 1664525 + 1013904223;
	return *state >> 16;
}

static void *storm(void *arg);

static void make_thread(uint32_t *state)
{
	uint32_t random = next_random(state);
	pthread_t thread;

	if (__atomic_add_fetch(&nr_threads, 1, __ATOMIC_RELAXED) > MAX_THREADS ||
	    pthread_create(&thread, NULL, storm, (void *)(uintptr_t)random))
		return;
	if (random % 3)
		pthread_join(thread, NULL);
	else
		pthread_detach(thread);
}

static void use_mutex(uint32_t *state)
{
	struct timespec soon;

	pthread_mutex_lock(&mutex);
	torn |= owners++;
	guarded++;
	if (next_random(state) % 2)
		sched_yield();
	owners--;
	if (next_random(state) % 4 == 0) {
		clock_gettime(CLOCK_REALTIME, &soon);
		soon.tv_nsec = (soon.tv_nsec + 20000) % 1000000000;
		pthread_cond_timedwait(&cond, &mutex, &soon);
	}
	pthread_cond_broadcast(&cond);
	pthread_mutex_unlock(&mutex);
}

static void make_process(uint32_t *state)
{
	pid_t pid = fork();

	if (!pid)
		_exit(next_random(state) % 2);
	if (pid > 0)
		waitpid(pid, NULL, 0);
}

/* One of the ways in which a process ends. */
static void end_all(uint32_t random)
{
	char status[8];

	switch (random % 6) {
	case 0:
		_exit(STATUS_EXIT);
	case 1:
		snprintf(status, sizeof(status), "%d", STATUS_EXEC);
		execl("/bin/exits", "exits", status, NULL);
		_exit(99);
	case 2:
		kill(getpid(), SIGKILL);
		break;
	case 3:
		(void)*(volatile char *)bad_pointer;
		break;
	default:
		pthread_exit(NULL);
	}
}

static void *storm(void *arg)
{
	uint32_t state = (uintptr_t)arg;

	for (int i = 0; i < 12; i++) {
		uint32_t random = next_random(&state);

		switch (random % 8) {
		case 0:
			make_thread(&state);
			break;
		case 1:
			make_process(&state);
			break;
		case 2:
			free(malloc(random));
			break;
		case 3:
		case 4:
			use_mutex(&state);
			break;
		case 5:
			if (random % 11 == 0)
				end_all(next_random(&state));
			break;
		default:
			sched_yield();
		}
	}
	return NULL;
}

static void run_storm(void)
{
	pthread_t thread;
	uint32_t state = seed;

	for (int i = 0; i < 4; i++)
		if (!pthread_create(&thread, NULL, storm, (void *)(uintptr_t)next_random(&state)))
			pthread_detach(thread);
	storm((void *)(uintptr_t)next_random(&state));
	if (torn)
		_exit(98);
	pthread_exit(NULL);
}

static const int expected[] = {0, STATUS_EXIT << 8, STATUS_EXEC << 8, SIGKILL, SIGSEGV};
#define NR_EXPECTED (sizeof(expected) / sizeof(expected[0]))
static int seen[NR_EXPECTED];

static bool note(int status)
{
	for (size_t i = 0; i < NR_EXPECTED; i++) {
		if (status == expected[i]) {
			seen[i]++;
			return true;
		}
	}
	return false;
}

/* Some are killed from outside, too, when they have come somewhere. */
static int storm_status(void)
{
	const struct timespec moment = {0, 50000 + seed % 7 * 60000};
	int status = -1;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		run_storm();
	if (seed % 3 == 0) {
		nanosleep(&moment, NULL);
		kill(pid, SIGKILL);
	}
	if (waitpid(pid, &status, 0) != pid)
		return -1;
	return status;
}

/* Children of a storm that ended before they did are init's. */
static long settled_memory(void)
{
	const struct timespec moment = {0, 5000000};

	nanosleep(&moment, NULL);
	return free_memory_kb();
}

TEST(thread_storms)
{
	long before = 0;
	int status;

	for (seed = 0; seed < NR_STORMS; seed++) {
		if (seed == NR_STORMS / 3)
			before = settled_memory();
		status = storm_status();
		if (!EXPECT(note(status)))
			printf("# seed %u: status %x\n", (unsigned)seed, (unsigned)status);
		EXPECT_ERRNO(waitpid(-1, NULL, WNOHANG), ECHILD);
	}
	EXPECT_EQ(settled_memory(), before);
	for (size_t i = 0; i < NR_EXPECTED; i++)
		ktap_expect(seen[i] > 0, __FILE__, __LINE__, "no storm ended by status %x",
			    (unsigned)expected[i]);
	printf("# ends of storms: %d %d %d %d %d\n", seen[0], seen[1], seen[2], seen[3], seen[4]);
}
