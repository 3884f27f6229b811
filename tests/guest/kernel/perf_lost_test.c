/* SPDX-License-Identifier: MIT */
/*
 * Samples that are not taken, as they strike within another one: LOST_SAMPLES tells of them, and
 * nothing else is missing, wherever the task is.
 */
#include <hotregs/perf_event.h>
#include <hotregs/perf_ring.h>
#include <hotregs/sched.h>
#include <hotregs/smp.h>
#include <hotregs/wait.h>

#include "ktest.h"

#define ROUNDS 100
#define NESTED 3 /* strikes within one */
#define PAGES  8

struct sums {
	u64 samples, lost; /* of the event that is sampled */
	u64 others_lost;   /* of the one whose handler is struck in */
};

static struct perf_event *open(u64 period, perf_overflow_handler_t handler)
{
	const struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
					     .size = sizeof(attr),
					     .config = PERF_COUNT_SW_PAGE_FAULTS,
					     .sample_period = period,
					     .sample_type = PERF_SAMPLE_ID | PERF_SAMPLE_CPU,
					     .sample_id_all = 1,
					     .read_format = PERF_FORMAT_LOST};
	struct perf_event *event =
	    perf_event_create_kernel_counter(&attr, -1, current, handler, NULL);

	return EXPECT(!IS_ERR(event)) ? event : NULL;
}

static void fault(void)
{
	struct pt_regs regs;

	arch_hot_regs(&regs);
	perf_page_fault(&regs, 0, false);
}

static void faults_again(struct perf_event *event, struct perf_sample_data *data,
			 struct pt_regs *regs)
{
	for (int i = 0; i < NESTED; i++)
		perf_page_fault(regs, 0, false);
}

/* All records so far, which lie in one piece each: the ring is not full. */
static void read_ring(const struct perf_ring *ring, u64 id, struct sums *sums)
{
	u64 at = 0, head = ring->page->data_head;

	EXPECT(head <= ring->size);
	while (at < head) {
		const u64 *w = (const u64 *)(ring->data + at);
		const struct perf_event_header *header = (const struct perf_event_header *)w;

		if (!EXPECT(header->size >= sizeof(*header)))
			return;
		at += header->size;
		if (header->type == PERF_RECORD_SAMPLE)
			sums->samples += w[1] == id;
		else if (!EXPECT_EQ(header->type, PERF_RECORD_LOST_SAMPLES))
			continue;
		else if (w[2] == id)
			sums->lost += w[1];
		else
			sums->others_lost += w[1];
	}
}

static void hop_and_fault(void *arg)
{
	const struct perf_user root = {.privileged = true};
	struct perf_event *outer = open(1, faults_again), *event = open(1, NULL),
			  *all = open(0, NULL);
	struct perf_ring *ring = NULL;
	u64 words[PERF_READ_WORDS_MAX];
	struct sums sums = {};

	if (!outer || !event || !all ||
	    !EXPECT_EQ(perf_event_mmap(event, PAGES, true, &root, &ring), 0))
		goto out;
	EXPECT_EQ(perf_event_set_output(outer, event), 0);
	for (int i = 0; i < ROUNDS; i++) {
		sched_set_affinity(current, CPU_MASK(i % nr_cpus));
		fault();
	}
	read_ring(ring, perf_event_id(event), &sums);
	perf_event_read_words(event, words);
	EXPECT_EQ(perf_event_read(all, NULL, NULL), ROUNDS + ROUNDS * NESTED);
	EXPECT_EQ(sums.samples, ROUNDS);
	EXPECT_EQ(sums.lost, ROUNDS * NESTED);
	EXPECT_EQ(words[0], sums.samples);
	EXPECT_EQ(words[1], sums.lost);
	perf_event_read_words(outer, words);
	EXPECT_EQ(words[1], sums.others_lost);
	EXPECT_EQ(sums.others_lost, ROUNDS * NESTED);
	EXPECT_EQ(ring->lost_total, 0);
	perf_event_munmap(event);
out:
	if (outer)
		perf_event_release(outer);
	if (event)
		perf_event_release(event);
	if (all)
		perf_event_release(all);
}

KTEST(smp_perf_lost_samples_are_told)
{
	struct task *task = kthread_start("lost", hop_and_fault, NULL);

	if (EXPECT(!IS_ERR(task)))
		kthread_join(task);
}
