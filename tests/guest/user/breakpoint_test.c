/* SPDX-License-Identifier: MIT */
/*
 * Breakpoint events as programs meet them: what strikes them and what does not, in user mode and by
 * the kernel; samples; slots; over fork, exec, threads and moves.
 */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../watched.h"
#include "strikes.h"

#define SLOTS 4 /* for data */

static volatile uint64_t data[8] __attribute__((aligned(64)));
static uint64_t *const bytes = (uint64_t *)data;

static __attribute__((noinline)) void step(void)
{
	data[0]++;
}

/* --- What strikes --- */

TEST(breakpoint_counts_calls)
{
	int fd[SLOTS];

	if (no_breakpoints())
		return;
	for (int i = 0; i < SLOTS; i++)
		fd[i] = count_on_self(HW_BREAKPOINT_X, step, sizeof(long));
	for (int i = 0; i < 1000; i++)
		step();
	for (int i = 0; i < SLOTS; i++) {
		if (EXPECT(fd[i] >= 0))
			EXPECT_EQ(value(fd[i]), 1000);
		close(fd[i]);
	}
}

/* The kernel reads and writes for the program. */
TEST(breakpoint_counts_the_kernel_unless_excluded)
{
	struct perf_event_attr attr = breakpoint(HW_BREAKPOINT_RW, data, 8);
	int all, user, kernel, pipes[2];
	char byte = 1;

	if (no_breakpoints())
		return;
	all = perf_event_open(&attr, 0, -1, -1, 0);
	attr.exclude_kernel = 1;
	user = perf_event_open(&attr, 0, -1, -1, 0);
	attr.exclude_kernel = 0;
	attr.exclude_user = 1;
	kernel = perf_event_open(&attr, 0, -1, -1, 0);
	if (!EXPECT(all >= 0 && user >= 0 && kernel >= 0) || !EXPECT_EQ(pipe(pipes), 0))
		return;
	EXPECT_EQ(write(pipes[1], &byte, 1), 1);
	EXPECT_EQ(read(pipes[0], bytes, 1), 1);
	EXPECT_EQ(value(all), 1);
	EXPECT_EQ(value(user), 0);
	EXPECT_EQ(value(kernel), 1);
	data[0] = 0;
	EXPECT_EQ(value(all), 2);
	EXPECT_EQ(value(user), 1);
	EXPECT_EQ(value(kernel), 1);
	close(all);
	close(user);
	close(kernel);
	close(pipes[0]);
	close(pipes[1]);
}

/* --- Samples --- */

TEST(breakpoint_samples_who_and_what)
{
	static const char *const chain[] = {"step", "breakpoint_samples_who_and_what", NULL};
	struct perf_event_attr attr = breakpoint(HW_BREAKPOINT_W, data, 8);
	static struct record record;
	struct recorder r;
	struct sample s;

	if (no_breakpoints())
		return;
	attr.sample_period = 3;
	attr.sample_type = SAMPLE_TYPE;
	if (!EXPECT(recorder_open(&r, &attr, 0, -1, 8)))
		return;
	for (int i = 0; i < 10; i++)
		step();
	for (int i = 0; i < 3; i++) {
		if (!EXPECT(recorder_next_sample(&r, getpid(), &record, &s)))
			break;
		EXPECT_EQ(s.addr, (uintptr_t)data);
		EXPECT_EQ(s.period, 3);
		EXPECT_STR(symbol_of(s.ip), "step");
		if (!EXPECT(chain_has(&s, chain_after(&s, PERF_CONTEXT_USER), chain)))
			chain_print(&s);
	}
	EXPECT(!recorder_next_sample(&r, 0, &record, &s));
	EXPECT_EQ(value(r.fd), 10);
	recorder_close(&r);
}

/* --- Slots --- */

static bool fill(int fd[], int n)
{
	for (int i = 0; i < n; i++) {
		fd[i] = count_on_self(HW_BREAKPOINT_W, &data[i], 8);
		if (!EXPECT(fd[i] >= 0))
			return false;
	}
	return true;
}

static void expect_room_for_instruction(bool room)
{
	int fd;

	if (!room) {
		EXPECT_ERRNO(count_on_self(HW_BREAKPOINT_X, step, 0), ENOSPC);
		return;
	}
	fd = count_on_self(HW_BREAKPOINT_X, step, 0);
	EXPECT(fd >= 0);
	close(fd);
}

TEST(breakpoint_slots_are_all_given_back)
{
	int fd[SLOTS], cpu;
	struct perf_event_attr attr = breakpoint(HW_BREAKPOINT_W, data, 8);

	if (no_breakpoints())
		return;
	for (int round = 0; round < 3; round++) {
		if (!fill(fd, SLOTS))
			return;
		expect_room_for_instruction(!SLOTS_ARE_SHARED);
		EXPECT_ERRNO(perf_event_open(&attr, -1, 0, -1, 0), ENOSPC);
		close(fd[1]);
		/* One that takes two has no room, one of a CPU has. */
		EXPECT_ERRNO(count_on_self(HW_BREAKPOINT_W, (char *)data + 5, 6), ENOSPC);
		cpu = perf_event_open(&attr, -1, 0, -1, 0);
		EXPECT(cpu >= 0);
		EXPECT_ERRNO(count_on_self(HW_BREAKPOINT_W, data, 1), ENOSPC);
		data[0] = data[1] = data[3] = 1;
		EXPECT_EQ(value(fd[0]), 1);
		EXPECT_EQ(value(cpu), 1);
		EXPECT_EQ(value(fd[3]), 1);
		close(cpu);
		fd[1] = count_on_self(HW_BREAKPOINT_W, data, 1);
		EXPECT(fd[1] >= 0);
		close_all(fd, SLOTS);
	}
}

static void end_with_breakpoints(void)
{
	int fd[SLOTS];

	if (!fill(fd, SLOTS))
		_exit(1);
	step();
}

static void become_another(void)
{
	int fd[SLOTS];

	if (!fill(fd, SLOTS))
		_exit(1);
	execl("/bin/true", "true", (char *)NULL);
	_exit(9);
}

/* By exit, exec and a task that somebody else watches. */
TEST(breakpoint_slots_of_those_who_end)
{
	int fd[SLOTS], status;
	pid_t pid;

	if (no_breakpoints())
		return;
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(in_child(end_with_breakpoints), 0);
		EXPECT_EQ(in_child(become_another), 0);
	}
	pid = fork();
	if (!pid)
		for (;;)
			pause();
	for (int i = 0; i < SLOTS; i++) {
		struct perf_event_attr attr = breakpoint(HW_BREAKPOINT_W, &data[i], 8);

		fd[i] = perf_event_open(&attr, pid, -1, -1, 0);
		EXPECT(fd[i] >= 0);
	}
	kill(pid, SIGKILL);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	/* They are still open, but take no slot any more. */
	struct perf_event_attr attr = breakpoint(HW_BREAKPOINT_W, data, 8);
	int cpu = perf_event_open(&attr, -1, 0, -1, 0);

	EXPECT(cpu >= 0);
	close(cpu);
	EXPECT_EQ(value(fd[0]), 0);
	close_all(fd, SLOTS);
	if (fill(fd, SLOTS))
		close_all(fd, SLOTS);
}

/* --- Tasks --- */

static void *step_100(void *arg)
{
	(void)arg;
	for (int i = 0; i < 100; i++) {
		step();
		sched_yield();
	}
	return NULL;
}

/* A task's are its own, though others work on the same memory meanwhile. */
TEST(breakpoint_is_of_its_task)
{
	pthread_t thread;
	int fd;

	if (no_breakpoints())
		return;
	fd = count_on_self(HW_BREAKPOINT_W, data, 8);
	EXPECT_EQ(pthread_create(&thread, NULL, step_100, NULL), 0);
	for (int i = 0; i < 50; i++) {
		step();
		sched_yield();
	}
	EXPECT_EQ(pthread_join(thread, NULL), 0);
	EXPECT_EQ(value(fd), 50);
	close(fd);
}

TEST(breakpoint_is_inherited)
{
	struct perf_event_attr attr = breakpoint(HW_BREAKPOINT_W, data, 8);
	struct perf_event_attr other = breakpoint(HW_BREAKPOINT_X, step, 0);
	pthread_t thread[3];
	int fd;

	if (no_breakpoints())
		return;
	attr.inherit = other.inherit = 1;
	fd = perf_event_open(&attr, 0, -1, -1, 0);
	if (!EXPECT(fd >= 0))
		return;
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(pthread_create(&thread[i], NULL, step_100, NULL), 0);
	/* They all change together. */
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &other), 0);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(pthread_join(thread[i], NULL), 0);
	EXPECT_EQ(value(fd), 300);
	close(fd);
}

TEST(smp_breakpoint_follows_its_task)
{
	int all, one;
	struct perf_event_attr attr = breakpoint(HW_BREAKPOINT_W, data, 8);

	if (no_breakpoints())
		return;
	all = perf_event_open(&attr, 0, -1, -1, 0);
	one = perf_event_open(&attr, 0, 1, -1, 0);
	if (one < 0 && errno == ENODEV) {
		ktap_skip("one processor runs");
		close(all);
		return;
	}
	for (int i = 0; i < 40; i++) {
		cpu_set_t set;

		CPU_ZERO(&set);
		CPU_SET(i % 2, &set);
		EXPECT_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
		step();
	}
	EXPECT_EQ(value(all), 40);
	EXPECT_EQ(value(one), 20);
	close(all);
	close(one);
}

/* --- Requests --- */

TEST(breakpoint_is_modified_or_not)
{
	struct perf_event_attr attr = breakpoint(HW_BREAKPOINT_W, &data[1], 8);
	int fd, other[SLOTS - 1];

	if (no_breakpoints())
		return;
	fd = count_on_self(HW_BREAKPOINT_W, data, 8);
	if (!fill(other, SLOTS - 1))
		return;
	step();
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr), 0);
	step();
	data[1] = 1;
	EXPECT_EQ(value(fd), 2);
	/* What is refused changes nothing. */
	attr.bp_addr += 4;
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr), ENOSPC);
	attr.bp_len = 9;
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr), EINVAL);
	attr.bp_len = 4;
	attr.exclude_user = 1;
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr), EINVAL);
	attr.exclude_user = 0;
	attr.type = PERF_TYPE_SOFTWARE;
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr), EINVAL);
	data[1] = 1;
	EXPECT_EQ(value(fd), 3);
	attr = breakpoint(HW_BREAKPOINT_W, &data[2], 8);
	attr.disabled = 1;
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr), 0);
	data[2] = 1;
	EXPECT_EQ(value(fd), 3);
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	data[2] = 1;
	EXPECT_EQ(value(fd), 4);
	close(fd);
	close_all(other, SLOTS - 1);
}

TEST(breakpoint_refuses_what_it_can_not)
{
	struct perf_event_attr attr = breakpoint(HW_BREAKPOINT_W, data, 8);

	if (no_breakpoints())
		return;
	if (!READS_ALONE)
		EXPECT_ERRNO(count_on_self(HW_BREAKPOINT_R, data, 8), EINVAL);
	EXPECT_ERRNO(count_on_self(HW_BREAKPOINT_EMPTY, data, 8), EINVAL);
	EXPECT_ERRNO(count_on_self(HW_BREAKPOINT_W, data, 0), EINVAL);
	EXPECT_ERRNO(count_on_self(HW_BREAKPOINT_W, data, 9), EINVAL);
	EXPECT_ERRNO(count_on_self(HW_BREAKPOINT_W, (void *)-4L, 8), EINVAL);
	attr.config = 1;
	EXPECT_ERRNO(perf_event_open(&attr, 0, -1, -1, 0), EINVAL);
	attr.config = 0;
	attr.bp_addr = ~0ULL << (8 * sizeof(long) - 12);
	attr.bp_len = 1;
	attr.exclude_kernel = 1;
	EXPECT_ERRNO(perf_event_open(&attr, 0, -1, -1, 0), EINVAL);
}

static void be_nobody(void)
{
	struct perf_event_attr attr = breakpoint(HW_BREAKPOINT_W, data, 8);
	bool ok = EXPECT_EQ(setuid(1000), 0);
	int fd;

	ok &= EXPECT_ERRNO(perf_event_open(&attr, 0, -1, -1, 0), EACCES);
	attr.exclude_kernel = 1;
	fd = perf_event_open(&attr, 0, -1, -1, 0);
	ok &= EXPECT(fd >= 0);
	/* Nor is the kernel come by in another way. */
	attr.bp_addr = ~0ULL << (8 * sizeof(long) - 12);
	ok &= EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_MODIFY_ATTRIBUTES, &attr), EINVAL);
	step();
	ok &= EXPECT_EQ(value(fd), 1);
	_exit(!ok);
}

TEST(breakpoint_on_the_kernel_needs_privilege)
{
	if (no_breakpoints())
		return;
	EXPECT_EQ(in_child(be_nobody), 0);
}
