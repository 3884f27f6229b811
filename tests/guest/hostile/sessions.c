/* SPDX-License-Identifier: MIT */
/*
 * Contract C10 for recording sessions: a program may end after any of their steps, by itself, by a
 * signal or by a fault, and may become another program there. Everything goes with it.
 */
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../user/ktap.h"
#include "../user/samples.h"
#include "bystander.h"
#include "hostile.h"

static struct bystander bystander;

/* What a session has so far. */
static struct {
	int go[2];
	pid_t child;
	int fd[4];
	void *ring[2];
} session;

static void sleep_ns(long ns)
{
	struct timespec t = {0, ns};

	nanosleep(&t, NULL);
}

static int open_event(uint64_t config, uint64_t period, pid_t pid, int cpu)
{
	struct perf_event_attr attr = software_event(config);

	attr.sample_period = period;
	attr.inherit = 1;
	attr.mmap = attr.mmap2 = attr.comm = attr.task = attr.context_switch = attr.sample_id_all =
	    1;
	return perf_event_open(&attr, pid, cpu, -1, 0);
}

static void *map_ring(int fd)
{
	void *p = mmap(NULL, 5 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

static bool make_pipe(void)
{
	return pipe(session.go) == 0;
}

/* It waits, as perf's does, and then becomes another program. */
static bool start_child(void)
{
	char *const argv[] = {"true", NULL}, *const none[] = {NULL};
	char c;

	session.child = fork();
	if (session.child)
		return session.child > 0;
	close(session.go[1]);
	if (read(session.go[0], &c, 1) == 1) {
		if (!fork())
			_exit(0);
		execve("/bin/true", argv, none);
	}
	_exit(1);
}

static bool open_for_child(void)
{
	session.fd[0] = open_event(PERF_COUNT_SW_CONTEXT_SWITCHES, 1, session.child, 0);
	return session.fd[0] >= 0;
}

static bool open_for_itself(void)
{
	session.fd[1] = open_event(PERF_COUNT_SW_PAGE_FAULTS, 1, 0, 0);
	return session.fd[1] >= 0;
}

static bool open_clock(void)
{
	session.fd[2] = open_event(PERF_COUNT_SW_CPU_CLOCK, 20000, 0, 0);
	return session.fd[2] >= 0;
}

static bool open_for_cpu(void)
{
	session.fd[3] = open_event(PERF_COUNT_SW_CONTEXT_SWITCHES, 1, -1, 0);
	return session.fd[3] >= 0;
}

static bool map_first(void)
{
	session.ring[0] = map_ring(session.fd[0]);
	return session.ring[0];
}

static bool map_second(void)
{
	session.ring[1] = map_ring(session.fd[3]);
	return session.ring[1];
}

static bool redirect(void)
{
	return ioctl(session.fd[1], PERF_EVENT_IOC_SET_OUTPUT, session.fd[0]) == 0 &&
	       ioctl(session.fd[2], PERF_EVENT_IOC_SET_OUTPUT, session.fd[3]) == 0;
}

static bool let_go(void)
{
	return write(session.go[1], "x", 1) == 1;
}

static bool wait_for_records(void)
{
	struct pollfd p = {.fd = session.fd[3], .events = POLLIN};

	return poll(&p, 1, 1) >= 0;
}

static bool fork_again(void)
{
	for (int i = 0; i < 3; i++) {
		pid_t pid = fork();

		if (!pid) {
			sleep_ns(10000);
			if (fork() == 0)
				sched_yield();
			_exit(0);
		}
	}
	return true;
}

static bool read_counts(void)
{
	uint64_t count;

	return read(session.fd[0], &count, sizeof(count)) == sizeof(count) &&
	       read(session.fd[2], &count, sizeof(count)) == sizeof(count);
}

static bool disable(void)
{
	return ioctl(session.fd[0], PERF_EVENT_IOC_DISABLE, 0) == 0 &&
	       ioctl(session.fd[0], PERF_EVENT_IOC_RESET, 0) == 0 &&
	       ioctl(session.fd[0], PERF_EVENT_IOC_ENABLE, 0) == 0;
}

static bool wait_for_child(void)
{
	return waitpid(session.child, NULL, 0) == session.child;
}

static bool unmap(void)
{
	return munmap(session.ring[0], 5 * PAGE) == 0;
}

static bool close_some(void)
{
	return close(session.fd[0]) == 0 && close(session.fd[3]) == 0;
}

static const struct {
	const char *name;
	bool (*step)(void);
} steps[] = {
    {"pipe", make_pipe},          {"open for itself", open_for_itself},
    {"fork", start_child},        {"open for the child", open_for_child},
    {"open a clock", open_clock}, {"open for the CPU", open_for_cpu},
    {"map", map_first},           {"map the second", map_second},
    {"redirect", redirect},       {"let the child go", let_go},
    {"poll", wait_for_records},   {"fork again", fork_again},
    {"read", read_counts},        {"disable, reset, enable", disable},
    {"wait", wait_for_child},     {"unmap", unmap},
    {"close", close_some},
};

/* --- How it ends --- */

static void end_by_exit(void)
{
	_exit(0);
}

static void end_by_signal(void)
{
	kill(getpid(), SIGKILL);
	for (;;)
		;
}

static void end_by_fault(void)
{
	*(volatile char *)bad_pointer = 1;
}

static void end_by_exec(void)
{
	char *const argv[] = {"true", NULL}, *const none[] = {NULL};

	execve("/bin/true", argv, none);
	_exit(1);
}

static void end_by_parent(void)
{
	for (;;)
		sched_yield();
}

static const struct {
	const char *name;
	void (*end)(void);
	unsigned times, every; /* step after which it is tried */
} ends[] = {
    {"exit", end_by_exit, 4, 1},
    {"a signal of its own", end_by_signal, 4, 1},
    {"a signal of its parent's", end_by_parent, 4, 1},
    {"exec", end_by_exec, 4, 1},
    {"a fault", end_by_fault, 1, 5}, /* the kernel's report of it takes long */
};

static unsigned nr_steps, nr_end;

static void run_session(void *arg)
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid) {
		for (unsigned i = 0; i < nr_steps; i++)
			if (!steps[i].step())
				_exit(100 + i);
		ends[nr_end].end();
	}
	if (ends[nr_end].end == end_by_parent) {
		sleep_ns(20000 * (1 + nr_steps));
		kill(pid, SIGKILL);
	}
	*(int *)arg = -1;
	waitpid(pid, arg, 0);
}

TEST(c10_sessions_end_after_each_step)
{
	bool good = bystander_start(&bystander, NULL);
	int status;

	for (nr_end = 0; nr_end < ARRAY_LENGTH(ends); nr_end++) {
		for (nr_steps = 0; good && nr_steps <= ARRAY_LENGTH(steps);
		     nr_steps += ends[nr_end].every) {
			char name[80];

			snprintf(name, sizeof(name), "ends by %s after step %u (%s)",
				 ends[nr_end].name, nr_steps,
				 nr_steps ? steps[nr_steps - 1].name : "none");
			good = leaves_nothing(name, run_session, &status, ends[nr_end].times) &&
			       ktap_expect(!WIFEXITED(status) || !WEXITSTATUS(status), __FILE__,
					   __LINE__, "%s: not to fail in step %d", name,
					   WEXITSTATUS(status) - 100) &&
			       bystander_watch(&bystander);
		}
	}
	bystander_end(&bystander);
}
