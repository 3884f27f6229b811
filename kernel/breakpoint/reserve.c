/* SPDX-License-Identifier: MIT */
/*
 * Who may have how many slots (contract C9). A task's breakpoints take slots where the task runs;
 * so what must fit, on each CPU, is what is the CPU's own together with the most that a task has
 * there. Three histograms know the most without looking at tasks or CPUs: tasks by what they have
 * for every CPU; for each CPU, the tasks that have some for it alone, by all that they have there;
 * and CPUs by what is their own. Only those breakpoints are looked at that the same task has.
 */
#include <hotregs/cpu.h>
#include <hotregs/spinlock.h>

#include "breakpoint.h"

/* How many have n slots, n from 1 on; and for which n there are any, a bit each. */
struct histogram {
	u32 count[BP_SLOTS + 1];
	u32 there;
};

static struct {
	struct spinlock lock;
	u32 slots; /* held, of all breakpoints */
	struct histogram tasks[BP_POOLS];
	struct histogram tasks_on[MAX_CPUS][BP_POOLS];
	struct histogram cpus[BP_POOLS];
	u8 cpu[MAX_CPUS][BP_POOLS]; /* a CPU's own, everybody's among them */
} used = {.lock = SPINLOCK_INIT};

static inline void add(struct histogram *h, unsigned n, int by)
{
	if (!n)
		return;
	h->count[n] += by;
	if (h->count[n])
		h->there |= 1U << n;
	else
		h->there &= ~(1U << n);
}

static inline unsigned most(const struct histogram *h)
{
	return h->there ? 31 - __builtin_clz(h->there) : 0;
}

/* --- A task's --- */

/* CPUs for which @task has breakpoints of their own, as a set. */
static u32 bound_cpus(const struct task_breakpoints *t, unsigned pool)
{
	struct breakpoint *bp;
	u32 cpus = 0;

	list_for_each (bp, &t->all, node)
		if (bp->cpu >= 0 && bp->held[pool])
			cpus |= 1U << bp->cpu;
	return cpus;
}

/* Slots that the task takes on @cpu. */
static unsigned slots_on(const struct task_breakpoints *t, unsigned pool, u32 cpu)
{
	struct breakpoint *bp;
	unsigned n = 0;

	list_for_each (bp, &t->all, node)
		n += is_for(bp, cpu) ? bp->held[pool] : 0;
	return n;
}

static noinline void count_bound(const struct task_breakpoints *t, unsigned pool, int by)
{
	for (u32 cpus = bound_cpus(t, pool); cpus; cpus &= cpus - 1) {
		u32 cpu = __builtin_ctz(cpus);

		add(&used.tasks_on[cpu][pool], slots_on(t, pool, cpu), by);
	}
}

/* The task comes into the histograms as it is (1), or goes as it was (-1). */
static inline void count_task(const struct task_breakpoints *t, unsigned pool, int by)
{
	add(&used.tasks[pool], t->anywhere[pool], by);
	if (unlikely(t->nr_for_one))
		count_bound(t, pool, by);
}

/* For each CPU for which the task has breakpoints of their own. */
static noinline bool fits_bound(const struct task_breakpoints *t, unsigned pool, unsigned more)
{
	unsigned size = bp_pool_size(pool);

	for (u32 cpus = bound_cpus(t, pool); cpus; cpus &= cpus - 1) {
		u32 cpu = __builtin_ctz(cpus);

		if (used.cpu[cpu][pool] + slots_on(t, pool, cpu) + more > size)
			return false;
	}
	return true;
}

static inline bool fits_task(const struct breakpoint *bp, unsigned pool, unsigned more)
{
	const struct task_breakpoints *t = &bp->task->breakpoints;
	unsigned size = bp_pool_size(pool);

	if (unlikely(bp->cpu >= 0))
		return used.cpu[bp->cpu][pool] + slots_on(t, pool, bp->cpu) + more <= size;
	return most(&used.cpus[pool]) + t->anywhere[pool] + more <= size &&
	       (likely(!t->nr_for_one) || fits_bound(t, pool, more));
}

/* --- A CPU's, or everybody's --- */

static bool fits_cpu(u32 cpu, unsigned pool, unsigned more)
{
	unsigned tasks = MAX(most(&used.tasks[pool]), most(&used.tasks_on[cpu][pool]));

	return used.cpu[cpu][pool] + tasks + more <= bp_pool_size(pool);
}

static void add_to_cpu(u32 cpu, unsigned pool, int more)
{
	add(&used.cpus[pool], used.cpu[cpu][pool], -1);
	used.cpu[cpu][pool] += more;
	add(&used.cpus[pool], used.cpu[cpu][pool], 1);
}

static noinline bool fits_cpus(const struct breakpoint *bp, unsigned pool, unsigned more)
{
	for (u32 cpu = 0; cpu < MAX_CPUS; cpu++)
		if (is_for(bp, cpu) && !fits_cpu(cpu, pool, more))
			return false;
	return true;
}

static noinline void add_to_cpus(const struct breakpoint *bp, unsigned pool, int more)
{
	for (u32 cpu = 0; cpu < MAX_CPUS; cpu++)
		if (is_for(bp, cpu))
			add_to_cpu(cpu, pool, more);
}

/* --- Either --- */

static inline bool fits(const struct breakpoint *bp, unsigned pool, unsigned more)
{
	return likely(bp->task) ? fits_task(bp, pool, more) : fits_cpus(bp, pool, more);
}

static inline void set_held(struct breakpoint *bp, unsigned pool, unsigned n)
{
	int more = (int)n - bp->held[pool];

	used.slots += more;
	if (likely(bp->task)) {
		count_task(&bp->task->breakpoints, pool, -1);
		bp->held[pool] = n;
		if (bp->cpu < 0)
			bp->task->breakpoints.anywhere[pool] += more;
		count_task(&bp->task->breakpoints, pool, 1);
		return;
	}
	bp->held[pool] = n;
	add_to_cpus(bp, pool, more);
}

static unsigned needed(const struct bp_parts *parts, unsigned pool)
{
	return bp_pool(&parts->form[0]) == pool ? parts->nr : 0;
}

/* Room for @parts beside what @bp holds already. Locked. */
static inline int hold(struct breakpoint *bp, const struct bp_parts *parts)
{
	for (unsigned pool = 0; pool < BP_POOLS; pool++) {
		unsigned n = needed(parts, pool);

		if (n > bp->held[pool] && !fits(bp, pool, n - bp->held[pool]))
			return -ENOSPC;
	}
	for (unsigned pool = 0; pool < BP_POOLS; pool++)
		if (needed(parts, pool) > bp->held[pool])
			set_held(bp, pool, needed(parts, pool));
	return 0;
}

static void enlist(struct task_breakpoints *t, struct breakpoint *bp)
{
	list_add_tail(&bp->node, &t->all);
	t->nr_for_one += bp->cpu >= 0;
}

static void delist(struct task_breakpoints *t, struct breakpoint *bp)
{
	list_del(&bp->node);
	if (t)
		t->nr_for_one -= bp->cpu >= 0;
}

int breakpoint_reserve(struct breakpoint *bp)
{
	struct task_breakpoints *t = bp->task ? &bp->task->breakpoints : NULL;
	unsigned long flags = spin_lock_irqsave(&used.lock);
	int err;

	if (t && !t->all.next) {
		list_init(&t->all);
		list_init(&t->on);
	}
	list_init(&bp->node);
	if (t)
		enlist(t, bp);
	err = hold(bp, &bp->parts);
	if (err)
		delist(t, bp);
	spin_unlock_irqrestore(&used.lock, flags);
	return err;
}

void breakpoint_release(struct breakpoint *bp)
{
	unsigned long flags = spin_lock_irqsave(&used.lock);

	ASSERT(!bp->on);
	for (unsigned pool = 0; pool < BP_POOLS; pool++)
		if (bp->held[pool])
			set_held(bp, pool, 0);
	delist(bp->task ? &bp->task->breakpoints : NULL, bp);
	spin_unlock_irqrestore(&used.lock, flags);
}

int breakpoint_hold(struct breakpoint *bp, const struct bp_parts *parts)
{
	unsigned long flags = spin_lock_irqsave(&used.lock);
	int err = hold(bp, parts);

	spin_unlock_irqrestore(&used.lock, flags);
	return err;
}

void breakpoint_trim(struct breakpoint *bp)
{
	unsigned long flags = spin_lock_irqsave(&used.lock);

	for (unsigned pool = 0; pool < BP_POOLS; pool++)
		if (needed(&bp->parts, pool) < bp->held[pool])
			set_held(bp, pool, needed(&bp->parts, pool));
	spin_unlock_irqrestore(&used.lock, flags);
}

u32 breakpoint_slots_used(void)
{
	return READ_ONCE(used.slots);
}
