/* SPDX-License-Identifier: MIT */
/* The default overflow handler, and all samples but those that sample.h writes by itself. */
#include "sample.h"

/* A sample whose chain has been built in a buffer. */
static void write_buffered(struct perf_event *event, struct perf_ring *ring,
			   const struct perf_sample *s, const struct callchain *chain)
{
	u32 fixed_size = event->sample_size, size = fixed_size + chain->nr * sizeof(u64);
	u64 fixed[SAMPLE_WORDS_MAX];
	struct perf_output out;

	if (!perf_record_begin(&out, event, ring, current, size, s->time)) {
		__atomic_fetch_add(&event->owner->lost, 1, __ATOMIC_RELAXED);
		event->count -= s->period;
		return;
	}
	perf_sample_fields(fixed, s, size, chain->nr);
	perf_output_words(&out, fixed, fixed_size / sizeof(u64));
	perf_output_words(&out, chain->ip, chain->nr);
	perf_sample_end(ring, event->wakeup_events);
}

/*
 * Builds the chain where it is to be read, in free space that nobody has reserved, and then claims
 * just that much. False: there is not enough in one piece, or a nested writer was faster and may
 * have written there.
 */
static bool write_in_place(struct perf_event *event, struct perf_ring *ring,
			   const struct perf_sample *s)
{
	u32 fixed_size = event->sample_size, size = fixed_size + CHAIN_MAX * sizeof(u64);
	u64 head = READ_ONCE(ring->head), *p = perf_ring_linear(ring, head, size);
	struct callchain chain = {.ip = p + fixed_size / sizeof(u64), .max = CHAIN_MAX};
	struct perf_output out;

	/* In an overwritten ring what lies ahead is still valid. */
	if (!p || ring->overwrite || READ_ONCE(ring->lost) || !perf_ring_fits(ring, head, size))
		return false;
	perf_callchain(event, s->regs, &chain);
	size = fixed_size + chain.nr * sizeof(u64);
	if (!perf_output_claim(&out, ring, head, size))
		return false;
	perf_sample_fields(p, s, size, chain.nr);
	perf_sample_end(ring, event->wakeup_events);
	return true;
}

void perf_sample_write_slow(struct perf_event *event, struct perf_ring *ring,
			    const struct perf_sample *s)
{
	struct callchain chain = {.nr = 0};

	if (event->sample_type & PERF_SAMPLE_CALLCHAIN) {
		if (likely(write_in_place(event, ring, s)))
			return;
		chain.ip = s->cpu->perf->chain[cpu_context(s->cpu)];
		chain.max = CHAIN_MAX;
		perf_callchain(event, s->regs, &chain);
	}
	write_buffered(event, ring, s, &chain);
}

void perf_event_output(struct perf_event *event, struct perf_sample_data *data,
		       struct pt_regs *regs)
{
	perf_sample_write(event, this_cpu(), regs, data->addr, data->period, data->time);
}
