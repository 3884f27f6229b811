/* SPDX-License-Identifier: MIT */
/*
 * How many more samples an event may take (PERF_EVENT_IOC_REFRESH); and how one is disabled by a
 * sample of its own, which may be anywhere: it strikes no more from there on, and is taken off its
 * context when that may be changed. One that its handler releases besides goes when somebody who
 * may sleep comes by.
 */
#include "event.h"

void perf_context_stop_excluded(struct perf_context *ctx)
{
	struct perf_event *event;

	perf_watch_keep(ctx, (u32)~WATCH_STOP);
	list_for_each (event, &ctx->events, node)
		if (event->exclude & EXCLUDE_ALL)
			perf_event_stop(event);
	/* That bit may have been the only one left: nobody will see the task leave any more. */
	if (ctx->running && !(*ctx->watch & WATCH_ANY))
		perf_context_out(ctx, this_cpu(), clock_cycles());
}

static void stop_excluded(void *event)
{
	perf_context_stop_excluded(((struct perf_event *)event)->ctx);
}

static void stop_now(struct irq_work *work)
{
	struct perf_event *event = container_of(work, struct perf_event, stop_work);
	u32 asked = __atomic_load_n(&event->stops_pending, __ATOMIC_ACQUIRE);

	/* If its task runs on another CPU meanwhile, that has done so when the task came. */
	perf_event_try_change(event, stop_excluded);
	/* The last access, unless there has been one more end. */
	if (!__atomic_compare_exchange_n(&event->stops_pending, &asked, 0, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		irq_work_queue(work);
}

void perf_limit_wait(const struct perf_event *event)
{
	while (__atomic_load_n(&event->stops_pending, __ATOMIC_ACQUIRE))
		cpu_relax();
}

void perf_event_stop_soon(struct perf_event *event)
{
	struct perf_context *ctx = event->ctx;

	event->exclude |= EXCLUDE_ALL;
	ctx->family = 0;
	/* A task may be somewhere else when the work is done; a CPU is not. */
	if (ctx->task)
		perf_watch_set(ctx, WATCH_STOP);
	event->stop_work.func = stop_now;
	if (!__atomic_fetch_add(&event->stops_pending, 1, __ATOMIC_ACQ_REL))
		irq_work_queue(&event->stop_work);
}

/* --- Asked for by a handler of kernel code's own --- */

struct perf_event *perf_released;

void perf_event_disable_self(struct perf_event *event)
{
	perf_event_stop_soon(event);
}

int perf_event_release_self(struct perf_event *event)
{
	struct perf_event *first = READ_ONCE(perf_released);

	if (event->attr.inherit)
		return -EINVAL;
	perf_event_stop_soon(event);
	do
		event->next_released = first;
	while (!__atomic_compare_exchange_n(&perf_released, &first, event, true, __ATOMIC_RELEASE,
					    __ATOMIC_RELAXED));
	return 0;
}

void perf_free_all_released(void)
{
	struct perf_event *event, *next;

	event = __atomic_exchange_n(&perf_released, NULL, __ATOMIC_ACQUIRE);
	for (; event; event = next) {
		next = event->next_released;
		perf_event_release(event);
	}
}

/* --- Limits --- */

/* The handler of an event with a limit: its reader is told of every sample. */
static void limited(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct perf_ring *ring = READ_ONCE(event->owner->ring);

	event->limited_handler(event, data, regs);
	if (!event->limit)
		return;
	if (!--event->limit)
		perf_event_stop_soon(event);
	if (ring)
		perf_ring_wake(ring);
}

struct refresh {
	struct perf_event *event;
	u32 samples;
	int err;
};

static void refresh(void *arg)
{
	struct refresh *r = arg;
	struct perf_event *event = r->event;

	if (r->samples > INT32_MAX - event->limit) {
		r->err = -EINVAL;
		return;
	}
	if (!event->limited_handler) {
		event->limited_handler = event->handler ?: perf_sample_write_state;
		WRITE_ONCE(event->handler, limited);
		perf_event_prepare(event);
	}
	event->limit += r->samples;
	perf_event_start(event);
}

int perf_event_refresh(struct perf_event *event, unsigned long samples)
{
	struct refresh r = {.event = event, .samples = samples};

	if (!event->sampling || event->attr.inherit || samples > INT32_MAX)
		return -EINVAL;
	mutex_lock(&perf_mutex);
	if (event->ctx)
		perf_context_change(event->ctx, refresh, &r);
	mutex_unlock(&perf_mutex);
	return r.err;
}
