/* SPDX-License-Identifier: MIT */
/* Other processors: that calls, timers and interrupts' work run where, when and as often as asked.
 */
#include <hotregs/irq.h>
#include <hotregs/process.h>
#include <hotregs/sched.h>
#include <hotregs/smp.h>
#include <hotregs/string.h>
#include <hotregs/time.h>
#include <hotregs/unwind.h>

#include <arch/regs.h>

#include "ktest.h"

/* Is this about more than one processor, and is there but one? */
static bool alone(void)
{
	if (nr_cpus > 1)
		return false;
	ktest_skip("one processor runs");
	return true;
}

/* --- Calls --- */

static struct visit {
	u32 count;
	u8 irq_depth;
	bool irqs_on, by_caller;
} visits[MAX_CPUS];

static void visit(void *caller)
{
	struct cpu *cpu = this_cpu();
	struct visit *v = &visits[cpu->id];

	v->count++;
	v->irq_depth = cpu->irq_depth;
	v->irqs_on = irqs_enabled();
	v->by_caller = current == caller;
}

/* Every set of processors, the empty one among them. */
KTEST(smp_call_runs_on_those_that_are_asked)
{
	for (u32 asked = 0; asked <= cpus_online(); asked++) {
		unsigned in_place = 0;

		memset(visits, 0, sizeof(visits));
		smp_call(asked, visit, current);
		for (u32 id = 0; id < MAX_CPUS; id++) {
			const struct visit *v = &visits[id];

			if (!EXPECT_EQ(v->count, !!(asked & CPU_MASK(id))))
				return;
			EXPECT(!v->irqs_on);
			EXPECT_EQ(v->irq_depth, v->count && !v->by_caller);
			in_place += v->by_caller;
		}
		EXPECT(in_place <= 1 && (asked != cpus_online() || in_place == 1));
	}
}

static u32 ended;

static void take_long(void *arg)
{
	for (int i = 0; i < 1000 + 500 * (int)this_cpu()->id; i++)
		cpu_relax();
	__atomic_fetch_add(&ended, 1, __ATOMIC_RELAXED);
}

KTEST(smp_call_returns_when_all_have_ended)
{
	for (u32 i = 1; i <= 20; i++) {
		smp_call(cpus_online(), take_long, NULL);
		EXPECT_EQ(READ_ONCE(ended), i * nr_cpus);
	}
	ended = 0;
}

/* --- Threads --- */

/* Starts a thread that runs on processor @id only. */
static struct task *start_on(u32 id, void (*entry)(void *), void *arg)
{
	struct task *task = task_create("smp-test", entry, arg);
	unsigned long flags;

	if (!EXPECT(!IS_ERR(task)))
		return NULL;
	task->flags |= TASK_KTHREAD;
	task->affinity = CPU_MASK(id);
	flags = spin_lock_irqsave(&task_list_lock);
	task_publish(task, 0);
	spin_unlock_irqrestore(&task_list_lock, flags);
	sched_start(task);
	return task;
}

static void join(struct task *task)
{
	if (task)
		kthread_join(task);
}

static bool blocked, release;

static void block(void *arg)
{
	WRITE_ONCE(blocked, true);
	while (!READ_ONCE(release))
		cpu_relax();
}

static char order[8];

static void note(void *letter)
{
	order[strlen(order)] = *(const char *)letter;
}

static void call_block(void *arg)
{
	smp_call(CPU_MASK(1), block, NULL);
}

static void call_note(void *letter)
{
	smp_call(CPU_MASK(1), note, letter);
}

/*
 * Calls that wait for one processor run in the order in which they came. Whoever comes later is
 * more urgent, so that it takes the processor from those that wait already.
 */
KTEST(smp_call_keeps_the_order)
{
	struct task *task[5];

	if (alone())
		return;
	blocked = release = false;
	memset(order, 0, sizeof(order));
	/* Not where the others are kept waiting. */
	sched_set_affinity(current, CPU_MASK(0));
	sched_set_priority(current, PRIORITY_MAX);
	task[0] = start_on(0, call_block, NULL);
	while (!READ_ONCE(blocked))
		sleep_ns(100000);
	for (int i = 1; i < 5; i++) {
		const struct smp_call *before = READ_ONCE(cpus[1].calls);

		task[i] = start_on(0, call_note, &"abcd"[i - 1]);
		if (task[i])
			sched_set_priority(task[i], PRIORITY_DEFAULT + i);
		while (READ_ONCE(cpus[1].calls) == before)
			sleep_ns(100000);
	}
	EXPECT_STR(order, "");
	WRITE_ONCE(release, true);
	for (int i = 0; i < 5; i++)
		join(task[i]);
	sched_set_priority(current, PRIORITY_DEFAULT);
	EXPECT_STR(order, "abcd");
}

#define STORM_CALLS   100
#define STORM_THREADS 2 /* a processor, so that callers are preempted */

static struct storm {
	u32 asked[MAX_CPUS];
	u64 random;
} storms[STORM_THREADS * MAX_CPUS];
static u32 answered[MAX_CPUS];

static void answer(void *arg)
{
	__atomic_fetch_add(&answered[this_cpu()->id], *(const u32 *)arg, __ATOMIC_RELAXED);
}

static void storm(void *arg)
{
	struct storm *s = arg;

	for (u32 i = 1; i <= STORM_CALLS; i++) {
		u32 asked;

		s->random = s->random * 6364136223846793005ULL + 1442695040888963407ULL;
		asked = s->random >> 33 & cpus_online();
		for (u32 id = 0; id < nr_cpus; id++)
			s->asked[id] += asked & CPU_MASK(id) ? i : 0;
		smp_call(asked, answer, &i);
	}
}

/* All processors call all, themselves among them, at once. */
KTEST(smp_call_storm)
{
	struct task *task[ARRAY_SIZE(storms)];
	u32 n = STORM_THREADS * nr_cpus;

	memset(answered, 0, sizeof(answered));
	for (u32 i = 0; i < n; i++) {
		storms[i] = (struct storm){.random = i};
		task[i] = start_on(i % nr_cpus, storm, &storms[i]);
	}
	for (u32 i = 0; i < n; i++)
		join(task[i]);
	for (u32 id = 0; id < nr_cpus; id++) {
		u32 asked = 0;

		for (u32 i = 0; i < n; i++)
			asked += storms[i].asked[id];
		EXPECT_EQ(answered[id], asked);
	}
}

/* --- What is a processor's own --- */

static struct {
	struct timer timer;
	struct irq_work work;
	bool timer_ran, work_ran; /* there, each */
} own[MAX_CPUS];

static void timer_runs(struct timer *timer, struct pt_regs *regs)
{
	own[this_cpu()->id].timer_ran = timer == &own[this_cpu()->id].timer;
}

static void work_runs(struct irq_work *work)
{
	own[this_cpu()->id].work_ran = work == &own[this_cpu()->id].work;
}

static void arm_timer(void *arg)
{
	struct timer *timer = &own[this_cpu()->id].timer;

	timer_init(timer, timer_runs);
	timer_arm(timer, clock_ns() + 100000);
}

static void queue_work(void *arg)
{
	struct irq_work *work = &own[this_cpu()->id].work;

	*work = (struct irq_work){.func = work_runs};
	irq_work_queue(work);
}

KTEST(smp_timers_and_work_run_where_they_were_asked_for)
{
	memset(own, 0, sizeof(own));
	smp_call(cpus_online(), arm_timer, NULL);
	smp_call(cpus_online(), queue_work, NULL);
	for (u32 id = 0; id < nr_cpus; id++)
		while (!READ_ONCE(own[id].timer_ran) || !READ_ONCE(own[id].work_ran))
			sleep_ns(100000);
}

/* The names of what an idle processor has called, from the end. */
static const char *outermost[2];

static void walk_here(void *arg)
{
	struct pt_regs regs = {0};
	struct unwind u;

	outermost[0] = outermost[1] = NULL;
	arch_hot_regs(&regs);
	if (!unwind_start(&u, current, &regs))
		return;
	do {
		outermost[1] = outermost[0];
		outermost[0] = kallsyms_lookup(u.ip, NULL, NULL);
	} while (unwind_next(&u));
}

/* From an interrupt back to the processor's first frame, where the walk ends. */
KTEST(smp_chains_end_where_a_processor_began)
{
	if (alone())
		return;
	sched_set_affinity(current, CPU_MASK(0));
	for (u32 id = 1; id < nr_cpus; id++) {
		/* When it is idle. */
		while (READ_ONCE(cpus[id].running) != cpus[id].idle)
			sleep_ns(100000);
		smp_call(CPU_MASK(id), walk_here, NULL);
		EXPECT_STR(outermost[1], "smp_begin");
	}
}
