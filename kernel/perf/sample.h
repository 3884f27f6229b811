/* SPDX-License-Identifier: MIT */
/*
 * Writing a SAMPLE record, inline: this is the hot path of sampling, so where the size of the
 * record is known beforehand its words go straight to where they will be read.
 */
#pragma once

#include "event.h"

#include <arch/regs.h>
#include <arch/words.h>

/* Header, the fields of SAMPLE_WORDS, all of which are one word. */
#define SAMPLE_WORDS_MAX 11

#define USUAL_WORDS 5

/* Writes header and the fields of SAMPLE_USUAL; @user: the registers are user mode's. */
static __always_inline void perf_sample_usual(u64 *p, const struct perf_event *event,
					      const struct cpu *cpu, const struct pt_regs *regs,
					      bool user, u64 time)
{
	const struct task *task = cpu->running;

	p[0] = event->sample_header[user];
	p[1] = regs_ip(regs);
	p[2] = perf_pair(task->pid, task->tid);
	p[3] = time;
	p[4] = perf_pair(cpu->id, 0);
}

/* Writes header and fields, in the order that the ABI gives, for a sample without chain entries. */
static __always_inline void perf_sample_fields(u64 *p, const struct perf_event *event,
					       const struct cpu *cpu, const struct pt_regs *regs,
					       u64 addr, u64 period, u64 time)
{
	const struct task *task = cpu->running;
	u32 type = event->sample_type;

	if (likely(event->sample_usual)) {
		perf_sample_usual(p, event, cpu, regs, unlikely(user_mode(regs)), time);
		p += USUAL_WORDS;
	} else {
		*p++ = event->sample_header[user_mode(regs)];
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

/* The sample at @p, of @size bytes so far, gets @entries of a chain behind those: there. */
static __always_inline u64 *perf_sample_add_chain(u64 *p, u32 size, u32 entries)
{
	u64 *chain = (u64 *)((u8 *)p + size);

	((struct perf_event_header *)p)->size = size + entries * sizeof(u64);
	chain[-1] = entries;
	return chain;
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

/* Reserves exactly @size bytes, at *@p; false: no room is known that is in one piece. */
static __always_inline bool perf_sample_reserve(struct perf_ring *ring, u32 size, u64 **p)
{
	unsigned long head = READ_ONCE(ring->head);
	struct perf_output out;

	/* After a loss no room is known: the gap must be told first. */
	if (unlikely(!perf_ring_has_room(ring, head, size) ||
		     !perf_output_claim(&out, ring, head, size)))
		return false;
	*p = (u64 *)(ring->data + (head & ring->mask));
	return true;
}

/* Any sample of SAMPLE_WORDS. */
static __always_inline void perf_sample_write(struct perf_event *event, const struct cpu *cpu,
					      struct pt_regs *regs, u64 addr, u64 period, u64 time)
{
	struct perf_ring *ring = READ_ONCE(event->owner->ring);
	u64 *p;

	if (unlikely(!ring))
		return;
	if (event->sample_type & PERF_SAMPLE_CALLCHAIN) {
		perf_sample_write_chain(event, ring, regs, addr, period, time);
		return;
	}
	if (!perf_sample_reserve(ring, event->sample_size, &p)) {
		perf_sample_write_buffered(event, ring, regs, addr, period, time);
		return;
	}
	perf_sample_fields(p, event, cpu, regs, addr, period, time);
	perf_sample_end(ring, event->wakeup_events);
}

/*
 * Is @ready, a captured kernel chain, the whole chain that a sample of @event, a plain one, shows
 * of
 * @task? There must be frames, none too many, and the user's do not follow.
 */
static __always_inline bool perf_chain_is_whole(const struct callchain *ready,
						const struct perf_event *event,
						const struct task *task)
{
	return (task->flags & TASK_KTHREAD) && ready->nr - 2 < event->max_stack;
}

/* A sample of a plain event, with @hot regs; their kernel chain, if it has been walked, is @ready.
 */
static __always_inline void perf_sample_write_plain(struct perf_event *event, const struct cpu *cpu,
						    struct pt_regs *hot, u64 period, u64 time,
						    const struct callchain *ready)
{
	struct perf_ring *ring = READ_ONCE(event->owner->ring);
	u32 type = event->sample_type, size = event->sample_size;
	u64 *p;

	if (unlikely(!ring))
		return;
	if (type & PERF_SAMPLE_CALLCHAIN) {
		if (!ready || unlikely(!perf_chain_is_whole(ready, event, cpu->running))) {
			perf_sample_write_chain(event, ring, hot, 0, period, time);
			return;
		}
		size += ready->nr * sizeof(u64);
	}
	if (!perf_sample_reserve(ring, size, &p)) {
		perf_sample_write_buffered(event, ring, hot, 0, period, time);
		return;
	}
	perf_sample_usual(p, event, cpu, hot, false, time);
	if (type & PERF_SAMPLE_PERIOD)
		p[USUAL_WORDS] = period;
	if (type & PERF_SAMPLE_CALLCHAIN) {
		u32 entries = ready->nr;

		copy_words(perf_sample_add_chain(p, event->sample_size, entries), ready->ip,
			   entries);
	}
	perf_ring_leave(ring);
}
