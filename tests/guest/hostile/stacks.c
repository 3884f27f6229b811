/* SPDX-License-Identifier: MIT */
/*
 * Contract C10 for user stacks: whatever a program makes of its stack and its registers, a sample
 * of it ends, says nothing of the kernel, and costs no more than a deep stack does; and the samples
 * of another task are all there, and right.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../user/ktap.h"
#include "../user/samples.h"
#include "stacks.h"

#define NR_STACKS    10000 /* at each kind of sample */
#define MAX_FAILURES 5
#define RING_PAGES   16
#define FRESH_PAGES  64

static const struct {
	uint64_t config, period;
} events[NR_SAMPLE_KINDS] = {
    [SAMPLE_SWITCH] = {PERF_COUNT_SW_CONTEXT_SWITCHES, 1},
    [SAMPLE_FAULT] = {PERF_COUNT_SW_PAGE_FAULTS, 1},
    [SAMPLE_CLOCK] = {PERF_COUNT_SW_CPU_CLOCK, 10000},
};

static struct recorder recorders[NR_SAMPLE_KINDS], shared;
static struct record record;
static unsigned failures;
static unsigned long most_expensive;

/* --- The bystander: another task, that is sampled too --- */

static struct recorder bystander_recorder;
static int to_bystander[2], from_bystander[2];
static uint64_t bystander_samples, bystander_yields, first_chain[128], first_nr;

/* Yields until it is told to stop, and says how often it did. On the way it changes the memory that
 * it shares with a hostile stack. */
static void bystander_loop(void)
{
	volatile uint64_t *words = (volatile uint64_t *)mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE,
							     MAP_SHARED, shared.fd, 0);
	struct random random = {1};
	uint64_t yields = 0;
	char c;

	for (; read(to_bystander[0], &c, 1) < 0; yields++) {
		for (unsigned i = 0; i < 4; i++)
			words[512 + random_below(&random, 512)] = random_u64(&random);
		sched_yield();
	}
	_exit(write(from_bystander[1], &yields, sizeof(yields)) != sizeof(yields));
}

static pid_t start_bystander(void)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CONTEXT_SWITCHES);
	pid_t pid;

	if (!EXPECT_EQ(pipe(to_bystander), 0) || !EXPECT_EQ(pipe(from_bystander), 0))
		return -1;
	fcntl(to_bystander[0], F_SETFL, O_NONBLOCK);
	fflush(stdout);
	pid = fork();
	if (!pid)
		bystander_loop();
	if (!EXPECT(pid > 0) || !EXPECT(recorder_open(&bystander_recorder, &attr, pid, -1, 64)))
		return -1;
	return pid;
}

/* Every one of its switches at sched_yield() has the same chain. */
static void watch_bystander(pid_t pid)
{
	struct sample s;

	while (recorder_next_sample(&bystander_recorder, pid, &record, &s)) {
		bystander_samples++;
		if (strcmp(symbol_of(s.ip), "sys_sched_yield") || failures >= MAX_FAILURES)
			continue;
		bystander_yields++;
		if (!first_nr) {
			first_nr = s.nr;
			memcpy(first_chain, s.chain, s.nr * sizeof(*s.chain));
		}
		if (!EXPECT_EQ(s.nr, first_nr) ||
		    !EXPECT(!memcmp(s.chain, first_chain, s.nr * sizeof(*s.chain))))
			failures++;
	}
}

static void end_bystander(pid_t pid)
{
	uint64_t yields = 0, counted = 0;
	int status;

	EXPECT_EQ(write(to_bystander[1], "x", 1), 1);
	EXPECT_EQ(read(from_bystander[0], &yields, sizeof(yields)), sizeof(yields));
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	watch_bystander(pid);
	EXPECT_EQ(read(bystander_recorder.fd, &counted, sizeof(counted)), sizeof(counted));
	EXPECT_EQ(bystander_samples, counted);
	EXPECT(yields >= NR_STACKS);
	/* The one that it made before it was watched may be missing. */
	EXPECT(bystander_yields == yields || bystander_yields + 1 == yields);
	printf("# %llu samples of a bystander\n", (unsigned long long)bystander_samples);
	recorder_close(&bystander_recorder);
}

/* --- One sample --- */

static bool is_marker(uint64_t entry)
{
	return entry >= PERF_CONTEXT_MAX;
}

/* What is wrong with @s, a sample of @stack; NULL: nothing. */
static const char *check_sample(const struct sample *s, const struct stack *stack)
{
	uint64_t markers = 0, context = 0;

	for (uint64_t i = 0; i < s->nr; i++) {
		uint64_t entry = s->chain[i];

		if (is_marker(entry)) {
			if (entry != PERF_CONTEXT_KERNEL && entry != PERF_CONTEXT_USER)
				return "a marker that is none";
			if (context == PERF_CONTEXT_USER || entry == context)
				return "a marker too much";
			context = entry;
			markers++;
		} else if (!context) {
			return "no marker first";
		} else if (context == PERF_CONTEXT_KERNEL) {
			if (!strcmp(symbol_of(entry), "?"))
				return "a kernel frame that is no kernel function";
		} else if (!stack_entry_allowed(stack, entry)) {
			return "a user frame that is none of the program's";
		}
	}
	if (markers > PERF_MAX_CONTEXTS_PER_STACK || s->nr - markers > PERF_MAX_STACK_DEPTH)
		return "too long";
	return context == PERF_CONTEXT_USER ? NULL : "no user frame";
}

static void tell(const struct shape *shape, unsigned seed, const struct sampler *sampler,
		 const struct stack *stack, const char *wrong)
{
	failures++;
	ktap_expect(false, __FILE__, __LINE__, "shape \"%s\", seed %u, sampled by %s: %s",
		    shape->name, seed, sampler->name, wrong);
	printf("#   fp %lx, sp %lx, lr %lx\n", stack->regs.fp, stack->regs.sp, stack->regs.lr);
}

/* The samples of @sampler's kind since the last time: at least one struck in it. */
static void check_samples(const struct shape *shape, unsigned seed, const struct sampler *sampler,
			  const struct stack *stack)
{
	unsigned n = 0;
	struct sample s;

	while (recorder_next_sample(&recorders[sampler->kind], getpid(), &record, &s)) {
		const char *wrong = check_sample(&s, stack);

		n++;
		if (wrong) {
			tell(shape, seed, sampler, stack, wrong);
			chain_print(&s);
		}
	}
	if (!n)
		tell(shape, seed, sampler, stack, "no sample");
}

/* A page that nobody has touched. */
static void *fresh_page(void)
{
	static unsigned left;
	static char *pages;

	if (!left) {
		if (pages)
			munmap(pages, FRESH_PAGES * PAGE);
		pages = mmap(NULL, FRESH_PAGES * PAGE, PROT_READ | PROT_WRITE,
			     MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		left = FRESH_PAGES;
	}
	return pages + --left * PAGE;
}

static void sample_stack(const struct sampler *sampler, const struct stack *stack)
{
	struct recorder *r = &recorders[sampler->kind];
	volatile void *memory =
	    sampler->kind == SAMPLE_FAULT ? fresh_page() : (void *)&r->page->data_head;
	unsigned long took;

	ioctl(r->fd, PERF_EVENT_IOC_ENABLE, 0);
	took = instruction_count();
	sampler->run(&stack->regs, memory);
	took = instruction_count() - took;
	ioctl(r->fd, PERF_EVENT_IOC_DISABLE, 0);
	/* The others wait for a time or for another task. */
	if (sampler->kind == SAMPLE_FAULT && took > most_expensive)
		most_expensive = took;
}

static const struct sampler *choose(struct random *random, enum sample_kind kind)
{
	const struct sampler *s;

	do
		s = &samplers[random_below(random, nr_samplers)];
	while (s->kind != kind);
	return s;
}

static bool open_recorders(void)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_DUMMY);

	if (!EXPECT(arena_map()) || !EXPECT(recorder_open(&shared, &attr, 0, -1, 1)))
		return false;
	shared_memory = (unsigned long)shared.page + PAGE;
	for (int i = 0; i < NR_SAMPLE_KINDS; i++) {
		attr = software_event(events[i].config);
		attr.sample_period = events[i].period;
		attr.disabled = 1;
		if (!EXPECT(recorder_open(&recorders[i], &attr, 0, -1, RING_PAGES)))
			return false;
	}
	return true;
}

TEST(c10_hostile_stacks)
{
	pid_t bystander = open_recorders() ? start_bystander() : -1;

	for (unsigned seed = 0; bystander > 0 && seed < NR_STACKS && failures < MAX_FAILURES;
	     seed++) {
		const struct shape *shape = &shapes[seed % nr_shapes];

		for (int kind = 0; kind < NR_SAMPLE_KINDS; kind++) {
			struct stack stack = {.random = {seed}};
			const struct sampler *sampler = choose(&stack.random, kind);

			own_ring = (unsigned long)recorders[kind].page + PAGE;
			stack.regs.lr = random_u64(&stack.random);
			shape->make(&stack);
			sample_stack(sampler, &stack);
			check_samples(shape, seed, sampler, &stack);
		}
		watch_bystander(bystander);
	}
	if (bystander > 0)
		end_bystander(bystander);
	printf("# a sample and its page fault took %lu instructions at most\n", most_expensive);
	EXPECT(most_expensive <= sample_cost_fixed + PERF_MAX_STACK_DEPTH * sample_cost_frame);
	for (int i = 0; i < NR_SAMPLE_KINDS; i++)
		recorder_close(&recorders[i]);
	recorder_close(&shared);
}
