/* SPDX-License-Identifier: MIT */
/*
 * Contract C10 for user stacks: whatever a program makes of its stack and its registers, a sample
 * of it ends, says nothing of the kernel, and costs no more than a deep stack does; and the samples
 * of another task are all there, and right.
 */
#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "../user/ktap.h"
#include "../user/samples.h"
#include "bystander.h"
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
static struct bystander bystander;
static unsigned failures;
/* Instructions of a page fault and its two samples, one with a chain and one with memory. */
static unsigned long most_expensive;
static int switches; /* an event that counts them */

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
	const char *wrong;
	unsigned n = 0;
	struct sample s;

	while (recorder_next_sample(&recorders[sampler->kind], getpid(), &record, &s)) {
		wrong = check_sample(&s, stack);
		n++;
		if (wrong) {
			tell(shape, seed, sampler, stack, wrong);
			chain_print(&s);
		}
	}
	if (!n)
		tell(shape, seed, sampler, stack, "no sample");
	wrong = dumps_check(sampler->kind, stack);
	if (wrong)
		tell(shape, seed, sampler, stack, wrong);
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

/* How often this task has left the CPU. */
static uint64_t nr_switches(void)
{
	uint64_t n = 0;

	EXPECT_EQ(read(switches, &n, sizeof(n)), sizeof(n));
	return n;
}

static void sample_stack(const struct sampler *sampler, const struct stack *stack)
{
	uint64_t before = nr_switches();

	struct recorder *r = &recorders[sampler->kind];
	volatile void *memory =
	    sampler->kind == SAMPLE_FAULT ? fresh_page() : (void *)&r->page->data_head;
	unsigned long took;

	dumps_enable(sampler->kind, true);
	ioctl(r->fd, PERF_EVENT_IOC_ENABLE, 0);
	took = instruction_count();
	sampler->run(&stack->regs, memory);
	took = instruction_count() - took;
	ioctl(r->fd, PERF_EVENT_IOC_DISABLE, 0);
	dumps_enable(sampler->kind, false);
	/* The others wait for a time or for another task. So does a fault within which a slice
	 * ends. */
	if (sampler->kind == SAMPLE_FAULT && took > most_expensive && nr_switches() == before)
		most_expensive = took;
}

/* What the deepest sound stack costs, at most: each time but when a tick or a new recipe came in.
 */
static unsigned long cost_of_deepest(void)
{
	static const struct shape sound = {"deepest", make_deepest};
	unsigned long most = 0;

	for (const struct sampler *s = samplers; s < samplers + nr_samplers; s++) {
		struct stack stack = {0};
		unsigned long least = ~0ul;

		if (s->kind != SAMPLE_FAULT)
			continue;
		for (int i = 0; i < 20; i++) {
			most_expensive = 0;
			make_deepest(&stack);
			sample_stack(s, &stack);
			check_samples(&sound, 0, s, &stack);
			arena_clean();
			if (most_expensive && most_expensive < least)
				least = most_expensive;
		}
		most = least > most ? least : most;
	}
	most_expensive = 0;
	return most;
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
	attr = software_event(PERF_COUNT_SW_CONTEXT_SWITCHES);
	attr.sample_period = 0;
	switches = perf_event_open(&attr, 0, -1, -1, 0);
	if (!EXPECT(switches >= 0))
		return false;
	for (int i = 0; i < NR_SAMPLE_KINDS; i++) {
		attr = software_event(events[i].config);
		/* It must not be over before the stack is what it should be. */
		attr.sample_period = events[i].period * (i == SAMPLE_CLOCK ? ktap_scale : 1);
		attr.disabled = 1;
		if (!EXPECT(recorder_open(&recorders[i], &attr, 0, -1, RING_PAGES)) ||
		    !dumps_open(i, attr))
			return false;
	}
	return true;
}

/* What the bystander does between two yields: it changes the memory that it shares with a stack. */
static void change_memory(void)
{
	static volatile uint64_t *words;
	static struct random random;

	if (!words)
		words = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, shared.fd, 0);
	for (unsigned i = 0; i < 4; i++)
		words[512 + random_below(&random, 512)] = random_u64(&random);
}

static volatile bool scribbling;

static void *scribble(void *arg)
{
	struct random random = {2};

	while (scribbling) {
		arena_scribble(&random);
		sched_yield();
	}
	return arg;
}

TEST(c10_hostile_stacks)
{
	bool ready = open_recorders() && bystander_start(&bystander, change_memory);
	unsigned long deepest = ready ? cost_of_deepest() : 0;
	pthread_t thread;

	scribbling = true;
	EXPECT_EQ(pthread_create(&thread, NULL, scribble, NULL), 0);

	for (unsigned seed = 0; ready && seed < NR_STACKS && failures < MAX_FAILURES; seed++) {
		const struct shape *shape = &shapes[seed % nr_shapes];

		for (int kind = 0; kind < NR_SAMPLE_KINDS; kind++) {
			struct stack stack = {.random = {seed}};
			const struct sampler *sampler = choose(&stack.random, kind);

			own_ring = (unsigned long)recorders[kind].page + PAGE;
			stack.regs.lr = random_u64(&stack.random);
			shape->make(&stack);
			sample_stack(sampler, &stack);
			check_samples(shape, seed, sampler, &stack);
			arena_clean();
		}
		failures += !bystander_watch(&bystander);
	}
	scribbling = false;
	EXPECT_EQ(pthread_join(thread, NULL), 0);
	if (ready)
		EXPECT(bystander_end(&bystander) >= NR_STACKS);
	printf("# a page fault and its samples took %lu instructions at most, a sound stack %lu\n",
	       most_expensive, deepest);
	EXPECT(most_expensive <= 3 * deepest);
	for (int i = 0; i < NR_SAMPLE_KINDS; i++) {
		recorder_close(&recorders[i]);
		dumps_close(i);
	}
	recorder_close(&shared);
	close(switches);
}
