/* SPDX-License-Identifier: MIT */
/* An event that is limited, and a ring that pauses, while their task goes from CPU to CPU. */
#include <hotregs/perf_event.h>
#include <hotregs/sched.h>
#include <hotregs/smp.h>
#include <hotregs/wait.h>

#include "ktest.h"

#define ROUNDS   200
#define PATIENCE 2000 /* looks, a tenth of a millisecond of sleep each */

static bool stop;
static u64 samples;

/* A switch each time, often to another processor. */
static void hop(void *arg)
{
	for (u32 i = 0; !READ_ONCE(stop); i++) {
		sched_set_affinity(current, CPU_MASK(i % nr_cpus));
		if (i % 3 == 0)
			sleep_ns(20000);
		else
			yield();
	}
}

static struct task *start_hopper(void)
{
	WRITE_ONCE(stop, false);
	return kthread_start("hop", hop, NULL);
}

static void end_hopper(struct task *task)
{
	WRITE_ONCE(stop, true);
	kthread_join(task);
}

static void count(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	__atomic_fetch_add(&samples, 1, __ATOMIC_RELAXED);
}

static u64 taken(void)
{
	return __atomic_load_n(&samples, __ATOMIC_RELAXED);
}

static struct perf_event *open(struct task *task, u64 period, perf_overflow_handler_t handler)
{
	const struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
					     .size = sizeof(attr),
					     .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
					     .sample_period = period,
					     .sample_type = PERF_SAMPLE_TIME,
					     .read_format = PERF_FORMAT_LOST,
					     .disabled = 1};
	struct perf_event *event = perf_event_create_kernel_counter(&attr, -1, task, handler, NULL);

	return EXPECT(!IS_ERR(event)) ? event : NULL;
}

/* Each time so many samples as it is given, wherever the last one is taken. */
KTEST(smp_perf_refresh_follows_the_task)
{
	struct task *task = start_hopper();
	struct perf_event *event = open(task, 1, count);
	u64 all = 0;

	samples = 0;
	for (int i = 0; event && i < ROUNDS; i++) {
		unsigned more = 1 + i % 3;
		int left = PATIENCE;

		all += more;
		EXPECT_EQ(perf_event_refresh(event, more), 0);
		while (taken() < all && --left)
			sleep_ns(100000);
		/* And whatever it does then. */
		if (i % 8 == 0)
			sleep_ns(300000);
		if (!EXPECT_EQ(taken(), all) || !EXPECT_EQ(perf_event_read(event, NULL, NULL), all))
			break;
	}
	end_hopper(task);
	if (event)
		perf_event_release(event);
}

/* One that is closed when it has just taken its last sample, or is about to. */
KTEST(smp_perf_refresh_is_closed_meanwhile)
{
	struct task *task = start_hopper();

	for (int i = 0; i < ROUNDS; i++) {
		struct perf_event *event = open(task, 1, count);

		if (!event)
			break;
		samples = 0;
		perf_event_refresh(event, 1);
		for (int left = i % 40; left && !taken(); left--)
			sleep_ns(5000);
		perf_event_release(event);
		EXPECT(taken() <= 1);
	}
	end_hopper(task);
}

/* What is not written because of the pauses is lost, and counted: nothing else is missing. */
KTEST(smp_perf_pause_follows_the_task)
{
	const struct perf_user root = {.privileged = true};
	struct task *task = start_hopper();
	struct perf_event *event = open(task, 1, NULL), *all = open(task, 0, NULL);
	u64 words[PERF_READ_WORDS_MAX];
	struct perf_ring *ring = NULL;

	if (!event || !all || !EXPECT_EQ(perf_event_mmap(event, 1, true, &root, &ring), 0))
		goto out;
	/* Both from before the next switch on. */
	perf_event_enable(event);
	perf_event_enable(all);
	for (int i = 0; i < ROUNDS; i++) {
		EXPECT_EQ(perf_event_pause_output(event, !(i & 1)), 0);
		sleep_ns(i % 7 * 10000);
	}
	end_hopper(task);
	task = NULL;
	perf_event_read_words(event, words);
	/* Between the two enablings it may have switched. */
	EXPECT(words[0] + words[1] >= perf_event_read(all, NULL, NULL));
	EXPECT(words[0] + words[1] <= perf_event_read(all, NULL, NULL) + 100);
	EXPECT_EQ(ring->lost_total, words[1]);
	EXPECT(words[0] && words[1]);
	perf_event_munmap(event);
out:
	if (task)
		end_hopper(task);
	if (event)
		perf_event_release(event);
	if (all)
		perf_event_release(all);
}
