/* SPDX-License-Identifier: MIT */
/*
 * migrate [N]: two processes are moved between two processors, N (10) times for each cause there
 * is: by themselves, by each other, where they are woken, and by a processor that idles.
 */
#define _GNU_SOURCE /* affinity */
#include "arguments.h"

#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANYWHERE (-1)

/* The other process, which says on which processor it has got what it was told. */
static struct {
	pid_t pid;
	int to, from;
} helper;

static int first, second; /* processors */

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void allow(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu == ANYWHERE ? first : cpu, &set);
	CPU_SET(cpu == ANYWHERE ? second : cpu, &set);
	if (sched_setaffinity(pid, sizeof(set), &set) < 0)
		die("sched_setaffinity");
}

/* Two of the processors there are; false: there is but one. */
static int find_processors(void)
{
	int n = 0, found[2];
	cpu_set_t set;

	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		die("sched_getaffinity");
	for (int cpu = 0; cpu < CPU_SETSIZE && n < 2; cpu++)
		if (CPU_ISSET(cpu, &set))
			found[n++] = cpu;
	if (n < 2)
		return 0;
	first = found[0];
	second = found[1];
	return 1;
}

/* --- The helper --- */

static __attribute__((noinline)) char wait_for_order(int in)
{
	char order;

	return read(in, &order, 1) == 1 ? order : 0;
}

/* Until another processor comes for it. */
static __attribute__((noinline)) void spin_until_pulled(void)
{
	int here = sched_getcpu();

	allow(0, ANYWHERE);
	while (sched_getcpu() == here)
		;
}

static __attribute__((noinline)) int help(int in, int out)
{
	char order;

	while ((order = wait_for_order(in))) {
		char cpu;

		if (order == 's')
			spin_until_pulled();
		cpu = sched_getcpu();
		if (write(out, &cpu, 1) != 1)
			return 1;
	}
	return 0;
}

static void start_helper(void)
{
	int there[2], back[2];

	if (pipe(there) < 0 || pipe(back) < 0 || (helper.pid = fork()) < 0)
		die("migrate");
	if (!helper.pid) {
		close(there[1]);
		close(back[0]);
		_exit(help(there[0], back[1]));
	}
	close(there[0]);
	close(back[1]);
	helper.to = there[1];
	helper.from = back[0];
	/* Who spins does not sleep. */
	if (fcntl(helper.from, F_SETFL, O_NONBLOCK) < 0)
		die("fcntl");
}

/* Gives an order; the processor on which the helper was when it had done it. Stays busy. */
static int order(char what)
{
	char cpu;

	if (write(helper.to, &what, 1) != 1)
		die("write");
	while (read(helper.from, &cpu, 1) != 1)
		;
	return cpu;
}

/* --- The causes --- */

static __attribute__((noinline)) int move_itself(int n)
{
	for (int i = 0; i < n; i++)
		allow(0, i % 2 ? first : second);
	allow(0, first);
	return n + n % 2;
}

static __attribute__((noinline)) int move_another(int n)
{
	for (int i = 0; i < n; i++) {
		int to = i % 2 ? first : second;

		allow(helper.pid, to);
		if (order('c') != to)
			fprintf(stderr, "migrate: the helper is not on processor %d\n", to);
	}
	return n;
}

/* The helper sleeps where this process is busy, and may be woken elsewhere. */
static __attribute__((noinline)) int wake_another(int n)
{
	int moves = 0;

	while (moves < n) {
		allow(helper.pid, first);
		order('c');
		allow(helper.pid, ANYWHERE);
		moves += order('c') != first;
	}
	return moves;
}

/* The helper shares a processor with this process, and another one idles. */
static __attribute__((noinline)) int compete(int n)
{
	for (int i = 0; i < n; i++) {
		allow(helper.pid, first);
		order('s');
	}
	return n;
}

int main(int argc, char **argv)
{
	struct number times = {10, .most = 1000000000};
	int own, others, woken, pulled, n, status = 0;

	take_numbers(argc, argv, &times, 1, "migrate [N]");
	n = times.value;
	if (!find_processors()) {
		printf("migrate: one processor, so there is nowhere to go\n");
		return 0;
	}
	start_helper();
	allow(0, first);
	allow(helper.pid, first);
	order('c');
	own = move_itself(n);
	others = move_another(n);
	woken = wake_another(n);
	pulled = compete(n);
	close(helper.to);
	waitpid(helper.pid, &status, 0);
	printf("migrate: moves: %d its own, %d of another task, %d when woken, %d pulled\n", own,
	       others, woken, pulled);
	return status != 0;
}
