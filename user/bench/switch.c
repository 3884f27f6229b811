/* SPDX-License-Identifier: MIT */
/* System calls, and switches between two processes: by yielding, and through pipes. */
#include "bench.h"

#include <raw_syscall.h>
#include <signal.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define CALLS   2000
#define SIGNALS 500
#define YIELDS  300
#define TRIPS   300

static double syscall_batch(void)
{
	double overhead = bench_loop_overhead(CALLS);
	uint64_t start = clock_instructions();

	for (unsigned i = 0; i < CALLS; i++)
		raw_syscall3(SYS_getppid, 0, 0, 0);
	return (clock_instructions() - start - overhead) / CALLS;
}

static void do_nothing(int sig)
{
	(void)sig;
}

/* Sent, taken, handled, and back where it struck. */
static double signal_batch(void)
{
	double overhead = bench_loop_overhead(SIGNALS);
	int pid = getpid();
	uint64_t start;

	signal(SIGUSR1, do_nothing);
	start = clock_instructions();
	for (unsigned i = 0; i < SIGNALS; i++)
		raw_syscall3(SYS_kill, pid, SIGUSR1, 0);
	return (clock_instructions() - start - overhead) / SIGNALS;
}

bool bench_system_calls(void)
{
	return bench_row("syscall", syscall_batch) &&
	       bench_row("signal to itself, handler", signal_batch);
}

static NOINLINE uint64_t yield_here(unsigned n)
{
	uint64_t start = clock_instructions();

	for (unsigned i = 0; i < n; i++)
		raw_syscall3(SYS_sched_yield, 0, 0, 0);
	return clock_instructions() - start;
}

/* The empty statement keeps the call from becoming a jump or a loop. */
NOINLINE uint64_t yield_many(int depth, unsigned n)
{
	uint64_t took = depth > 0 ? yield_many(depth - 1, n) : yield_here(n);

	__asm__ volatile("" : "+r"(took));
	return took;
}

#ifdef HAS_TABLE_CODE
__attribute__((target("thumb"))) NOINLINE uint64_t yield_many_by_table(int depth, unsigned n)
{
	uint64_t took = depth > 0 ? yield_many_by_table(depth - 1, n) : yield_here(n);

	__asm__ volatile("" : "+r"(took));
	return took;
}
#endif

int partner_start(int depth)
{
	int pid = fork();

	if (pid == 0)
		for (;;)
			yield_many(depth, 1u << 30);
	if (pid < 0)
		bench_failed("fork failed");
	else
		yield_many(0, 4); /* it is on its way now */
	return pid;
}

void partner_end(int pid)
{
	kill(pid, SIGKILL);
	waitpid(pid, NULL, 0);
}

/* Each yield of ours is answered by one of the partner's, so two switches a round. */
double switch_batch(yield_fn *yield, int depth, uint64_t *switches)
{
	double overhead = bench_loop_overhead(YIELDS);
	uint64_t before = count_switches();
	uint64_t took = yield(depth, YIELDS);

	*switches = count_switches() - before;
	if (*switches < 2 * YIELDS || *switches > 2 * YIELDS + YIELDS / 20)
		return bench_failed("%u yields made %u switches", YIELDS, (unsigned)*switches);
	return (took - overhead) / *switches;
}

static double yield_batch(void)
{
	uint64_t switches;

	return switch_batch(yield_many, 0, &switches);
}

/* --- Pipes --- */

static int there[2], back[2];

static void echo_bytes(void)
{
	char c;

	close(there[1]);
	close(back[0]);
	while (raw_syscall3(SYS_read, there[0], (long)&c, 1) == 1)
		raw_syscall3(SYS_write, back[1], (long)&c, 1);
	_exit(0);
}

static double pipe_batch(void)
{
	double overhead = bench_loop_overhead(TRIPS);
	uint64_t before = count_switches(), start, took, switches;
	char c = 0;

	start = clock_instructions();
	for (unsigned i = 0; i < TRIPS; i++) {
		raw_syscall3(SYS_write, there[1], (long)&c, 1);
		if (raw_syscall3(SYS_read, back[0], (long)&c, 1) != 1)
			return bench_failed("the partner at the other end of the pipe is gone");
	}
	took = clock_instructions() - start;
	switches = count_switches() - before;
	if (switches < 2 * TRIPS || switches > 2 * TRIPS + TRIPS / 20)
		return bench_failed("%u round trips made %u switches", TRIPS, (unsigned)switches);
	return (took - overhead) / switches;
}

static bool bench_pipes(void)
{
	int pid;
	bool ok;

	if (pipe(there) < 0 || pipe(back) < 0 || (pid = fork()) < 0)
		return bench_failed("pipe or fork failed") > 0;
	if (pid == 0)
		echo_bytes();
	close(there[0]);
	close(back[1]);
	ok = bench_row("pipe switch", pipe_batch);
	close(there[1]);
	close(back[0]);
	waitpid(pid, NULL, 0);
	return ok;
}

bool bench_switches(void)
{
	int partner = partner_start(0);
	bool ok;

	if (partner < 0)
		return false;
	ok = bench_row("user yield switch", yield_batch);
	partner_end(partner);
	return bench_pipes() && ok;
}
