/* SPDX-License-Identifier: MIT */
/*
 * Kernel code that asks who writes a variable of its own, and that watches for others: with a
 * handler, its context and the chain; on every processor, and in another task.
 */
#include <hotregs/breakpoint.h>
#include <hotregs/cpu.h>
#include <hotregs/hw_breakpoint.h>
#include <hotregs/sched.h>
#include <hotregs/smp.h>
#include <hotregs/string.h>
#include <hotregs/unwind.h>
#include <hotregs/wait.h>

#include <arch/perf.h>
#include <arch/regs.h>

#include "ktest.h"

static u32 variable __aligned(8);

static struct perf_event_attr watch_variable(void)
{
	return (struct perf_event_attr){.type = PERF_TYPE_BREAKPOINT,
					.size = sizeof(struct perf_event_attr),
					.bp_type = HW_BREAKPOINT_W,
					.bp_addr = (unsigned long)&variable,
					.bp_len = sizeof(variable)};
}

/* Forms for it; false: the test is skipped. */
static bool parse_variable(struct bp_parts *parts)
{
	const struct perf_event_attr attr = watch_variable();
	const char *why = "";
	int err = bp_parse(&attr, parts, &why);

	if (err == -EOPNOTSUPP)
		ktest_skip("breakpoints of this architecture are not done yet");
	else
		EXPECT_EQ(err, 0);
	return !err;
}

/* --- Who writes this variable? --- */

struct writer {
	u32 n;
	pid_t tid;
	struct callchain chain;
	u64 ip[8];
};

static void note_writer(struct breakpoint *bp, const struct bp_hit *hit)
{
	struct writer *w = bp->context;

	w->n++;
	w->tid = current->tid;
	w->chain = (struct callchain){w->ip, 0, ARRAY_SIZE(w->ip)};
	perf_callchain_kernel(&w->chain, hit->regs);
}

static noinline void write_variable(u32 value)
{
	WRITE_ONCE(variable, value);
	barrier();
}

static noinline void write_for_others(void)
{
	write_variable(7);
	barrier();
}

static void expect_writer(const struct writer *w)
{
	static const char *const callers[] = {"write_variable", "write_for_others"};

	for (u32 i = 0; i < ARRAY_SIZE(callers); i++)
		if (EXPECT(i < w->chain.nr))
			EXPECT_STR(kallsyms_lookup(w->ip[i], NULL, NULL), callers[i]);
}

KTEST(breakpoint_tells_who_writes_a_variable)
{
	struct writer w = {};
	struct breakpoint bp = {.cpu = -1, .hit = note_writer, .context = &w};

	if (!parse_variable(&bp.parts))
		return;
	EXPECT_EQ(breakpoint_reserve(&bp), 0);
	write_for_others();
	EXPECT_EQ(w.n, 0);
	breakpoint_enable(&bp);
	write_for_others();
	(void)READ_ONCE(variable);
	write_for_others();
	EXPECT_EQ(w.n, 2);
	EXPECT_EQ(w.tid, current->tid);
	expect_writer(&w);
	breakpoint_disable(&bp);
	write_for_others();
	EXPECT_EQ(w.n, 2);
	breakpoint_release(&bp);
	EXPECT_EQ(breakpoint_slots_used(), 0);
}

static void write_once(void *arg)
{
	write_for_others();
}

/* On every processor, at once and by interrupts. */
KTEST(smp_breakpoint_of_everybody)
{
	struct writer w = {};
	struct breakpoint bp = {.cpu = -1, .hit = note_writer, .context = &w};
	struct breakpoint one = bp;

	if (!parse_variable(&bp.parts))
		return;
	if (nr_cpus == 1) {
		ktest_skip("one processor runs");
		return;
	}
	EXPECT_EQ(breakpoint_reserve(&bp), 0);
	breakpoint_enable(&bp);
	for (u32 id = 0; id < nr_cpus; id++) {
		smp_call(CPU_MASK(id), write_once, NULL);
		EXPECT_EQ(READ_ONCE(w.n), id + 1);
		expect_writer(&w);
	}
	breakpoint_disable(&bp);
	smp_call(cpus_online(), write_once, NULL);
	EXPECT_EQ(READ_ONCE(w.n), nr_cpus);
	breakpoint_release(&bp);
	/* And on one alone. */
	one.parts = bp.parts;
	one.cpu = (s32)nr_cpus - 1;
	EXPECT_EQ(breakpoint_reserve(&one), 0);
	breakpoint_enable(&one);
	smp_call(cpus_online(), write_once, NULL);
	EXPECT_EQ(READ_ONCE(w.n), nr_cpus + 1);
	breakpoint_disable(&one);
	breakpoint_release(&one);
	EXPECT_EQ(breakpoint_slots_used(), 0);
}

/* --- Another task --- */

#define WRITES 20

static volatile bool go;

static void writer_task(void *arg)
{
	while (!go)
		sleep_ns(100000);
	for (int i = 0; i < WRITES; i++) {
		write_for_others();
		sleep_ns(10000);
	}
}

/* From CPU to CPU, if there are more, and though others write meanwhile. */
KTEST(smp_breakpoint_of_another_task)
{
	struct writer w = {};
	struct breakpoint bp = {.cpu = -1, .hit = note_writer, .context = &w};
	struct task *task;
	pid_t tid;

	if (!parse_variable(&bp.parts))
		return;
	go = false;
	task = kthread_start("writer", writer_task, NULL);
	if (!EXPECT(!IS_ERR(task)))
		return;
	tid = task->tid;
	bp.task = task;
	EXPECT_EQ(breakpoint_reserve(&bp), 0);
	breakpoint_enable(&bp);
	go = true;
	for (int i = 0; i < WRITES; i++) {
		write_for_others();
		sched_set_affinity(task, CPU_MASK(i % nr_cpus));
		sleep_ns(7000);
	}
	while (!__atomic_load_n(&task->gone, __ATOMIC_ACQUIRE))
		sleep_ns(100000);
	EXPECT_EQ(w.n, WRITES);
	EXPECT_EQ(w.tid, tid);
	breakpoint_disable(&bp);
	breakpoint_release(&bp);
	kthread_join(task);
	EXPECT_EQ(breakpoint_slots_used(), 0);
}

/* --- As events --- */

static u32 overflows;

static void count_overflow(struct perf_event *event, struct perf_sample_data *data,
			   struct pt_regs *regs)
{
	EXPECT(perf_event_context(event) == &overflows);
	EXPECT_EQ(data->addr, (unsigned long)&variable);
	__atomic_fetch_add(&overflows, 1, __ATOMIC_RELAXED);
}

static void count_any(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	overflows++;
}

KTEST(smp_breakpoint_wide_is_on_each_cpu)
{
	const struct perf_event_attr attr = watch_variable();
	struct perf_event **events = register_wide_hw_breakpoint(&attr, count_overflow, &overflows);

	if (PTR_ERR(events) == -EOPNOTSUPP) {
		ktest_skip("breakpoints of this architecture are not done yet");
		return;
	}
	if (!EXPECT(!IS_ERR(events)))
		return;
	overflows = 0;
	smp_call(cpus_online(), write_once, NULL);
	EXPECT_EQ(READ_ONCE(overflows), nr_cpus);
	for (u32 id = 0; id < nr_cpus; id++)
		EXPECT_EQ(perf_event_read(events[id], NULL, NULL), 1);
	unregister_wide_hw_breakpoint(events);
	write_for_others();
	EXPECT_EQ(READ_ONCE(overflows), nr_cpus);
	EXPECT_EQ(breakpoint_slots_used(), 0);
}

/* Exactly so many as there are periods. */
static void expect_overflows(u32 type, unsigned long addr)
{
	struct perf_event_attr attr = watch_variable();
	struct perf_event *event;

	attr.bp_type = type;
	attr.bp_addr = addr;
	attr.sample_period = 100;
	event = perf_event_create_kernel_counter(&attr, this_cpu()->id, NULL, count_any, NULL);
	if (!EXPECT(!IS_ERR(event)))
		return;
	overflows = 0;
	for (u32 i = 0; i < 10000; i++)
		write_variable(i);
	EXPECT_EQ(overflows, 100);
	EXPECT_EQ(perf_event_read(event, NULL, NULL), 10000);
	perf_event_release(event);
}

KTEST(breakpoint_overflows_by_its_period)
{
	struct bp_parts parts;

	if (!parse_variable(&parts))
		return;
	expect_overflows(HW_BREAKPOINT_W, (unsigned long)&variable);
	expect_overflows(HW_BREAKPOINT_X, (unsigned long)write_variable);
	EXPECT_EQ(breakpoint_slots_used(), 0);
}

KTEST(breakpoint_of_users_is_not_the_kernels)
{
	const struct perf_event_attr attr = watch_variable();

	EXPECT_EQ(PTR_ERR(register_user_hw_breakpoint(&attr, count_overflow, NULL, current)),
		  -EPERM);
	EXPECT_EQ(breakpoint_slots_used(), 0);
}
