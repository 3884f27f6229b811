/* SPDX-License-Identifier: MIT */
/* Events whose handlers, kernel code's own, disable or release them, on the real scheduler. */
#include <hotregs/mm.h>
#include <hotregs/perf_event.h>
#include <hotregs/wait.h>

#include "ktest.h"

#define SWITCHES 6
#define LAST     3

struct calls {
	u32 n;
	bool release;
};

static void handler(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct calls *calls = perf_event_context(event);

	if (++calls->n < LAST)
		return;
	if (calls->release)
		perf_event_release_self(event);
	else
		perf_event_disable_self(event);
}

static struct perf_event *watch_own_switches(struct calls *calls)
{
	const struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
					     .size = sizeof(attr),
					     .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
					     .sample_period = 1};

	return perf_event_create_kernel_counter(&attr, -1, current, handler, calls);
}

static void switch_away(void)
{
	for (int i = 0; i < SWITCHES; i++)
		sleep_ns(100000);
}

/* In a task of its own, which takes along what it has of perf. */
static void run(void (*test)(void *arg))
{
	struct task *task = kthread_start("handler", test, NULL);

	if (EXPECT(!IS_ERR(task)))
		kthread_join(task);
}

static void disable(void *arg)
{
	struct calls calls = {};
	struct perf_event *event = watch_own_switches(&calls);

	if (!EXPECT(!IS_ERR(event)))
		return;
	switch_away();
	EXPECT_EQ(calls.n, LAST);
	EXPECT_EQ(perf_event_read(event, NULL, NULL), LAST);
	perf_event_enable(event);
	sleep_ns(100000);
	EXPECT_EQ(calls.n, LAST + 1);
	perf_event_release(event);
}

KTEST(perf_handler_disables_its_event)
{
	run(disable);
}

static void release(void *arg)
{
	struct calls calls = {.release = true}, others = {};
	struct perf_event *event = watch_own_switches(&others);
	size_t held;

	if (!EXPECT(!IS_ERR(event)))
		return;
	held = kmalloc_in_use();
	if (!EXPECT(!IS_ERR(watch_own_switches(&calls))))
		return;
	switch_away();
	EXPECT_EQ(calls.n, LAST);
	EXPECT_EQ(others.n, LAST);
	perf_event_release(event);
	/* Whoever opens the next one frees it. */
	event = watch_own_switches(&others);
	EXPECT(!IS_ERR(event));
	EXPECT_EQ(kmalloc_in_use(), held);
	perf_event_release(event);
}

KTEST(perf_handler_releases_its_event)
{
	run(release);
}
