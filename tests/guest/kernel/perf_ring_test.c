/* SPDX-License-Identifier: MIT */
/* The perf ring where positions have the size they have on this machine. */
#include <hotregs/mm.h>
#include <hotregs/perf_ring.h>

#include <arch/irq.h>

#include "ktest.h"

#define RECORD 72 /* bytes; not a divisor of the ring */

static void nobody_waits(struct perf_ring *ring)
{
}

static bool write_record(struct perf_ring *ring, u64 pos)
{
	unsigned long flags = irq_save();
	struct perf_output out;
	bool ok = !perf_output_begin(&out, ring, RECORD);

	if (ok) {
		for (u64 i = 0; i < RECORD / 8; i++)
			perf_output_u64(&out, pos + i);
		perf_output_end(&out);
	}
	irq_restore(flags);
	return ok;
}

/* data_head goes on counting where the kernel's own positions wrap around. */
KTEST(perf_ring_positions_wrap_around)
{
	struct perf_ring *ring = perf_ring_create(1, false, 0, nobody_waits);
	unsigned long start = -3 * PAGE_SIZE;
	u64 pos = start;

	if (!EXPECT(!IS_ERR(ring)))
		return;
	ring->head = ring->limit = ring->published = ring->ready_at = start;
	ring->wakeup_at = start + ring->watermark;
	ring->page->data_head = ring->page->data_tail = start;
	for (int i = 0; i < 200; i++, pos += RECORD) {
		const u64 *last = (const u64 *)(ring->data + ((pos + RECORD - 8) & ring->mask));

		if (!EXPECT(write_record(ring, pos)) ||
		    !EXPECT_EQ(ring->page->data_head, pos + RECORD) ||
		    !EXPECT_EQ(*last, pos + RECORD / 8 - 1))
			break;
		/* The reader is one record behind. */
		ring->page->data_tail = pos;
	}
	EXPECT((unsigned long)pos < start);
	perf_ring_free(ring);
}

/* So does that of a backward ring, downward, and lets the reader of it be as far behind. */
KTEST(perf_ring_backward_positions_wrap_around)
{
	struct perf_ring *ring = perf_ring_create(1, false, 0, nobody_waits);
	unsigned long start = -3 * PAGE_SIZE;
	u64 pos = start;

	if (!EXPECT(!IS_ERR(ring)))
		return;
	perf_ring_set_backward(ring);
	ring->head = ring->limit = ring->carried = ring->ready_at = start;
	ring->wakeup_at = start + ring->watermark;
	ring->page->data_head = ring->page->data_tail = -pos;
	for (int i = 0; i < 200; i++) {
		u64 word = -(pos + RECORD); /* what the record begins with, and where */

		if (!EXPECT(write_record(ring, word)))
			break;
		pos += RECORD;
		if (!EXPECT_EQ(ring->page->data_head, -pos) ||
		    !EXPECT_EQ(*(const u64 *)(ring->data + (-pos & ring->mask)), word))
			break;
		ring->page->data_tail = -pos + RECORD;
	}
	EXPECT((unsigned long)pos < start);
	perf_ring_free(ring);
}
