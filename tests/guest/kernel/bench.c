/* SPDX-License-Identifier: MIT */
/* What the kernel's own operations cost. Each row checks that what it timed did happen. */
#include <hotregs/cpu.h>
#include <hotregs/perf_event.h>
#include <hotregs/printk.h>
#include <hotregs/sched.h>

#include <arch/regs.h>
#include <arch/unwind.h>

#include "../policy.h"
#include "bench_clock.h"
#include "counting_pmu.h"
#include "ktest.h"

#define BATCHES 43
#define DROPPED 3 /* the first ones warm up */
#define ROUNDS  32

static u32 result[BATCHES];

static void sort(u32 *v, int n)
{
	for (int i = 1; i < n; i++)
		for (int j = i; j > 0 && v[j - 1] > v[j]; j--) {
			u32 t = v[j];

			v[j] = v[j - 1];
			v[j - 1] = t;
		}
}

/* Prints a row from result[], each the ticks of one operation. */
static void report(const char *operation)
{
	u32 *v = result + DROPPED;
	const int n = BATCHES - DROPPED;

	sort(v, n);
	printk("bench\t%s\t%u\t%u\t%u\n", operation, v[n / 2], v[0], v[n - 1]);
}

/* Ticks that reading the counter twice takes by itself. */
static u32 overhead(void)
{
	u32 best = UINT32_MAX;

	for (int i = 0; i < 100; i++) {
		u32 start = bench_clock();
		u32 ticks = bench_clock() - start;

		best = MIN(best, ticks);
	}
	return best;
}

static bool stop;

static void yield_loop(void *arg)
{
	while (!READ_ONCE(stop))
		yield();
}

static void bench_yield(void)
{
	struct task *other;
	u64 switches;

	stop = false;
	other = kthread_start("yield", yield_loop, NULL);
	yield();
	for (int b = 0; b < BATCHES; b++) {
		u32 start, ticks;

		switches = this_cpu()->nr_switches;
		start = bench_clock();
		for (int i = 0; i < ROUNDS; i++)
			yield();
		ticks = bench_clock() - start - overhead();
		/* There and back is two switches. */
		switches = this_cpu()->nr_switches - switches;
		if (switches != 2 * ROUNDS)
			printk("bench: %llu switches instead of %d\n", switches, 2 * ROUNDS);
		result[b] = ticks / (2 * ROUNDS);
	}
	WRITE_ONCE(stop, true);
	kthread_join(other);
	report("yield, kernel threads");
}

/* The question every switch asks, without the switch. */
static void bench_no_listener(void)
{
	struct cpu *cpu = this_cpu();
	struct task *task = current;

	for (int b = 0; b < BATCHES; b++) {
		u32 ticks, start = bench_clock();
		bool watched;

		barrier(); /* what is loaded is loaded here */
		watched = unlikely(perf_switch_watchers(cpu, task, task));
		barrier();
		ticks = bench_clock() - start;

		if (watched)
			printk("bench: somebody watches switches\n");
		result[b] = ticks - overhead();
	}
	report("switch, no listener, added");
}

static void bench_hot_regs(void)
{
	static struct pt_regs regs;

	for (int b = 0; b < BATCHES; b++) {
		u32 start = bench_clock();

		arch_hot_regs(&regs);
		result[b] = bench_clock() - start - overhead();
	}
	if (!kernel_text_address(regs_ip(&regs)))
		printk("bench: hot regs hold no kernel address\n");
	report("hot regs");
}

static noinline u32 chain_at_depth(unsigned depth, u32 *frames)
{
	static struct pt_regs regs;
	static u64 ip[64];
	struct callchain chain = {ip, 0, ARRAY_SIZE(ip)};
	u32 start, ticks;

	if (depth) {
		ticks = chain_at_depth(depth - 1, frames);
		barrier(); /* no tail call */
		return ticks;
	}
	arch_hot_regs(&regs);
	start = bench_clock();
	perf_callchain_kernel(&chain, &regs);
	ticks = bench_clock() - start;
	*frames = chain.nr;
	return ticks;
}

static void bench_kernel_frame(void)
{
	u32 few, many, ticks;

	for (int b = 0; b < BATCHES; b++) {
		ticks = chain_at_depth(40, &many);
		ticks -= chain_at_depth(8, &few);
		if (many - few != 32)
			printk("bench: %u frames instead of 32\n", many - few);
		result[b] = ticks / 32;
	}
	report("kernel chain, per frame");
}

/* --- A move that is sampled: its decision, and what comes on top when the task runs --- */

static struct pt_regs move_regs;

static __always_inline u32 decide(struct task *task)
{
	unsigned long flags;
	struct cpu *cpu = task_rq_lock(task, &flags);
	u32 ticks, start = bench_clock();

	if (perf_migration_watched(task, cpu->id)) {
		arch_hot_regs(&move_regs);
		perf_sched_migrate(task, cpu->id, &move_regs, true);
	}
	ticks = bench_clock() - start - overhead();
	task_rq_unlock(cpu, flags);
	return ticks;
}

static u32 yields(unsigned n)
{
	u32 start = bench_clock();

	while (n--)
		yield();
	return bench_clock() - start;
}

/*
 * A switch with that listener is a plain one: what it has more of is the sample, ring and all. The
 * limit is 400, with a chain.
 */
static void bench_move(u64 sample_type, const char *name)
{
	const struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
					     .size = sizeof(attr),
					     .config = PERF_COUNT_SW_CPU_MIGRATIONS,
					     .sample_period = 1,
					     .sample_type = sample_type};
	const struct perf_user user = {.privileged = true};
	struct perf_event *event;
	struct perf_ring *ring;
	struct task *other;

	stop = false;
	other = kthread_start("moved", yield_loop, NULL);
	yield();
	event = perf_event_create_kernel_counter(&attr, -1, other, NULL, NULL);
	if (perf_event_mmap(event, 4, false, &user, &ring) < 0)
		panic("bench: no ring");
	for (int b = 0; b < BATCHES; b++) {
		u32 plain = yields(2), place = decide(other);

		result[b] = place + yields(2) - plain;
	}
	if (perf_event_read(event, NULL, NULL) != BATCHES)
		printk("bench: %llu moves instead of %d\n", perf_event_read(event, NULL, NULL),
		       BATCHES);
	perf_event_munmap(event);
	perf_event_release(event);
	WRITE_ONCE(stop, true);
	kthread_join(other);
	report(name);
}

/* --- Switches between two tasks with events that need counters, of which there are fewer --- */

#define EVENTS_MAX 64

static u32 events_of(struct task *task, struct perf_event **event, u32 n, bool inherit)
{
	const struct perf_event_attr attr = {
	    .type = COUNTING_TYPE, .size = sizeof(attr), .inherit = inherit};

	for (u32 i = 0; i < n; i++) {
		event[i] = perf_event_create_kernel_counter(&attr, -1, task, NULL, NULL);
		if (IS_ERR(event[i]))
			panic("bench: no event");
	}
	return n;
}

/* @equal: the one has inherited what the other one has. */
static void bench_contexts(u32 n, bool equal, const char *name)
{
	struct perf_event *event[2 * EVENTS_MAX];
	u32 nr = 0, plain[BATCHES];
	struct task *other;
	u64 changes;

	stop = false;
	other = kthread_start("counted", yield_loop, NULL);
	for (int b = 0; b < BATCHES; b++)
		plain[b] = yields(2 * ROUNDS);
	nr += events_of(current, event, n, equal);
	if (!equal)
		nr += events_of(other, event + nr, n, false);
	else if (perf_task_fork(other) < 0)
		panic("bench: no events inherited");
	yield();
	changes = counting_changes();
	/* Each yield is answered by one of the other's. */
	for (int b = 0; b < BATCHES; b++)
		result[b] = (yields(2 * ROUNDS) - plain[b]) / (4 * ROUNDS);
	if (equal != (counting_changes() == changes))
		printk("bench: counters changed %llu times instead of none, or some\n",
		       counting_changes() - changes);
	while (nr > 0)
		perf_event_release(event[--nr]);
	WRITE_ONCE(stop, true);
	kthread_join(other);
	report(name);
}

void kbench_run(void)
{
	const u64 fields = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			   PERF_SAMPLE_PERIOD;

	bench_clock_start();
	bench_no_listener();
	bench_hot_regs();
	bench_kernel_frame();
	bench_yield();
	bench_move(fields, "move sample");
	bench_move(fields | PERF_SAMPLE_CALLCHAIN, "move sample, kernel chain");
	bench_contexts(8, true, "switch, 8 events, equal contexts, added");
	bench_contexts(64, true, "switch, 64 events, equal contexts, added");
	bench_contexts(8, false, "switch, 8 events, counters, added");
	bench_contexts(64, false, "switch, 64 events, counters, added");
}
