/* SPDX-License-Identifier: MIT */
/*
 * Writing a SAMPLE record, inline: this is the hot path of sampling, so the size of the record is
 * known beforehand and its words go straight to where they will be read.
 */
#pragma once

#include "event.h"

#include <arch/regs.h>

/* Header, the fields of SAMPLE_WORDS, all of which are one word. */
#define SAMPLE_WORDS_MAX 11

/* Writes header and fields, in the order that the ABI gives, for a sample without chain entries. */
static __always_inline void perf_sample_fields(u64 *p, const struct perf_event *event,
					       const struct cpu *cpu, const struct pt_regs *regs,
					       u64 addr, u64 period, u64 time)
{
	const struct task *task = cpu->running;
	u32 type = event->sample_type;

	p[0] = unlikely(user_mode(regs)) ? event->sample_header[1] : event->sample_header[0];
	if (likely(event->sample_usual)) {
		p[1] = regs_ip(regs);
		p[2] = perf_pair(task->pid, task->tid);
		p[3] = time;
		p[4] = perf_pair(cpu->id, 0);
		p += 5;
	} else {
		p++;
		if (type & PERF_SAMPLE_IDENTIFIER)
			*p++ = event->owner->id;
		if (type & PERF_SAMPLE_IP)
			*p++ = regs_ip(regs);
		if (type & PERF_SAMPLE_TID)
			*p++ = perf_pair(task->pid, task->tid);
		if (type & PERF_SAMPLE_TIME)
			*p++ = time;
		if (type & PERF_SAMPLE_ADDR)
			*p++ = addr;
		if (type & PERF_SAMPLE_ID)
			*p++ = event->owner->id;
		if (type & PERF_SAMPLE_STREAM_ID)
			*p++ = event->id;
		if (type & PERF_SAMPLE_CPU)
			*p++ = perf_pair(cpu->id, 0);
	}
	if (type & PERF_SAMPLE_PERIOD)
		*p++ = period;
}

/* Makes room for @entries of a chain, which begins at @chain, in the sample at @p. */
static __always_inline void perf_sample_add_chain(u64 *p, u64 *chain, u32 entries)
{
	((struct perf_event_header *)p)->size += entries * sizeof(u64);
	chain[-1] = entries;
}

/* Ends a sample; wakes the reader by this publication, when enough have been written. */
static __always_inline void perf_sample_end(struct perf_ring *ring, u32 wakeup_events)
{
	if (unlikely(wakeup_events) && ++ring->samples >= wakeup_events) {
		ring->samples = 0;
		ring->wakeup_at = ring->head;
	}
	perf_ring_leave(ring);
}

/* A sample that took @period has found no room. */
static inline void perf_sample_lost(struct perf_event *event, u64 period)
{
	__atomic_fetch_add(&event->owner->lost, 1, __ATOMIC_RELAXED);
	event->count -= period;
}

/* A sample with a chain. */
void perf_sample_write_chain(struct perf_event *event, struct perf_ring *ring, struct pt_regs *regs,
			     u64 addr, u64 period, u64 time);
/* All those of SAMPLE_WORDS, the slow way: around the end of the ring, after losses, not at all. */
void perf_sample_write_buffered(struct perf_event *event, struct perf_ring *ring,
				struct pt_regs *regs, u64 addr, u64 period, u64 time);

static __always_inline void perf_sample_write(struct perf_event *event, const struct cpu *cpu,
					      struct pt_regs *regs, u64 addr, u64 period, u64 time)
{
	struct perf_ring *ring = READ_ONCE(event->owner->ring);
	u32 size = event->sample_size;
	struct perf_output out;
	unsigned long head;
	u64 *p;

	if (unlikely(!ring))
		return;
	if (event->sample_type & PERF_SAMPLE_CALLCHAIN) {
		perf_sample_write_chain(event, ring, regs, addr, period, time);
		return;
	}
	head = READ_ONCE(ring->head);
	/* After a loss no room is known: the gap must be told first. */
	if (unlikely(!perf_ring_has_room(ring, head, size) ||
		     !perf_output_claim(&out, ring, head, size))) {
		perf_sample_write_buffered(event, ring, regs, addr, period, time);
		return;
	}
	p = (u64 *)(ring->data + (head & ring->mask));
	perf_sample_fields(p, event, cpu, regs, addr, period, time);
	perf_sample_end(ring, event->wakeup_events);
}
