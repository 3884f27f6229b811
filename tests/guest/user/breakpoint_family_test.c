/* SPDX-License-Identifier: MIT */
/*
 * Breakpoint events of a family of processes that move, fork, become other programs, end and are
 * ended: a copy that is inherited strikes wherever its process is, what is not inherited never, and
 * whatever they leave open, no slot stays theirs.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../watched.h"
#include "strikes.h"

#define CHILDREN 9
#define STORES   30

/* Where no other program has something. */
static uint64_t *cell;
static int cpus;

static bool move(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	return !sched_setaffinity(0, sizeof(set), &set);
}

/* From CPU to CPU, beginning with @first. */
static bool work(unsigned first)
{
	bool ok = true;

	for (unsigned i = 0; i < STORES; i++) {
		ok &= move((first + i) % cpus);
		access_data(cell, 4, true);
	}
	return ok;
}

/* Stores that these are on the last CPU. */
static unsigned on_last_cpu(unsigned first)
{
	unsigned n = 0;

	for (unsigned i = 0; i < STORES; i++)
		n += (int)((first + i) % cpus) == cpus - 1;
	return n;
}

static void end_by_exit(void)
{
	_exit(0);
}

static void end_by_exec(void)
{
	execl("/bin/true", "true", (char *)NULL);
	_exit(9);
}

static void end_by_signal(void)
{
	kill(getpid(), SIGKILL);
}

static void (*const ends[])(void) = {end_by_exit, end_by_exec, end_by_signal};
static const int end_status[] = {0, 0, SIGKILL};

/* Works, as its own child does; takes all the slots that are left; and ends one way or another. */
static void child(unsigned nth)
{
	int fd[SLOTS_MAX], status;
	pid_t pid = fork();

	if (!pid)
		_exit(!work(nth + 1));
	if (!work(nth) || waitpid(pid, &status, 0) != pid || status)
		_exit(8);
	if (!fill_slots(fd, HW_BREAKPOINT_W, &status))
		_exit(7);
	ends[nth % 3]();
}

static int inherited(int cpu)
{
	struct perf_event_attr attr = breakpoint(HW_BREAKPOINT_W, cell, 4);

	attr.inherit = 1;
	return perf_event_open(&attr, 0, cpu, -1, 0);
}

static void run_children(void)
{
	pid_t pid[CHILDREN];
	int status;

	for (unsigned i = 0; i < CHILDREN; i++) {
		pid[i] = fork();
		if (!pid[i])
			child(i);
	}
	EXPECT(work(0));
	for (unsigned i = 0; i < CHILDREN; i++) {
		EXPECT_EQ(waitpid(pid[i], &status, 0), pid[i]);
		EXPECT_EQ(status, end_status[i % 3]);
	}
}

TEST(smp_breakpoint_of_a_family)
{
	uint64_t last;
	int all, one, own;
	cpu_set_t set;

	if (no_breakpoints())
		return;
	EXPECT_EQ(sched_getaffinity(0, sizeof(set), &set), 0);
	cpus = CPU_COUNT(&set);
	last = on_last_cpu(0);
	cell = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!EXPECT(cell != MAP_FAILED))
		return;
	all = inherited(-1);
	one = inherited(cpus - 1);
	own = count_on_self(HW_BREAKPOINT_W, cell, 4);
	EXPECT_EQ(slots_used(), 3);
	run_children();
	for (unsigned i = 0; i < CHILDREN; i++)
		last += on_last_cpu(i) + on_last_cpu(i + 1);
	EXPECT_EQ(value(all), STORES * (2 * CHILDREN + 1));
	EXPECT_EQ(value(one), last);
	EXPECT_EQ(value(own), STORES);
	EXPECT_EQ(slots_used(), 3);
	close(all);
	close(one);
	close(own);
	EXPECT_EQ(slots_used(), 0);
	munmap(cell, 4096);
}
