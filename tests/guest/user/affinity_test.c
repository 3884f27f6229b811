/* SPDX-License-Identifier: MIT */
/* Processors: which ones threads may run on, that they do, and that those on several find each
 * other. */
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ktap.h"

#define NOBODY   31000 /* no task has this number */
#define PAIRS    3
#define PINGS    300
#define PATIENCE 2000 /* looks, a millisecond of sleep each */

static bool one_cpu(void)
{
	if (sysconf(_SC_NPROCESSORS_ONLN) > 1)
		return false;
	ktap_skip("there is but one processor");
	return true;
}

static cpu_set_t only(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return set;
}

/* The caller runs on @cpu alone from now on. */
static bool keep_to(int cpu)
{
	cpu_set_t set = only(cpu);

	return !sched_setaffinity(0, sizeof(set), &set);
}

TEST(smp_affinity_calls)
{
	cpu_set_t all, none, one = only(0), none_that_runs = only(31);

	CPU_ZERO(&none);
	EXPECT_EQ(sched_getaffinity(0, sizeof(all), &all), 0);
	EXPECT(CPU_ISSET(0, &all) && CPU_COUNT(&all) == sysconf(_SC_NPROCESSORS_ONLN));
	EXPECT_EQ(sched_setaffinity(0, sizeof(all), &all), 0);
	EXPECT_EQ(sched_setaffinity(getpid(), sizeof(one), &one), 0);
	EXPECT_ERRNO(sched_setaffinity(0, sizeof(none), &none), EINVAL);
	EXPECT_ERRNO(sched_setaffinity(0, sizeof(none_that_runs), &none_that_runs), EINVAL);
	EXPECT_ERRNO(sched_getaffinity(0, 1, &all), EINVAL);
	EXPECT_ERRNO(sched_getaffinity(NOBODY, sizeof(all), &all), ESRCH);
	EXPECT_ERRNO(sched_setaffinity(NOBODY, sizeof(all), &one), ESRCH);
	EXPECT_ERRNO(sched_getaffinity(0, sizeof(all), bad_pointer), EFAULT);
	EXPECT_ERRNO(sched_setaffinity(0, sizeof(all), bad_pointer), EFAULT);
	EXPECT_EQ(sched_getcpu(), 0);
}

static void affinity_of_others(void)
{
	cpu_set_t set = only(0);

	if (setuid(1000))
		_exit(1);
	if (sched_setaffinity(1, sizeof(set), &set) != -1 || errno != EPERM)
		_exit(2);
	_exit(sched_getaffinity(1, sizeof(set), &set) ? 3 : 0);
}

TEST(smp_affinity_is_its_owners)
{
	EXPECT_EQ(in_child(affinity_of_others), 0);
}

/* Are bits of the caller's affinity those of @cpu alone? */
static bool is_only(int cpu)
{
	cpu_set_t set, wanted = only(cpu);

	return !sched_getaffinity(0, sizeof(set), &set) && !memcmp(&set, &wanted, sizeof(set)) &&
	       sched_getcpu() == cpu;
}

static void *thread_is_only(void *cpu)
{
	return (void *)(uintptr_t)is_only((uintptr_t)cpu);
}

static void child_is_only_on_last(void)
{
	_exit(!is_only(sysconf(_SC_NPROCESSORS_ONLN) - 1));
}

TEST(smp_affinity_is_inherited)
{
	long last = sysconf(_SC_NPROCESSORS_ONLN) - 1;
	pthread_t thread;
	void *held;

	EXPECT(keep_to(last) && is_only(last));
	EXPECT_EQ(in_child(child_is_only_on_last), 0);
	EXPECT_EQ(pthread_create(&thread, NULL, thread_is_only, (void *)last), 0);
	EXPECT_EQ(pthread_join(thread, &held), 0);
	EXPECT(held);
}

/* The number behind @name in /proc/self/@file; in stat @name is the ")", and @field counted. */
static long own_number(const char *file, const char *name, int field)
{
	char path[32], text[512] = "";
	char *p;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/self/%s", file);
	f = fopen(path, "r");
	if (!f)
		return -1;
	fread(text, 1, sizeof(text) - 1, f);
	fclose(f);
	p = strstr(text, name);
	for (p = p ? p + strlen(name) : NULL; p && field > 0; field--) {
		p = strchr(p, ' ');
		p = p ? p + 1 : NULL;
	}
	return p ? strtol(p, NULL, 10) : -1;
}

TEST(smp_moves_are_counted)
{
	long cpus = sysconf(_SC_NPROCESSORS_ONLN), before;

	if (one_cpu())
		return;
	keep_to(0);
	before = own_number("sched", "migrations : ", 0);
	for (int i = 1; i <= 2 * cpus; i++) {
		EXPECT(keep_to(i % cpus));
		EXPECT_EQ(sched_getcpu(), i % cpus);
		EXPECT_EQ(own_number("stat", ")", 37), i % cpus);
		EXPECT_EQ(own_number("sched", "migrations : ", 0) - before, i);
	}
}

static volatile int seen_on, stop;

static void *spin(void *arg)
{
	while (!stop)
		seen_on = sched_getcpu();
	return arg;
}

TEST(smp_affinity_of_a_running_thread)
{
	pthread_t thread;
	cpu_set_t set, read;
	int left;

	if (one_cpu())
		return;
	stop = 0;
	seen_on = -1;
	EXPECT_EQ(pthread_create(&thread, NULL, spin, NULL), 0);
	for (int i = 0; i < 10; i++) {
		set = only(i % 2);
		EXPECT_EQ(pthread_setaffinity_np(thread, sizeof(set), &set), 0);
		for (left = PATIENCE; seen_on != i % 2 && left; left--)
			usleep(1000);
		EXPECT(left > 0);
	}
	EXPECT_EQ(pthread_getaffinity_np(thread, sizeof(read), &read), 0);
	EXPECT(!memcmp(&set, &read, sizeof(set)));
	stop = 1;
	pthread_join(thread, NULL);
	set = only(31);
	EXPECT_EQ(pthread_setaffinity_np(pthread_self(), sizeof(set), &set), EINVAL);
}

static volatile int busy;

/* Asks the kernel for nothing, once it is there. */
static void *keep_busy(void *cpu)
{
	keep_to((uintptr_t)cpu);
	__atomic_add_fetch(&busy, 1, __ATOMIC_RELAXED);
	while (!stop)
		;
	return cpu;
}

static uint64_t milliseconds(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000ULL + now.tv_nsec / 1000000;
}

/* How long it takes until every processor has forgotten a page, in ms. */
static uint64_t forget_page(void)
{
	char *page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	uint64_t start;

	page[0] = 1;
	start = milliseconds();
	munmap(page, 4096);
	return milliseconds() - start;
}

/* The others of @cpus answer this one, however busy they are: within a few ticks. */
static void all_answer(unsigned cpus)
{
	pthread_t threads[32];
	int asked = 0;

	stop = busy = 0;
	for (uintptr_t i = 1; i < 32; i++)
		if (cpus >> i & 1)
			EXPECT_EQ(pthread_create(&threads[asked++], NULL, keep_busy, (void *)i), 0);
	while (busy < asked)
		usleep(1000);
	for (int i = 0; i < 8; i++)
		EXPECT(forget_page() < 100);
	stop = 1;
	while (asked > 0)
		pthread_join(threads[--asked], NULL);
}

/* Whichever of them are. */
TEST(smp_busy_processors_answer)
{
	unsigned all = (1U << sysconf(_SC_NPROCESSORS_ONLN)) - 1;

	if (one_cpu())
		return;
	keep_to(0);
	for (unsigned cpus = 2; cpus <= all; cpus += 2)
		all_answer(cpus);
}

/* Reads a byte and writes one, so many times. */
static int play(int from, int to)
{
	char ball = 'o';

	for (int i = 0; i < PINGS; i++)
		if (write(to, &ball, 1) != 1 || read(from, &ball, 1) != 1)
			return 1;
	return 0;
}

/* Two processes for each pair, their pipes full of wake-ups from one processor to another. */
TEST(smp_pipes_lose_no_wake_up)
{
	int ends[PAIRS][4], status;

	if (one_cpu())
		return;
	fflush(stdout);
	for (int i = 0; i < PAIRS; i++) {
		EXPECT(!pipe(ends[i]) && !pipe(ends[i] + 2));
		if (!fork())
			_exit(play(ends[i][0], ends[i][3]));
		if (!fork())
			_exit(play(ends[i][2], ends[i][1]));
	}
	for (int i = 0; i < 2 * PAIRS; i++) {
		EXPECT(wait(&status) > 0);
		EXPECT_EQ(status, 0);
	}
	for (int i = 0; i < 4 * PAIRS; i++)
		close(ends[i / 4][i % 4]);
}

static struct {
	pthread_mutex_t mutex;
	pthread_cond_t cond;
	int side;
} table = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0};

static void *take_turns(void *side)
{
	pthread_mutex_lock(&table.mutex);
	for (int i = 0; i < PINGS; i++) {
		while (table.side != (int)(uintptr_t)side)
			pthread_cond_wait(&table.cond, &table.mutex);
		table.side = (table.side + 1) % 4;
		pthread_cond_broadcast(&table.cond);
	}
	pthread_mutex_unlock(&table.mutex);
	return side;
}

TEST(smp_futexes_lose_no_wake_up)
{
	pthread_t threads[4];

	if (one_cpu())
		return;
	table.side = 0;
	for (uintptr_t i = 0; i < 4; i++)
		EXPECT_EQ(pthread_create(&threads[i], NULL, take_turns, (void *)i), 0);
	for (int i = 0; i < 4; i++)
		pthread_join(threads[i], NULL);
	EXPECT_EQ(table.side, 0);
}
