/* SPDX-License-Identifier: MIT */
/*
 * Which slot has which breakpoint. A task's take the slots of a pool from the lowest on, a CPU's
 * own from the highest down: what was reserved is room for both. A task's are loaded when it comes
 * to a CPU; the table of its owners is loaded by its address, so that a switch costs the registers
 * and nothing else. From a slot that strikes to its owner is one look (contract C6).
 */
#include <hotregs/cpu.h>
#include <hotregs/irq.h>
#include <hotregs/sched.h>
#include <hotregs/string.h>

#include "breakpoint.h"

#include <arch/regs.h>

/* --- Sets --- */

static __always_inline void set_add(struct bp_set *set, struct breakpoint *bp, bool of_task)
{
	unsigned pool = bp_pool(&bp->parts.form[0]), size = bp_pool_size(pool);
	unsigned n = set->nr[pool], slot;

	ASSERT(n + bp->parts.nr <= size);
	for (unsigned i = 0; i < bp->parts.nr; i++, n++) {
		slot = of_task ? n : size - 1 - n;
		set->owner[pool][slot] = bp;
		bp_install(&set->bank, pool, slot, &bp->parts.form[i]);
	}
	set->nr[pool] = n;
}

/* Of a task's, @bp came last. */
static inline void set_remove_last(struct bp_set *set, const struct breakpoint *bp)
{
	unsigned pool = bp_pool(&bp->parts.form[0]);
	unsigned n = set->nr[pool], left = n - bp->parts.nr;

	set->nr[pool] = left;
	while (n-- > left) {
		set->owner[pool][n] = NULL;
		bp_uninstall(&set->bank, pool, n);
	}
}

_Static_assert(offsetof(struct bp_set, bank) == 0, "");

static inline void task_set_add(struct task_breakpoints *t, struct breakpoint *bp, u32 cpu)
{
	if (is_for(bp, cpu))
		set_add(&t->set, bp, true);
}

static noinline void fill_task(struct task_breakpoints *t, u32 cpu)
{
	struct breakpoint *bp;

	t->set = (struct bp_set){};
	list_for_each (bp, &t->on, on_node)
		task_set_add(t, bp, cpu);
}

static void add_own(struct breakpoint *bp, void *set)
{
	set_add(set, bp, false);
}

void breakpoint_reload_cpu(void)
{
	struct cpu *cpu = this_cpu();
	struct cpu_breakpoints *c = &cpu->breakpoints;
	struct breakpoint *bp;

	if (!c->on.next)
		list_init(&c->on);
	bp_exchange(&c->own.bank, NULL);
	c->own = (struct bp_set){};
	breakpoint_for_everybody(add_own, &c->own);
	list_for_each (bp, &c->on, on_node)
		set_add(&c->own, bp, false);
	bp_exchange(NULL, &c->own.bank);
}

void breakpoint_start_cpu(void)
{
	breakpoint_reload_cpu();
}

/*
 * @t's set has become another one. Tasks that inherit the breakpoints of @by, who runs here, come
 * to have the same, which then gets a number; so a switch between them has no registers to write.
 */
static inline void identify(struct task_breakpoints *t, struct task_breakpoints *by)
{
	static u64 last_id;

	t->set.id = 0;
	/* What is for one CPU alone is built anew wherever its task goes. */
	if (likely(by == t) || t->nr_bound || by->nr_bound ||
	    memcmp(&by->set.bank, &t->set.bank, sizeof(t->set.bank)))
		return;
	if (!by->set.id)
		by->set.id = __atomic_add_fetch(&last_id, 1, __ATOMIC_RELAXED);
	t->set.id = by->set.id;
}

static void add_to_task(struct breakpoint *bp, struct task *task)
{
	struct task_breakpoints *t = &task->breakpoints;
	struct cpu *cpu = this_cpu();
	bool runs = cpu->running == task;

	list_add_tail(&bp->on_node, &t->on);
	t->nr_bound += bp->cpu >= 0;
	if (runs && cpu->breakpoints.task)
		bp_exchange(&t->set.bank, NULL);
	/* That of one which has some for one CPU alone is built where it runs. */
	if (runs || !t->nr_bound)
		task_set_add(t, bp, cpu->id);
	identify(t, &cpu->running->breakpoints);
	sched_hook_switches(task, true);
	if (runs) {
		cpu->breakpoints.task = &t->set;
		bp_exchange(NULL, &t->set.bank);
	}
}

static void remove_from_task(struct breakpoint *bp, struct task *task)
{
	struct task_breakpoints *t = &task->breakpoints;
	struct cpu *cpu = this_cpu();
	/* Those that are for one CPU alone may not be in the set. */
	bool last = t->on.prev == &bp->on_node && !t->nr_bound;
	bool runs = cpu->running == task, any;

	list_del(&bp->on_node);
	t->nr_bound -= bp->cpu >= 0;
	any = !list_empty(&t->on);
	if (runs)
		bp_exchange(&t->set.bank, NULL);
	if (likely(last))
		set_remove_last(&t->set, bp);
	else
		fill_task(t, cpu->id);
	if (any) {
		identify(t, &cpu->running->breakpoints);
	} else {
		t->set.id = 0;
		sched_hook_switches(task, false);
	}
	if (!runs)
		return;
	cpu->breakpoints.task = any ? &t->set : NULL;
	if (any)
		bp_exchange(NULL, &t->set.bank);
}

void breakpoint_on(struct breakpoint *bp)
{
	struct cpu_breakpoints *c;

	if (bp->on)
		return;
	bp->on = true;
	if (bp->task) {
		add_to_task(bp, bp->task);
		return;
	}
	c = &this_cpu()->breakpoints;
	if (!c->on.next)
		list_init(&c->on);
	list_add_tail(&bp->on_node, &c->on);
	breakpoint_reload_cpu();
}

void breakpoint_off(struct breakpoint *bp)
{
	if (!bp->on)
		return;
	bp->on = false;
	if (bp->task) {
		remove_from_task(bp, bp->task);
		return;
	}
	list_del(&bp->on_node);
	breakpoint_reload_cpu();
}

/* Of @set, which may be NULL: a set begins with its bank. */
static inline const struct bp_bank *bank_of(const struct bp_set *set)
{
	return (const struct bp_bank *)set;
}

/* To a task that has not the same on every CPU. */
static noinline void switch_bound(struct cpu *cpu, const struct bp_set *from, struct task *next)
{
	fill_task(&next->breakpoints, cpu->id);
	bp_exchange(bank_of(from), &next->breakpoints.set.bank);
}

void breakpoint_switch(struct cpu *cpu, struct task *next)
{
	const struct bp_set *from = cpu->breakpoints.task;
	struct bp_set *to = sched_switches_hooked(next) ? &next->breakpoints.set : NULL;

	cpu->breakpoints.task = to;
	if (to && unlikely(next->breakpoints.nr_bound))
		switch_bound(cpu, from, next);
	else
		bp_exchange(bank_of(from), bank_of(to));
}

/* What the running task steps over is the CPU's, and it has none. */
void breakpoint_hook_step(struct cpu_breakpoints *c)
{
	struct task *task = current;

	sched_hook_switches(task, true);
	c->task = &task->breakpoints.set;
}

/* --- Strikes --- */

bool (*breakpoint_unheard)(void);

static inline bool is_unheard(const struct bp_hit *hit)
{
	return unlikely(!user_mode(hit->regs)) && breakpoint_unheard && breakpoint_unheard();
}

static inline struct breakpoint *owner(const struct cpu_breakpoints *c, unsigned pool,
				       unsigned slot)
{
	struct breakpoint *bp = c->task ? c->task->owner[pool][slot] : NULL;

	return bp ?: c->own.owner[pool][slot];
}

bool breakpoint_strike_one(unsigned pool, unsigned slot, const struct bp_hit *hit)
{
	struct breakpoint *bp = owner(&this_cpu()->breakpoints, pool, slot);

	if (unlikely(!bp))
		return false;
	bp->hit(bp, hit);
	return true;
}

u32 breakpoint_strike(unsigned pool, u32 slots, const struct bp_hit *hit)
{
	const struct cpu_breakpoints *c = &this_cpu()->breakpoints;
	struct breakpoint *bp, *told = NULL;
	bool unheard = is_unheard(hit);
	u32 strays = 0;

	for (; slots; slots &= slots - 1) {
		bp = owner(c, pool, __builtin_ctz(slots));
		if (!bp)
			strays |= slots & -slots;
		else if (bp != told && !unheard) /* two slots of one are neighbours */
			bp->hit(bp, hit);
		told = bp;
	}
	return strays;
}

/* --- Strays --- */

static u32 strays, reported;
static unsigned long last_stray;

static void report(struct irq_work *work)
{
	u32 n = __atomic_load_n(&strays, __ATOMIC_ACQUIRE);

	printk("debug: %u exceptions that nobody asked for, the last one at 0x%lx\n", n - reported,
	       READ_ONCE(last_stray));
	reported = n;
}

static struct irq_work report_work = {.func = report};

void breakpoint_stray(unsigned long ip)
{
	WRITE_ONCE(last_stray, ip);
	__atomic_fetch_add(&strays, 1, __ATOMIC_RELEASE);
	irq_work_queue(&report_work);
}

u32 breakpoint_strays(void)
{
	return READ_ONCE(strays);
}
