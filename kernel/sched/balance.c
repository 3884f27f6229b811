/* SPDX-License-Identifier: MIT */
/*
 * Which processor a task runs on: where it is put when it wakes up, what an idle processor takes
 * from a busy one, and what busy ones even out now and then.
 */
#include <hotregs/smp.h>

#include "run_queue.h"

/*
 * Between two looks of a busy processor: more than a slice, and no multiple of it, or the one task
 * that could go might be the one that runs at every look.
 */
#define BALANCE_TICKS 3
#define MOST_LOOKS    32 /* tasks that are looked at with a lock held */

/* Of the processors @left: one that idles, else one where the least urgent task runs and the fewest
 * wait. NULL: there is none. */
static inline struct cpu *least_busy(u32 left)
{
	struct cpu *best = NULL;
	u64 key, least = UINT64_MAX;

	for (; left && least; left &= left - 1) {
		struct cpu *cpu = &cpus[__builtin_ctz(left)];

		key = (u64)highest_priority(&cpu->rq) << 32 | READ_ONCE(cpu->rq.nr);
		if (key < least) {
			least = key;
			best = cpu;
		}
	}
	return best;
}

struct cpu *sched_place(const struct task *task, struct cpu *prev)
{
	bool may_stay = task->affinity & CPU_MASK(prev->id);
	unsigned there, here = highest_priority(&prev->rq);
	struct cpu *best;

	if (may_stay && here == PRIORITY_IDLE)
		return prev;
	best = least_busy(task->affinity & cpus_online() & ~CPU_MASK(prev->id));
	if (!may_stay || !best)
		return best ?: prev;
	there = highest_priority(&best->rq);
	if (there == PRIORITY_IDLE || (here >= task->priority && there < task->priority))
		return best;
	return prev;
}

/* The processor with the most tasks, if they are @least, of all but @tried. Without a lock. */
static struct cpu *busiest(u32 tried, u32 least)
{
	struct cpu *found = NULL;

	for_each_cpu (cpu) {
		u32 nr = READ_ONCE(cpu->rq.nr);

		if (nr < least || tried & CPU_MASK(cpu->id))
			continue;
		least = nr + 1;
		found = cpu;
	}
	return found;
}

/* The most urgent task that waits at @from and may run on @to. @from's lock held. */
static struct task *find_waiting(const struct cpu *from, const struct cpu *to)
{
	unsigned looks = MOST_LOOKS;

	for (u32 left = from->rq.bitmap; left;) {
		unsigned priority = 31 - __builtin_clz(left);
		struct task *first = from->rq.ring[priority], *task = first;

		left &= ~(1u << priority);
		do {
			if (task != from->running && task->affinity & CPU_MASK(to->id))
				return task;
			if (!--looks)
				return NULL;
			task = ring_next(task);
		} while (task != first);
	}
	return NULL;
}

/* Brings a task to the calling @cpu from another one that has at least @least. Inline: it decides
 * in its caller's place. */
static __always_inline bool pull(struct cpu *cpu, u32 least)
{
	u32 tried = CPU_MASK(cpu->id);
	struct task *task = NULL;
	struct cpu *from;

	while (!task && (from = busiest(tried, least))) {
		tried |= CPU_MASK(from->id);
		spin_lock(&from->rq.lock);
		if (from->rq.nr >= least)
			task = find_waiting(from, cpu);
		if (task)
			sched_move(from, task, cpu);
		spin_unlock(&from->rq.lock);
	}
	if (task)
		sched_arrive(task);
	return task;
}

noinline bool sched_pull(struct cpu *cpu)
{
	return pull(cpu, 2);
}

/* Has an idle processor look, by itself, for what waits at @here, the calling one. */
static void offer(struct cpu *here)
{
	for_each_cpu (cpu) {
		bool wanted;

		if (READ_ONCE(cpu->rq.bitmap))
			continue;
		spin_lock(&here->rq.lock);
		wanted = find_waiting(here, cpu);
		spin_unlock(&here->rq.lock);
		if (wanted) {
			smp_kick(cpu);
			return;
		}
	}
}

noinline void sched_balance(struct cpu *cpu)
{
	u32 nr = READ_ONCE(cpu->rq.nr);

	if (++cpu->balance_ticks < BALANCE_TICKS)
		return;
	cpu->balance_ticks = 0;
	/* Two more than here: then the move makes it more even, and is not undone. */
	if (!pull(cpu, nr + 2) && nr > 1)
		offer(cpu);
}
