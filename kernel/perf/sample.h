/* SPDX-License-Identifier: MIT */
/*
 * Writing a SAMPLE record, inline: this is the hot path of sampling, so the size of the record is
 * known beforehand and its words go straight to where they will be read.
 */
#pragma once

#include "event.h"

#include <arch/regs.h>

/* Header, the fields of SAMPLE_DONE, all of which are one word. */
#define SAMPLE_WORDS_MAX 11

/* Less common fields; one test skips them all. */
#define SAMPLE_MORE (PERF_SAMPLE_ADDR | PERF_SAMPLE_ID | PERF_SAMPLE_STREAM_ID)

/* What goes into a sample. */
struct perf_sample {
	const struct perf_event *event;
	const struct cpu *cpu;
	const struct pt_regs *regs;
	u64 addr, period, time;
};

/* Writes header and fields, in the order that the ABI gives, for a record of @size bytes. */
static __always_inline void perf_sample_fields(u64 *p, const struct perf_sample *s, u32 size,
					       u64 chain_entries)
{
	const struct perf_event *event = s->event;
	const struct task *task = current;
	u32 type = event->sample_type;

	*(struct perf_event_header *)p++ = (struct perf_event_header){
	    .type = PERF_RECORD_SAMPLE,
	    .misc = user_mode(s->regs) ? PERF_RECORD_MISC_USER : PERF_RECORD_MISC_KERNEL,
	    .size = size,
	};
	if (type & PERF_SAMPLE_IDENTIFIER)
		*p++ = event->owner->id;
	if (type & PERF_SAMPLE_IP)
		*p++ = regs_ip(s->regs);
	if (type & PERF_SAMPLE_TID)
		*p++ = perf_pair(task->pid, task->tid);
	if (type & PERF_SAMPLE_TIME)
		*p++ = s->time;
	if (unlikely(type & SAMPLE_MORE)) {
		if (type & PERF_SAMPLE_ADDR)
			*p++ = s->addr;
		if (type & PERF_SAMPLE_ID)
			*p++ = event->owner->id;
		if (type & PERF_SAMPLE_STREAM_ID)
			*p++ = event->id;
	}
	if (type & PERF_SAMPLE_CPU)
		*p++ = perf_pair(s->cpu->id, 0);
	if (type & PERF_SAMPLE_PERIOD)
		*p++ = s->period;
	if (type & PERF_SAMPLE_CALLCHAIN)
		*p++ = chain_entries;
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

/* The other ways: with a chain, around the end of the ring, after losses, not at all. */
void perf_sample_write_slow(struct perf_event *event, struct perf_ring *ring,
			    const struct perf_sample *s);

static __always_inline void perf_sample_write(struct perf_event *event, const struct cpu *cpu,
					      const struct pt_regs *regs, u64 addr, u64 period,
					      u64 time)
{
	const struct perf_sample s = {event, cpu, regs, addr, period, time};
	struct perf_ring *ring = event->owner->ring;
	u32 size = event->sample_size;
	struct perf_output out;
	u64 head, *p;

	if (unlikely(!ring))
		return;
	head = READ_ONCE(ring->head);
	p = perf_ring_linear(ring, head, size);
	if (likely(!(event->sample_type & PERF_SAMPLE_CALLCHAIN) && p && !READ_ONCE(ring->lost) &&
		   perf_ring_fits(ring, head, size) && perf_output_claim(&out, ring, head, size))) {
		perf_sample_fields(p, &s, size, 0);
		perf_sample_end(ring, event->wakeup_events);
		return;
	}
	perf_sample_write_slow(event, ring,
			       &(struct perf_sample){event, cpu, regs, addr, period, time});
}
