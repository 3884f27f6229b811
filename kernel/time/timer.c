/* SPDX-License-Identifier: MIT */
/*
 * One-shot timers. A CPU has a handful armed (its tick, sleepers, sampling events), so a sorted
 * list is the cheapest queue: most are armed near its head and disarmed in constant time.
 */
#include <hotregs/cpu.h>
#include <hotregs/printk.h>
#include <hotregs/time.h>

#include "tick.h"

/*
 * At most so many functions run in one interrupt: a timer that is armed for the past again and
 * again must not keep the CPU from what it interrupted.
 */
#define MAX_EXPIRED 32

u64 clock_boot_epoch;
static const struct clock_event *clock_event;

static bool armed(const struct timer *timer)
{
	return !list_empty(&timer->node);
}

/*
 * Asks for an interrupt at @expires unless an earlier one is coming. @q is the calling CPU's;
 * interrupts off. Not under its lock, for which another CPU may be waiting: a device is slow.
 */
static void program(struct timer_queue *q, u64 expires)
{
	u64 now;

	if (expires >= q->programmed || !clock_event)
		return;
	q->programmed = expires;
	now = clock_ns();
	clock_event->set(expires > now ? expires - now : 1);
}

/* When the earliest timer expires; UINT64_MAX: there is none. Queue locked. */
static u64 first_expires(const struct timer_queue *q)
{
	return list_empty(&q->armed) ? UINT64_MAX
				     : list_first(&q->armed, struct timer, node)->expires;
}

/* Takes @timer off its queue, once its function does not run on another CPU. */
static void disarm(struct timer *timer)
{
	for (bool busy = true; busy;) {
		struct cpu *cpu = &cpus[timer->cpu];
		unsigned long flags = spin_lock_irqsave(&cpu->timers.lock);

		busy = cpu->timers.running == timer && cpu != this_cpu();
		if (!busy)
			list_del_init(&timer->node);
		spin_unlock_irqrestore(&cpu->timers.lock, flags);
		if (busy)
			cpu_relax();
	}
}

void time_init_cpu(struct cpu *cpu)
{
	spin_lock_init(&cpu->timers.lock);
	list_init(&cpu->timers.armed);
	cpu->timers.programmed = UINT64_MAX;
	time_tick_init(cpu);
}

void timer_init(struct timer *timer, void (*func)(struct timer *, struct pt_regs *))
{
	list_init(&timer->node);
	timer->func = func;
	timer->cpu = 0;
	timer->expires = 0;
}

void timer_arm(struct timer *timer, u64 expires)
{
	unsigned long flags = irq_save();
	struct cpu *cpu = this_cpu();
	struct timer_queue *q = &cpu->timers;
	struct timer *pos;

	if (armed(timer) || timer->cpu != cpu->id)
		disarm(timer);
	spin_lock(&q->lock);
	timer->cpu = cpu->id;
	timer->expires = expires;
	list_for_each (pos, &q->armed, node)
		if (pos->expires > expires)
			break;
	list_add_tail(&timer->node, list_node(pos, node));
	spin_unlock(&q->lock);
	/* While timers run, the interrupt's end programs the next. */
	if (!q->running)
		program(q, expires);
	irq_restore(flags);
}

void timer_cancel(struct timer *timer)
{
	disarm(timer);
}

static void nothing(struct timer *timer, struct pt_regs *regs)
{
}

void time_wait(u64 ns)
{
	struct timer timer;

	timer_init(&timer, nothing);
	timer_arm(&timer, clock_ns() + ns);
	irq_disable();
	while (armed(&timer)) {
		irq_enable_and_wait();
		irq_disable();
	}
	irq_enable();
	/* The caller may have moved: where the timer was, it may still be in use. */
	timer_cancel(&timer);
}

void time_set_clock_event(const struct clock_event *dev)
{
	struct timer_queue *q;
	unsigned long flags;
	u64 first;

	ASSERT(!clock_event);
	clock_event = dev;
	flags = irq_save();
	q = &this_cpu()->timers;
	spin_lock(&q->lock);
	first = first_expires(q);
	spin_unlock(&q->lock);
	program(q, first);
	irq_restore(flags);
}

void time_start_cpu(void)
{
	clock_event->start_cpu();
}

void time_interrupt(struct pt_regs *regs)
{
	struct timer_queue *q = &this_cpu()->timers;
	u64 first;

	spin_lock(&q->lock);
	q->programmed = UINT64_MAX;
	for (unsigned n = 0; n < MAX_EXPIRED && !list_empty(&q->armed); n++) {
		struct timer *timer = list_first(&q->armed, struct timer, node);

		if (timer->expires > clock_ns())
			break;
		list_del_init(&timer->node);
		q->running = timer;
		spin_unlock(&q->lock);
		timer->func(timer, regs);
		spin_lock(&q->lock);
	}
	q->running = NULL;
	first = first_expires(q);
	spin_unlock(&q->lock);
	program(q, first);
	/*
	 * An emulator that runs processors in turns ends the turn here. Else it would at the next
	 * timer, whose interrupt begins a new round: those behind might never have theirs.
	 */
	cpu_relax();
}
