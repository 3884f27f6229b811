/* SPDX-License-Identifier: MIT */
/* Samples of SAMPLE_WORDS but for those that sample.h writes by itself. */
#include "sample.h"
#include "callchain.h"

void perf_sample_write_buffered(struct perf_event *event, struct perf_ring *ring,
				struct pt_regs *regs, u64 addr, u64 period, u64 time)
{
	bool has_chain = event->sample_type & PERF_SAMPLE_CALLCHAIN;
	const struct cpu *cpu = this_cpu();
	struct callchain chain = {cpu->perf->chain[cpu_context(cpu)], 0, CHAIN_MAX};
	u64 fixed[SAMPLE_WORDS_MAX];
	struct perf_output out;
	u32 size;

	if (has_chain)
		perf_callchain(event, regs, &chain);
	size = event->sample_size + chain.nr * sizeof(u64);
	if (!perf_record_begin(&out, event, ring, current, size, time)) {
		perf_sample_lost(event, period);
		return;
	}
	perf_sample_fields(fixed, event, cpu, regs, addr, period, time);
	if (has_chain)
		perf_sample_add_chain(fixed, event->sample_size, chain.nr);
	perf_output_words(&out, fixed, event->sample_size / sizeof(u64));
	perf_output_words(&out, chain.ip, chain.nr);
	perf_sample_end(ring, event->wakeup_events);
}

/*
 * Builds the sample where it is to be read: reserves as much as it could need and gives back what
 * it did not. If a nested writer has come in between, the rest becomes markers, which say nothing.
 */
void perf_sample_write_chain(struct perf_event *event, struct perf_ring *ring, struct pt_regs *regs,
			     u64 addr, u64 period, u64 time)
{
	u32 most = event->sample_size + CHAIN_MAX * sizeof(u64);
	unsigned long head = READ_ONCE(ring->head), reserved = head + most;
	u64 *p = (u64 *)(ring->data + (head & ring->mask));
	struct perf_output out;
	struct callchain chain;

	if (unlikely(!perf_ring_has_room(ring, head, most) ||
		     !perf_output_claim(&out, ring, head, most))) {
		perf_sample_write_buffered(event, ring, regs, addr, period, time);
		return;
	}
	perf_sample_fields(p, event, this_cpu(), regs, addr, period, time);
	chain.ip = (u64 *)((u8 *)p + event->sample_size);
	chain.nr = 0;
	callchain_build(event, regs, &chain, true);
	if (!perf_output_shrink(&out, reserved, reserved - (CHAIN_MAX - chain.nr) * sizeof(u64)))
		while (chain.nr < CHAIN_MAX)
			chain.ip[chain.nr++] = PERF_CONTEXT_USER;
	perf_sample_add_chain(p, event->sample_size, chain.nr);
	perf_sample_end(ring, event->wakeup_events);
}
