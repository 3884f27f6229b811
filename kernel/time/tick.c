/* SPDX-License-Identifier: MIT */
/* The scheduler's tick: a timer that runs while its CPU is busy. */
#include <hotregs/cpu.h>
#include <hotregs/sched.h>
#include <hotregs/time.h>

#include "tick.h"

#define TICK_NS (1000000000UL / TICK_HZ)

/* Processors that begin together do not tick together, and do not wait for each other's locks. */
#define STAGGER_NS (TICK_NS / MAX_CPUS)

static void tick(struct timer *timer, struct pt_regs *regs)
{
	u64 next = timer->expires + TICK_NS, now;

	sched_tick(regs);
	if (!sched_needs_tick(this_cpu()))
		return;
	/* Ticks that a stopped machine has missed are gone: they would all come at once. */
	now = clock_ns();
	timer_arm(timer, next > now ? next : now + TICK_NS);
}

void time_tick_init(struct cpu *cpu)
{
	timer_init(&cpu->timers.tick, tick);
}

void time_tick_start(void)
{
	struct cpu *cpu = this_cpu();
	struct timer *timer = &cpu->timers.tick;

	if (list_empty(&timer->node))
		timer_arm(timer, clock_ns() + TICK_NS + cpu->id * STAGGER_NS);
}
