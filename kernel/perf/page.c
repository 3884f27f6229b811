/* SPDX-License-Identifier: MIT */
/* The control page of an event: value and times, and how a program tells the time by itself. */
#include "event.h"

struct perf_time_scale perf_time_scale(u64 ns_per_cycle)
{
	unsigned bits = 64 - __builtin_clzll(ns_per_cycle | 1), excess = bits > 32 ? bits - 32 : 0;

	return (struct perf_time_scale){.mult = ns_per_cycle >> excess, .shift = 32 - excess};
}

u64 perf_scaled_time(struct perf_time_scale scale, u64 cycles)
{
	u64 whole = cycles >> scale.shift, rest = cycles & ((1ULL << scale.shift) - 1);

	return whole * scale.mult + (rest * scale.mult >> scale.shift);
}

/*
 * A task's time stops with it, and to say so at every switch would cost too much: only that of a
 * CPU's event can be told from the page.
 */
static bool goes_on(const struct perf_event *event)
{
	return event->enabled && !event->ctx->task;
}

static void show_clock(struct perf_event_mmap_page *page, const struct perf_event *event)
{
	struct perf_time_scale scale = perf_time_scale(clock_ns_per_cycle());
	u64 cycles = clock_cycles(), now = clock_cycles_to_ns(cycles);

	page->time_mult = scale.mult;
	page->time_shift = scale.shift;
	/* The scale is not as fine as the kernel's own: from here on they agree. */
	page->time_zero = now - perf_scaled_time(scale, cycles);
	page->time_offset = page->time_zero - now;
	page->cap_user_time_zero = !event->realtime;
	page->cap_user_time = goes_on(event);
}

/*
 * What lies between two changes of lock belongs together: its reader, who may be on another CPU,
 * reads again if that has changed or is odd.
 */
void perf_output_update_page(struct perf_event *event)
{
	/* It is not freed while interrupts are off. */
	struct perf_ring *ring = READ_ONCE(event->ring);
	struct perf_event_mmap_page *page;
	u64 value, enabled, running;
	u32 lock;

	if (!event->mappings || !ring)
		return;
	page = ring->page;
	value = perf_event_own(event, &enabled, &running);
	lock = page->lock;
	WRITE_ONCE(page->lock, lock + 1);
	__atomic_thread_fence(__ATOMIC_RELEASE);
	page->offset = value;
	page->time_enabled = enabled;
	page->time_running = running;
	show_clock(page, event);
	__atomic_store_n(&page->lock, lock + 2, __ATOMIC_RELEASE);
}
