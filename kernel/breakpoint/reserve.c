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

struct pool {
	struct histogram tasks;
	struct histogram tasks_on[MAX_CPUS];
	struct histogram cpus;
	u8 cpu[MAX_CPUS]; /* a CPU's own, everybody's among them */
};

static struct {
	struct spinlock lock;
	u32 slots; /* held, of all breakpoints */
	struct pool pool[BP_POOLS];
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

/* What has *@n of them comes to have @more. */
static inline void move(struct histogram *h, u8 *n, int more)
{
	add(h, *n, -1);
	*n += more;
	add(h, *n, 1);
}

static inline unsigned most(const struct histogram *h)
{
	return h->there ? 31 - __builtin_clz(h->there) : 0;
}

/* --- A task's --- */

/* Those of the task that @bp is of; NULL: it is of none. */
static inline struct task_breakpoints *own_task(const struct breakpoint *bp)
{
	return likely(bp->task) ? &bp->task->breakpoints : NULL;
}

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

		add(&used.pool[pool].tasks_on[cpu], slots_on(t, pool, cpu), by);
	}
}

/* The task comes into the histograms as it is (1), or goes as it was (-1). */
static inline void count_task(const struct task_breakpoints *t, unsigned pool, int by)
{
	add(&used.pool[pool].tasks, t->anywhere[pool], by);
	if (unlikely(t->nr_for_one))
		count_bound(t, pool, by);
}

/* For each CPU for which the task has breakpoints of their own. */
static noinline bool fits_bound(const struct task_breakpoints *t, unsigned pool, unsigned more)
{
	unsigned size = bp_pool_size(pool);

	for (u32 cpus = bound_cpus(t, pool); cpus; cpus &= cpus - 1) {
		u32 cpu = __builtin_ctz(cpus);

		if (used.pool[pool].cpu[cpu] + slots_on(t, pool, cpu) + more > size)
			return false;
	}
	return true;
}

static inline bool fits_task(const struct breakpoint *bp, unsigned pool, unsigned more)
{
	const struct task_breakpoints *t = &bp->task->breakpoints;
	unsigned size = bp_pool_size(pool);

	if (unlikely(bp->cpu >= 0))
		return used.pool[pool].cpu[bp->cpu] + slots_on(t, pool, bp->cpu) + more <= size;
	return most(&used.pool[pool].cpus) + t->anywhere[pool] + more <= size &&
	       (likely(!t->nr_for_one) || fits_bound(t, pool, more));
}

/* --- A CPU's, or everybody's --- */

static bool fits_cpu(u32 cpu, unsigned pool, unsigned more)
{
	const struct pool *p = &used.pool[pool];
	unsigned tasks = MAX(most(&p->tasks), most(&p->tasks_on[cpu]));

	return p->cpu[cpu] + tasks + more <= bp_pool_size(pool);
}

static void add_to_cpu(u32 cpu, unsigned pool, int more)
{
	move(&used.pool[pool].cpus, &used.pool[pool].cpu[cpu], more);
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

/* As set_held(), where one CPU alone may matter. */
static noinline void set_held_bound(struct breakpoint *bp, unsigned pool, unsigned n, int more)
{
	struct task_breakpoints *t = own_task(bp);

	if (!t) {
		bp->held[pool] = n;
		add_to_cpus(bp, pool, more);
		return;
	}
	count_task(t, pool, -1);
	bp->held[pool] = n;
	t->anywhere[pool] += bp->cpu < 0 ? more : 0;
	count_task(t, pool, 1);
}

static inline void set_held(struct breakpoint *bp, unsigned pool, unsigned n)
{
	struct task_breakpoints *t = own_task(bp);
	int more = (int)n - bp->held[pool];

	used.slots += more;
	if (likely(t) && likely(!t->nr_for_one)) {
		bp->held[pool] = n;
		move(&used.pool[pool].tasks, &t->anywhere[pool], more);
	} else {
		set_held_bound(bp, pool, n, more);
	}
}

/* Room for @parts, which are of one pool, beside what @bp holds already. Locked. */
static inline int hold(struct breakpoint *bp, const struct bp_parts *parts)
{
	unsigned pool = bp_pool(&parts->form[0]), n = parts->nr;

	if (n <= bp->held[pool])
		return 0;
	if (!fits(bp, pool, n - bp->held[pool]))
		return -ENOSPC;
	set_held(bp, pool, n);
	return 0;
}

static noinline void first_of_task(struct task_breakpoints *t)
{
	list_init(&t->all);
	list_init(&t->on);
}

static void enlist(struct task_breakpoints *t, struct breakpoint *bp)
{
	if (unlikely(!t->all.next))
		first_of_task(t);
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
	struct task_breakpoints *t = own_task(bp);
	unsigned long flags = spin_lock_irqsave(&used.lock);
	int err;

	if (likely(t))
		enlist(t, bp);
	else
		list_init(&bp->node);
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
	/* Only while it is being changed it holds some of another pool. */
	set_held(bp, bp_pool(&bp->parts.form[0]), 0);
	delist(own_task(bp), bp);
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

	for (unsigned pool = 0; pool < BP_POOLS; pool++) {
		unsigned needed = bp_pool(&bp->parts.form[0]) == pool ? bp->parts.nr : 0;

		if (needed < bp->held[pool])
			set_held(bp, pool, needed);
	}
	spin_unlock_irqrestore(&used.lock, flags);
}

u32 breakpoint_slots_used(void)
{
	return READ_ONCE(used.slots);
}
