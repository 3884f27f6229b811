/* SPDX-License-Identifier: MIT */
/* Stacks without any fault in them, but with each frame record in two pages. */
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../user/ktap.h"
#include "../user/samples.h"
#include "stacks.h"

#define AREA       0x50000000UL
#define NR_RECORDS 6
#define NR_PAGES   (2 * NR_RECORDS)
/* Of no program here, and below the stack, where all code is. */
#define CODE       0x30000000UL

static struct recorder recorder;
static struct record record;
static char scratch;

/* Every other page first, so that no two neighbours are neighbours in memory. */
static bool map_area(void)
{
	void *p = mmap((void *)AREA, NR_PAGES * PAGE, PROT_READ | PROT_WRITE,
		       MAP_FIXED | MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int first = 0; p != MAP_FAILED && first < 2; first++)
		for (int i = first; i < NR_PAGES; i += 2)
			*(volatile char *)(AREA + i * PAGE) = 1;
	return p != MAP_FAILED;
}

/* The address of which a record @i is to be taken; by the records' kind, which alternates. */
static unsigned long code_of(int i)
{
	return CODE + 0x100 * i + (i % 2 ? 4 : 0);
}

/* Each record so many words off a page's end. */
static struct stack_regs make_stack(int words)
{
	unsigned long fp = AREA + 2 * PAGE + words * (long)sizeof(long);
	struct stack_regs regs = {.fp = fp, .sp = AREA};

	for (int i = 0; i < NR_RECORDS - 1; i++, fp += 2 * PAGE)
		put_record(fp, i < NR_RECORDS - 2 ? fp + 2 * PAGE : 0, code_of(i));
	return regs;
}

/* Does the chain end with all of the stack? */
static bool is_whole(const struct sample *s)
{
	int n = NR_RECORDS - 1;

	for (int i = 0; i < n; i++)
		if (s->nr < (uint64_t)n || s->chain[s->nr - n + i] != code_of(i))
			return false;
	return true;
}

/* How often the first record is in the chain. */
static unsigned times_of_first(const struct sample *s)
{
	unsigned n = 0;

	for (uint64_t i = 0; i < s->nr; i++)
		n += s->chain[i] == code_of(0);
	return n;
}

/* A sample of @stack by @sampler. */
static bool take_sample(const struct sampler *sampler, const struct stack_regs *stack,
			struct sample *s)
{
	char *fresh = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	bool taken;

	/* Once to have all of the sampler's own memory in place. */
	sampler->run(stack, &scratch);
	while (recorder_next_sample(&recorder, getpid(), &record, s))
		;
	sampler->run(stack, fresh);
	taken = EXPECT(recorder_next_sample(&recorder, getpid(), &record, s));
	munmap(fresh, PAGE);
	return taken;
}

TEST(c03_records_across_pages)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_PAGE_FAULTS);
	unsigned tried = 0;

	if (!EXPECT(map_area()) || !EXPECT(recorder_open(&recorder, &attr, 0, -1, 16)))
		return;
	for (const struct sampler *sampler = samplers; sampler < samplers + nr_samplers;
	     sampler++) {
		/* Those that are found by a record themselves, in the state that has such. */
		if (strcmp(sampler->name, "page fault") &&
		    strcmp(sampler->name, "page fault, record"))
			continue;
		for (int words = -3; words <= 3; words++) {
			struct stack_regs regs = make_stack(words);
			struct sample s = {0};

			if (take_sample(sampler, &regs, &s) && !EXPECT(is_whole(&s)))
				chain_print(&s);
			tried++;
			/* The last one leads to the first: its chain is no longer for that. */
			put_record(regs.fp + 2 * PAGE * (NR_RECORDS - 2), regs.fp,
				   code_of(NR_RECORDS - 2));
			if (take_sample(sampler, &regs, &s) && !EXPECT_EQ(times_of_first(&s), 1))
				chain_print(&s);
		}
	}
	EXPECT_EQ(tried, 7);
	recorder_close(&recorder);
	munmap((void *)AREA, NR_PAGES * PAGE);
}
