/* SPDX-License-Identifier: MIT */
/*
 * Breakpoints as their owners see them: what may be watched, turning one on and off from anywhere,
 * and changing what it watches.
 */
#include <hotregs/cpu.h>
#include <hotregs/sched.h>
#include <hotregs/smp.h>

#include "breakpoint.h"

#include <arch/mmu.h>

/* --- What may be watched --- */

static bool overlaps(const struct bp_range *range, const char *start, const char *end)
{
	return range->first < (unsigned long)end && range->last >= (unsigned long)start;
}

static int check_kernel(const struct bp_form *form, const struct bp_range *range, const char **why)
{
	extern const char __noinstr_start[], __noinstr_end[];
	extern const char __debug_data_start[], __debug_data_end[];

	if (overlaps(range, __noinstr_start, __noinstr_end)) {
		*why = "code by which the kernel is entered, or debug exceptions are handled";
		return -EINVAL;
	}
	if (!bp_watches_data(form))
		return 0;
	if (overlaps(range, __debug_data_start, __debug_data_end)) {
		*why = "data by which the kernel is entered, or debug exceptions are handled";
		return -EINVAL;
	}
	/* An entry into the kernel writes there, as it begins. */
	if (overlaps(range, (const char *)VMAP_START, (const char *)VMAP_END)) {
		*why = "kernel stacks are there";
		return -EINVAL;
	}
	return 0;
}

int breakpoint_check(const struct bp_parts *parts, bool user, const char **why)
{
	int err = 0;

	for (unsigned i = 0; i < parts->nr && !err; i++) {
		struct bp_range range = bp_range(&parts->form[i]);

		if (user && range.last >= USER_END) {
			*why = "the kernel's addresses";
			return -EPERM;
		}
		err = check_kernel(&parts->form[i], &range, why);
	}
	return err;
}

/* --- Everybody's --- */

static struct list_head everybodys = LIST_HEAD_INIT(everybodys);
static struct spinlock lock = SPINLOCK_INIT; /* for these, and what they watch */

void breakpoint_for_everybody(void (*func)(struct breakpoint *bp, void *arg), void *arg)
{
	struct breakpoint *bp;

	spin_lock(&lock);
	list_for_each (bp, &everybodys, on_node)
		func(bp, arg);
	spin_unlock(&lock);
}

static bool is_everybodys(const struct breakpoint *bp)
{
	return !bp->task && bp->cpu < 0;
}

static void reload_cpu(void *arg)
{
	breakpoint_reload_cpu();
}

/* Lists it or not, then has every CPU look. One that starts meanwhile looks when it is there. */
static void list_for_everybody(struct breakpoint *bp, bool on)
{
	unsigned long flags = spin_lock_irqsave(&lock);

	if (on)
		list_add_tail(&bp->on_node, &everybodys);
	else
		list_del(&bp->on_node);
	bp->on = on;
	spin_unlock_irqrestore(&lock, flags);
	smp_call(cpus_online(), reload_cpu, NULL);
}

/* --- Changes from anywhere --- */

struct change {
	struct breakpoint *bp;
	void (*func)(struct breakpoint *bp, const struct bp_parts *parts);
	const struct bp_parts *parts;
	bool done;
};

/* Makes the change unless the task runs on another CPU now. Interrupts off. */
static void try_change(void *arg)
{
	struct change *change = arg;
	struct task *task = change->bp->task;
	unsigned long flags;
	struct cpu *cpu;

	if (!task) {
		change->func(change->bp, change->parts);
		change->done = true;
		return;
	}
	cpu = task_rq_lock(task, &flags);
	if (cpu == this_cpu() || cpu->running != task) {
		change->func(change->bp, change->parts);
		change->done = true;
	}
	task_rq_unlock(cpu, flags);
}

static u32 cpu_of(const struct breakpoint *bp)
{
	return bp->task ? READ_ONCE(bp->task->cpu) : (u32)bp->cpu;
}

static void apply(struct breakpoint *bp,
		  void (*func)(struct breakpoint *bp, const struct bp_parts *parts),
		  const struct bp_parts *parts)
{
	struct change change = {bp, func, parts, false};

	/* A task may have gone on to the next CPU before it is found on this one. */
	while (!change.done)
		smp_call(CPU_MASK(cpu_of(bp)), try_change, &change);
}

static void turn_on(struct breakpoint *bp, const struct bp_parts *parts)
{
	breakpoint_on(bp);
}

static void turn_off(struct breakpoint *bp, const struct bp_parts *parts)
{
	breakpoint_off(bp);
}

/* Off meanwhile: it strikes as the one or as the other. */
static void rewrite(struct breakpoint *bp, const struct bp_parts *parts)
{
	bool on = bp->on;

	breakpoint_off(bp);
	bp->parts = *parts;
	if (on)
		breakpoint_on(bp);
}

static void set(struct breakpoint *bp, bool on)
{
	if (bp->on == on)
		return;
	if (is_everybodys(bp))
		list_for_everybody(bp, on);
	else
		apply(bp, on ? turn_on : turn_off, NULL);
}

void breakpoint_enable(struct breakpoint *bp)
{
	set(bp, true);
}

void breakpoint_disable(struct breakpoint *bp)
{
	set(bp, false);
}

void breakpoint_write(struct breakpoint *bp, const struct bp_parts *parts)
{
	bool on = bp->on;

	if (!is_everybodys(bp)) {
		apply(bp, rewrite, parts);
		return;
	}
	breakpoint_disable(bp);
	bp->parts = *parts;
	if (on)
		breakpoint_enable(bp);
}

int breakpoint_modify(struct breakpoint *bp, const struct bp_parts *parts)
{
	int err = breakpoint_hold(bp, parts);

	if (err)
		return err;
	breakpoint_write(bp, parts);
	breakpoint_trim(bp);
	return 0;
}
