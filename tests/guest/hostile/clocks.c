/* SPDX-License-Identifier: MIT */
/* Contract C10 for time: no program takes the processor from others by being sampled. */
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../user/ktap.h"
#include "../user/samples.h"
#include "hostile.h"

#define NR_TASKS 4
#define MS       1000000ull

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* As many clocks as there are descriptors for, each as fast as there is; the last one's. */
static int open_clocks(void)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CPU_CLOCK);
	int fd, last = -1;

	attr.sample_period = 10000;
	attr.read_format = PERF_FORMAT_TOTAL_TIME_RUNNING;
	while ((fd = perf_event_open(&attr, 0, -1, -1, 0)) >= 0) {
		/* A ring that is never full. */
		mmap(NULL, 2 * PAGE, PROT_READ, MAP_SHARED, fd, 0);
		last = fd;
	}
	return last;
}

static void run_clocks(int ready)
{
	if (write(ready, "x", 1) != 1 || open_clocks() < 40)
		_exit(1);
	for (;;)
		;
}

#define OPENERS 3
#define MOST    128 /* an unprivileged user's events on one task */

/* Opens clocks on @target as an unprivileged user, says how many there are room for, keeps them. */
static void open_on(pid_t target, int out)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CPU_CLOCK);
	unsigned char n = 0;

	attr.sample_period = 10000;
	attr.exclude_kernel = 1;
	if (setuid(1000))
		_exit(1);
	while (perf_event_open(&attr, target, -1, -1, 0) >= 0)
		n++;
	if (write(out, &n, 1) != 1)
		_exit(1);
	for (;;)
		pause();
}

static void spin(void)
{
	if (setuid(1000))
		_exit(1);
	for (;;)
		;
}

/* However many processes open clocks on one task, others sleep no longer for it. */
TEST(c10_clocks_on_one_task_have_a_limit)
{
	const struct timespec moment = {0, 2 * MS};
	unsigned char n;
	pid_t pid[OPENERS + 1];
	unsigned total = 0;
	int ends[2];

	EXPECT_EQ(pipe(ends), 0);
	fflush(stdout);
	pid[OPENERS] = fork();
	if (!pid[OPENERS])
		spin();
	nanosleep(&moment, NULL);
	for (int i = 0; i < OPENERS; i++) {
		pid[i] = fork();
		if (!pid[i])
			open_on(pid[OPENERS], ends[1]);
		EXPECT_EQ(read(ends[0], &n, 1), 1);
		total += n;
	}
	EXPECT_EQ(total, MOST);
	for (int i = 0; i < 20; i++) {
		uint64_t start = now_ns();

		nanosleep(&moment, NULL);
		EXPECT(now_ns() - start < 40 * MS);
	}
	for (int i = 0; i <= OPENERS; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
	close(ends[0]);
	close(ends[1]);
}

TEST(c10_fast_clocks_leave_time_for_others)
{
	pid_t pid[NR_TASKS];
	uint64_t start;
	int ends[2];
	char c;

	EXPECT_EQ(pipe(ends), 0);
	fflush(stdout);
	for (int i = 0; i < NR_TASKS; i++) {
		pid[i] = fork();
		if (!pid[i])
			run_clocks(ends[1]);
	}
	for (int i = 0; i < NR_TASKS; i++)
		EXPECT_EQ(read(ends[0], &c, 1), 1);
	start = now_ns();
	while (now_ns() - start < 200 * MS)
		;
	EXPECT(now_ns() - start < 1000 * MS);
	/* They can be ended. */
	for (int i = 0; i < NR_TASKS; i++) {
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
	}
	close(ends[0]);
	close(ends[1]);
}

static void compare_with_time(void)
{
	int fd = open_clocks();
	uint64_t start = now_ns(), r[2];

	while (now_ns() - start < 100 * MS)
		;
	if (read(fd, r, sizeof(r)) != sizeof(r))
		_exit(1);
	_exit(r[0] > r[1] ? 2 : r[0] + 25 * MS < r[1] ? 3 : 0);
}

/* Samples that come late stand for all of the time. */
TEST(perf_fast_clocks_lose_no_time)
{
	EXPECT_EQ(in_child(compare_with_time), 0);
}
