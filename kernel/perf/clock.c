/* SPDX-License-Identifier: MIT */
/*
 * cpu-clock and task-clock when they sample: a timer a period. Counting needs none, as their value
 * is the time they have run. Both measure their context's time: a task's is that on CPUs.
 */
#include "event.h"

/*
 * Throttling, by windows: of each, perf_event_max_sample_rate gives an event so many samples, and
 * perf_cpu_time_max_percent all clocks of one context so much time for samples and for putting them
 * off. What exceeds that time the next window has less, down to nothing. Without a bound, clocks
 * that are more than the processor can serve would be all that it does while their task runs, which
 * could not even be ended.
 */
#define WINDOW_NS        10000000ULL
#define WINDOWS_A_SECOND (1000000000ULL / WINDOW_NS)

/* ns of each window. */
static u64 time_limit(void)
{
	u32 percent = READ_ONCE(perf_limits.cpu_time_max_percent);

	return percent % 100 ? WINDOW_NS / 100 * percent : UINT64_MAX;
}

static u32 sample_limit(void)
{
	return (READ_ONCE(perf_limits.max_sample_rate) + WINDOWS_A_SECOND - 1) / WINDOWS_A_SECOND;
}

/* @event is throttled from now on, or no longer. */
static void change_throttle(struct perf_event *event, bool throttled, u64 now)
{
	const u64 body[3] = {perf_event_time(event, now), event->owner->id, event->id};

	event->throttled = throttled;
	perf_record_write(event, current, throttled ? PERF_RECORD_THROTTLE : PERF_RECORD_UNTHROTTLE,
			  0, body, sizeof(body), now);
}

/* Puts off @event's sample to its first beat from @end on. */
static noinline void put_off(struct perf_event *event, u64 end, u64 now)
{
	u64 at = event->timer.expires, passed = 0;

	if (!event->throttled)
		change_throttle(event, true, now);
	if (end > at)
		passed = (end - at + event->period - 1) / event->period * event->period;
	event->put_off += passed;
	timer_arm(&event->timer, at + passed);
}

static bool is_time_spent(struct perf_context *ctx, u64 now)
{
	u64 passed = now - ctx->clock_window, most = time_limit();

	if (passed >= WINDOW_NS) {
		bool exceeded = passed < 2 * WINDOW_NS && ctx->clock_spent > most;

		ctx->clock_window = now;
		ctx->clock_spent = exceeded ? MIN(ctx->clock_spent - most, most) : 0;
	}
	return ctx->clock_spent >= most;
}

/* Has @event had all the samples of its window, which begins with a beat of its own? */
static bool are_samples_spent(struct perf_event *event)
{
	u64 at = event->timer.expires;

	if (at - event->window >= WINDOW_NS) {
		event->window = at;
		event->window_samples = 0;
	}
	return event->window_samples >= sample_limit();
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
	if (unlikely(event->throttled))
		change_throttle(event, false, now);
	if (!perf_sees(event, &regs, NULL))
		return;
	event->window_samples++;
	perf_overflow(event, passed, regs, 0, now);
}

static void clock_expired(struct timer *timer, struct pt_regs *regs)
{
	struct perf_event *event = container_of(timer, struct perf_event, timer);
	u64 now = clock_ns();

	if (unlikely(is_time_spent(event->ctx, now)))
		put_off(event, event->ctx->clock_window + WINDOW_NS, now);
	else if (unlikely(are_samples_spent(event)))
		put_off(event, event->window + WINDOW_NS, now);
	else
		take(event, regs, now);
	event->ctx->clock_spent += clock_ns() - now;
}

void perf_clock_init(struct perf_event *event)
{
	timer_init(&event->timer, clock_expired);
	event->timer_left = event->period;
	event->window = -WINDOW_NS; /* long over */
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
