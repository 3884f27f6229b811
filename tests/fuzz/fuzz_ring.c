/* SPDX-License-Identifier: MIT */
/*
 * kernel/perf/ring.c: whatever a reader does to its ring, the writer stays inside; and as long as
 * the reader is honest, what it finds there are whole records.
 */
#include "fuzz.h"
#include "host.h"
#include <hotregs/mm.h>
#include <hotregs/perf_ring.h>

static void wake(struct perf_ring *ring)
{
}

void fuzz_examples(void)
{
	static const u8 steps[] = {1, 0, 0, 9, 0, 200, 1, 3, 0, 255, 0, 255, 2, 40, 0, 7, 3, 8};

	fuzz_add_example(steps, sizeof(steps));
}

static u64 pattern(u64 pos, u32 i)
{
	return (pos + 1) * 0x9e3779b97f4a7c15ULL + i;
}

static void write_body(struct perf_output *out, u32 size, bool nested, struct perf_ring *ring);

/* A record of @size bytes, in whose middle another one may be written. */
static bool write_record(struct perf_ring *ring, u32 size, bool nested)
{
	struct perf_output out;

	if (perf_output_begin(&out, ring, size))
		return false;
	write_body(&out, size, nested, ring);
	perf_output_end(&out);
	return true;
}

static void write_body(struct perf_output *out, u32 size, bool nested, struct perf_ring *ring)
{
	u64 pos = out->pos, words[128];
	u32 n = MIN(size / 8 - 1, (u32)ARRAY_SIZE(words)), rest = size / 8 - 1 - n;

	perf_output_u64(out, size);
	for (u32 i = 0; i < n; i++)
		words[i] = pattern(pos, i);
	perf_output_words(out, words, n);
	if (nested)
		write_record(ring, 16 + size % 64 / 8 * 8, false);
	for (u32 i = 0; i < rest; i++)
		perf_output_u64(out, pattern(pos, n + i));
}

static u64 ring_word(const struct perf_ring *ring, u64 pos)
{
	u64 word;

	memcpy(&word, ring->data + (pos & ring->mask), sizeof(word));
	return word;
}

/* An honest reader takes all there is. */
static void read_records(struct perf_ring *ring)
{
	u64 head = ring->page->data_head, tail = ring->page->data_tail;
	u64 pos = ring->backward ? head : tail, end = ring->backward ? tail : head;

	CHECK(end - pos <= ring->size);
	while (pos != end) {
		u64 size = ring_word(ring, pos);

		CHECK(size >= 8 && size % 8 == 0 && size <= end - pos);
		for (u32 i = 0; i < size / 8 - 1; i++)
			CHECK(ring_word(ring, pos + 8 + 8 * i) == pattern(pos, i));
		pos += size;
	}
	ring->page->data_tail = head;
}

/* Any word of the control page, or a tail that is only a little wrong. */
static void lie(struct perf_ring *ring, struct input *in)
{
	u8 *page = (u8 *)ring->page;
	u32 at = input_u32(in);
	u64 word;

	input_take(in, &word, sizeof(word));
	if (at % 2)
		ring->page->data_tail = ring->page->data_head - (at >> 1) % 65536 + 256;
	else
		memcpy(page + at % (PAGE_SIZE / 8) * 8, &word, sizeof(word));
}

static void step(struct perf_ring *ring, struct input *in, bool *honest)
{
	unsigned long head = ring->head;
	u64 lost = ring->lost_total;
	u8 what = input_u8(in);
	u32 size;

	if (what & 128)
		perf_ring_pause(ring, what & 64);
	switch (what % 4) {
	case 0:
	case 1:
		size = 8 + input_u8(in) * (what & 64 ? 256U : 8U);
		if (!write_record(ring, size, what & 32))
			CHECK(ring->lost_total > lost && ring->head == head);
		break;
	case 2:
		lie(ring, in);
		*honest = false;
		break;
	default:
		if (*honest && !ring->overwrite)
			read_records(ring);
		perf_ring_readable(ring);
		host_run_irq_work();
	}
	CHECK(!ring->nest && (ring->backward || ring->published == ring->head));
	CHECK(!ring->paused || ring->head == head || !(what & 128));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct input in = {data, size};
	u8 how = input_u8(&in);
	struct perf_ring *ring =
	    perf_ring_create(how % 5, how & 16, how & 32 ? input_u32(&in) : 0, wake);
	bool honest = true;

	if (IS_ERR(ring)) {
		CHECK(PTR_ERR(ring) == (how % 5 == 3 ? -EINVAL : -EPERM));
		return 0;
	}
	if (how & 64)
		perf_ring_set_backward(ring);
	while (in.size)
		step(ring, &in, &honest);
	host_run_irq_work();
	perf_ring_free(ring);
	CHECK(!host_allocations);
	return 0;
}
