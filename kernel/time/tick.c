/* SPDX-License-Identifier: MIT */
/* The scheduler's tick: a timer that runs while its CPU is busy. */
#include <hotregs/cpu.h>
#include <hotregs/sched.h>
#include <hotregs/time.h>

#include "tick.h"

#define TICK_NS (1000000000UL / TICK_HZ)

/*
 * Processors do not tick together, whenever they begin, and so do not wait for each other's locks:
 * each one's ticks are this much after those of the one before. Where an emulator runs them in
 * turns up to the next timer, of two that tick as one the first might not leave its interrupt for
 * long.
 */
#define STAGGER_NS (TICK_NS / MAX_CPUS)

/* The first of the CPU's ticks that is more than a whole one away from @now; its last was before.
 */
static u64 tick_after(const struct timer *timer, u64 now)
{
	u64 since = now - timer->expires;
	/* Seldom has it been idle for so long that a division of 64 bits is needed. */
	u64 ticks = since >> 32 ? since / TICK_NS : (u32)since / (u32)TICK_NS;

	return timer->expires + (ticks + 2) * TICK_NS;
}

static void tick(struct timer *timer, struct pt_regs *regs)
{
	u64 next = timer->expires + TICK_NS, now;

	sched_tick(regs);
	if (!sched_needs_tick(this_cpu()))
		return;
	/* Ticks that a stopped machine has missed are gone: they would all come at once. */
	now = clock_ns();
	timer_arm(timer, next > now ? next : tick_after(timer, now));
}

void time_tick_init(struct cpu *cpu)
{
	timer_init(&cpu->timers.tick, tick);
	/* As if it had been then, before time began. */
	cpu->timers.tick.expires = cpu->id * STAGGER_NS - TICK_NS;
}

void time_tick_start(void)
{
	struct timer *timer = &this_cpu()->timers.tick;

	if (list_empty(&timer->node))
		timer_arm(timer, tick_after(timer, clock_ns()));
}
