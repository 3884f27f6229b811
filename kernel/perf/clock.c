/* SPDX-License-Identifier: MIT */
/*
 * cpu-clock and task-clock when they sample: a timer a period. Counting needs none, as their value
 * is the time they have run. Both measure their context's time: a task's is that on CPUs.
 */
#include "event.h"

static void clock_expired(struct timer *timer, struct pt_regs *regs)
{
	struct perf_event *event = container_of(timer, struct perf_event, timer);
	u64 now = clock_ns(), late = now - timer->expires, passed = event->period;

	/* A late timer keeps the beat, and its sample stands for all that has passed. */
	if (unlikely(late >= event->period))
		passed += late - late % event->period;
	timer_arm(timer, timer->expires + passed);
	if (perf_sees(event, &regs, NULL))
		perf_overflow(event, passed, regs, 0, now);
}

void perf_clock_init(struct perf_event *event)
{
	timer_init(&event->timer, clock_expired);
	event->timer_left = event->period;
}

void perf_clock_start(struct perf_event *event, u64 now)
{
	timer_arm(&event->timer, now + event->timer_left);
}

void perf_clock_stop(struct perf_event *event, u64 now)
{
	timer_cancel(&event->timer);
	event->timer_left = event->timer.expires > now ? event->timer.expires - now : 1;
}
