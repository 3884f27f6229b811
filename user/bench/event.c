/* SPDX-License-Identifier: MIT */
/*
 * What events cost by their number: opening one, and a switch, with 1, 8 and 64 events of the two
 * tasks; and that neither grows with the tasks that there are, though all of them have events.
 */
#include "bench.h"

#include <linux/perf_event.h>
#include <pthread.h>
#include <raw_syscall.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

#define OPENS   20
#define EACH    32 /* events that one process opens: it has 64 descriptors */
#define HOLDERS 2
#define CROWDS  2

static double without; /* a switch when there is no event */

static int open_event(pid_t pid, bool inherit)
{
	static struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE,
	    .size = PERF_ATTR_SIZE_VER5,
	    .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
	};

	attr.inherit = inherit;
	return raw_syscall6(SYS_perf_event_open, (long)&attr, pid, -1, -1, 0, 0);
}

static double open_batch(void)
{
	uint64_t start = clock_instructions();

	for (unsigned i = 0; i < OPENS; i++) {
		int fd = open_event(0, false);

		if (fd < 0 || raw_syscall3(SYS_close, fd, 0, 0) < 0)
			return bench_failed("perf_event_open failed");
	}
	return (clock_instructions() - start) / (double)OPENS;
}

/* --- Who holds events --- */

static pid_t holder[HOLDERS], crowd[CROWDS];

static bool open_one(void)
{
	return open_event(getppid(), true) >= 0;
}

static void *sleep_on(void *arg)
{
	for (;;)
		pause();
	return arg;
}

static bool add_task(void)
{
	pthread_t thread;

	return pthread_create(&thread, NULL, sleep_on, NULL) == 0;
}

/* @n events of ours, which children inherit. */
static bool hold_events(unsigned n)
{
	for (unsigned i = 0; i < HOLDERS && n; i++) {
		unsigned these = n < EACH ? n : EACH;

		holder[i] = bench_child(these, open_one);
		if (holder[i] <= 0)
			return bench_failed("%u events can not be opened", these) > 0;
		n -= these;
	}
	return true;
}

/* --- The rows --- */

static double base_batch(void)
{
	uint64_t switches;

	return switch_batch(yield_many, 0, &switches);
}

static double added_batch(void)
{
	double cost = base_batch();

	if (cost < 0)
		return -1;
	return cost > without ? cost - without : 0;
}

/* Opening one more, and a switch with a partner which has the same events. */
static bool rows(const char *what)
{
	char open_name[64], switch_name[64];
	int partner;
	bool ok;

	snprintf(open_name, sizeof(open_name), "perf_event_open+close, %s", what);
	snprintf(switch_name, sizeof(switch_name), "switch, %s, added", what);
	ok = bench_row(open_name, open_batch);
	partner = partner_start(0);
	if (partner < 0)
		return false;
	ok = bench_row(switch_name, added_batch) && ok;
	partner_end(partner);
	return ok;
}

static bool by_events(void)
{
	static const unsigned numbers[] = {1, 8, 64};
	bool ok = true;

	for (unsigned i = 0; ok && i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		char what[32];

		snprintf(what, sizeof(what), "%u event%s", numbers[i], numbers[i] > 1 ? "s" : "");
		ok = hold_events(numbers[i]) && rows(what);
		bench_end(holder, HOLDERS);
	}
	return ok;
}

/* With one event here and in each of so many tasks that sleep. */
static bool by_tasks(void)
{
	static const unsigned numbers[CROWDS] = {10, 1000};
	bool ok = hold_events(1);

	for (unsigned i = 0; ok && i < CROWDS; i++) {
		char what[32];

		/* A child is a task itself. */
		crowd[i] = bench_child(numbers[i] - (i ? numbers[i - 1] : 0) - 1, add_task);
		ok = crowd[i] > 0 || bench_failed("there are no %u tasks", numbers[i]) > 0;
		snprintf(what, sizeof(what), "%u tasks", numbers[i]);
		ok = ok && rows(what);
	}
	bench_end(crowd, CROWDS);
	bench_end(holder, HOLDERS);
	return ok;
}

bool bench_events(void)
{
	int partner = partner_start(0);
	bool ok = partner > 0 && bench_median("switch without event", base_batch, &without);

	partner_end(partner);
	return ok && by_events() && by_tasks();
}
