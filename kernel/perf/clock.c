/* SPDX-License-Identifier: MIT */
/*
 * cpu-clock and task-clock when they sample: a timer a period. Counting needs none, as their value
 * is the time they have run. Both measure their context's time: a task's is that on CPUs.
 */
#include "event.h"

/*
 * So much of a window the clocks of one context may spend on samples and on putting them off. What
 * exceeds it the next window has less, down to nothing. Without a bound, clocks that are more than
 * the processor can serve would be all that it does while their task runs, which could not even be
 * ended.
 */
#define WINDOW_NS 10000000ULL
#define SPEND_NS  (WINDOW_NS / 4)

/* Puts off @event's sample to its first beat after the window. */
static noinline void put_off(struct perf_event *event)
{
	u64 end = event->ctx->clock_window + WINDOW_NS, at = event->timer.expires, passed = 0;

	if (end > at)
		passed = (end - at + event->period - 1) / event->period * event->period;
	event->put_off += passed;
	timer_arm(&event->timer, at + passed);
}

static bool is_spent(struct perf_context *ctx, u64 now)
{
	u64 passed = now - ctx->clock_window;

	if (passed >= WINDOW_NS) {
		bool exceeded = passed < 2 * WINDOW_NS && ctx->clock_spent > SPEND_NS;

		ctx->clock_window = now;
		ctx->clock_spent = exceeded ? MIN(ctx->clock_spent - SPEND_NS, SPEND_NS) : 0;
	}
	return ctx->clock_spent >= SPEND_NS;
}

static void take(struct perf_event *event, struct pt_regs *regs, u64 now)
{
	struct timer *timer = &event->timer;
	u64 late = now - timer->expires, passed = event->period;

	/* A late timer keeps the beat, and its sample stands for all that has passed. */
	if (unlikely(late >= event->period))
		passed += late - late % event->period;
	timer_arm(timer, timer->expires + passed);
	passed += event->put_off;
	event->put_off = 0;
	if (perf_sees(event, &regs, NULL))
		perf_overflow(event, passed, regs, 0, now);
}

static void clock_expired(struct timer *timer, struct pt_regs *regs)
{
	struct perf_event *event = container_of(timer, struct perf_event, timer);
	u64 now = clock_ns();

	if (unlikely(is_spent(event->ctx, now)))
		put_off(event);
	else
		take(event, regs, now);
	event->ctx->clock_spent += clock_ns() - now;
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
