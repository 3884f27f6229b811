/* SPDX-License-Identifier: MIT */
/*
 * Contracts C4 and C5 for kernel threads: every row of the policy's table, for each source that
 * strikes them, counting and sampling, with the default handler and with one of our own. What is
 * refused is not counted, and consumes no period. Programs: tests/guest/user/c05_policy.c.
 */
#include <hotregs/perf_event.h>
#include <hotregs/sched.h>
#include <hotregs/string.h>
#include <hotregs/wait.h>

#include <arch/mmu.h>
#include <arch/regs.h>

#include "../policy.h"
#include "ktest.h"

#define STRIKES 3

static void sleep_often(void)
{
	for (int i = 0; i < STRIKES; i++)
		sleep_ns(1000000);
}

static void spin(void)
{
	u64 end = clock_ns() + 1000000;

	while (clock_ns() < end)
		cpu_relax();
}

static const struct source {
	const char *name;
	u64 config, period;
	void (*strike)(void);
	bool exact; /* STRIKES strikes; else more than one */
	bool modes; /* does it count what modes are excluded from? */
} sources[] = {
    {"context switch", PERF_COUNT_SW_CONTEXT_SWITCHES, 1, sleep_often, true, true},
    {"cpu-clock", PERF_COUNT_SW_CPU_CLOCK, 100000, spin, false, false},
    {"task-clock", PERF_COUNT_SW_TASK_CLOCK, 100000, spin, false, false},
};

/* What a sample, whoever takes it, must be: the kernel's IP and chain alone. */
static bool is_kernel_sample(u64 ip, const u64 *chain, u64 nr)
{
	bool good = EXPECT(ip >= USER_END) && EXPECT(nr >= 2) &&
		    EXPECT_EQ(chain[0], PERF_CONTEXT_KERNEL) && EXPECT_EQ(chain[1], ip);

	for (u64 i = 1; good && i < nr; i++)
		good = EXPECT(chain[i] != PERF_CONTEXT_USER) && EXPECT(chain[i] >= USER_END);
	return good;
}

static u32 handled;

static void handler(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	u64 ip[PERF_MAX_STACK_DEPTH + PERF_MAX_CONTEXTS_PER_STACK];
	struct callchain chain = {ip, 0, ARRAY_SIZE(ip)};

	handled++;
	perf_callchain(event, regs, &chain);
	EXPECT(!user_mode(regs));
	EXPECT_EQ(data->ip, regs_ip(regs));
	is_kernel_sample(data->ip, chain.ip, chain.nr);
}

/* Samples in @ring: IP and chain. */
static u32 count_samples(const struct perf_ring *ring)
{
	u32 nr = 0;

	for (u64 pos = 0, size; pos < ring->page->data_head; pos += size, nr++) {
		const u64 *record = (const u64 *)(ring->data + pos);
		const struct perf_event_header *h = (const struct perf_event_header *)record;

		size = h->size;
		if (!EXPECT_EQ(h->type, PERF_RECORD_SAMPLE) ||
		    !EXPECT_EQ(h->misc, PERF_RECORD_MISC_KERNEL) ||
		    !is_kernel_sample(record[1], record + 3, record[2]))
			break;
	}
	return nr;
}

struct result {
	int err; /* of opening */
	u64 value;
	u32 samples;
};

/* Opens an event on the running thread, lets @source strike, and says what came of it. */
static struct result run(const struct source *source, const struct policy_row *row, bool sampling,
			 bool own_handler)
{
	const struct perf_user user = {.privileged = true};
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE,
	    .size = sizeof(attr),
	    .config = source->config,
	    .sample_period = sampling ? source->period : 0,
	    .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN,
	    .exclude_kernel = row->exclude_kernel,
	    .exclude_user = row->exclude_user,
	};
	struct result result = {0};
	struct perf_event *event;
	struct perf_ring *ring;

	handled = 0;
	event =
	    perf_event_create_kernel_counter(&attr, 0, current, own_handler ? handler : NULL, NULL);
	if (IS_ERR(event)) {
		result.err = PTR_ERR(event);
		return result;
	}
	if (!own_handler)
		result.err = perf_event_mmap(event, 16, false, &user, &ring);
	source->strike();
	perf_event_disable(event);
	result.value = perf_event_read(event, NULL, NULL);
	result.samples = handled;
	if (!own_handler && !result.err) {
		result.samples = count_samples(ring);
		perf_event_munmap(event);
	}
	perf_event_release(event);
	return result;
}

static void check_samples(const struct source *source, const struct policy_row *row,
			  const struct result *result)
{
	if (row->sampling == NOTHING)
		EXPECT_EQ(result->samples, 0);
	else if (source->exact)
		EXPECT_EQ(result->samples, STRIKES);
	else
		EXPECT(result->samples > 1);
	/* Each strike is a period; of a late timer's sample, several. */
	if (source->exact || row->sampling == NOTHING)
		EXPECT_EQ(result->value, result->samples * source->period);
	else
		EXPECT(result->value >= result->samples * source->period);
}

static void check_row(const struct source *source, const struct policy_row *row, bool own_handler)
{
	bool excludes = row->exclude_kernel || row->exclude_user;

	for (int sampling = 0; sampling < 2; sampling++) {
		struct result result = run(source, row, sampling, own_handler);

		if (!sampling && excludes && !source->modes) {
			EXPECT_EQ(result.err, -EOPNOTSUPP);
			continue;
		}
		if (!EXPECT_EQ(result.err, 0))
			continue;
		if (sampling)
			check_samples(source, row, &result);
		else if (source->exact)
			EXPECT_EQ(result.value, row->counting ? STRIKES : 0);
		else
			EXPECT(result.value > 0);
		if (!sampling)
			EXPECT_EQ(result.samples, 0);
	}
}

static void check_all(void *own_handler)
{
	for (size_t i = 0; i < ARRAY_SIZE(sources); i++)
		for (size_t row = 0; row < ARRAY_SIZE(policy_thread); row++)
			check_row(&sources[i], &policy_thread[row], own_handler);
}

/* In a thread of its own: what describes its events goes with it. */
static void check_table(bool own_handler)
{
	struct task *task = kthread_start("c05", check_all, (void *)(unsigned long)own_handler);

	if (EXPECT(!IS_ERR(task)))
		kthread_join(task);
}

KTEST(c05_policy_of_kernel_threads_default_handler)
{
	check_table(false);
}

KTEST(c05_policy_of_kernel_threads_own_handler)
{
	check_table(true);
}
