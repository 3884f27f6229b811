/* SPDX-License-Identifier: MIT */
/* Reading a ring that the kernel writes: the protocol of struct perf_event_mmap_page. */
#include "perf.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int ring_map(struct ring *ring, int fd, size_t pages)
{
	size_t page = sysconf(_SC_PAGESIZE);
	void *base = mmap(NULL, (1 + pages) * page, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	if (base == MAP_FAILED)
		return -1;
	ring->page = base;
	ring->data = (uint8_t *)base + page;
	ring->size = pages * page;
	return 0;
}

void ring_unmap(struct ring *ring)
{
	size_t page = sysconf(_SC_PAGESIZE);

	munmap(ring->page, page + ring->size);
}

/* Copies out of the ring, around its end if need be. */
static void copy_out(const struct ring *ring, uint64_t pos, void *to, size_t n)
{
	size_t offset = pos & (ring->size - 1);
	size_t first = n < ring->size - offset ? n : ring->size - offset;

	memcpy(to, ring->data + offset, first);
	memcpy((uint8_t *)to + first, ring->data, n - first);
}

/* LOST: u64 id, lost. LOST_SAMPLES: u64 lost. */
static void count(const struct ring *ring, uint64_t pos, const struct perf_event_header *h,
		  struct drain_counts *counts)
{
	uint64_t lost = 0;

	if (h->type == PERF_RECORD_SAMPLE)
		counts->samples++;
	else if (h->type == PERF_RECORD_LOST && h->size >= 24)
		copy_out(ring, pos + 16, &lost, sizeof(lost));
	else if (h->type == PERF_RECORD_LOST_SAMPLES && h->size >= 16)
		copy_out(ring, pos + 8, &lost, sizeof(lost));
	counts->lost += lost;
}

/* Writes the records of [start, end), which do not cross the ring's end, and frees their room. */
static int write_span(struct ring *ring, uint64_t start, uint64_t end, struct stream *s)
{
	if (start == end)
		return 0;
	if (stream_write(s, ring->data + (start & (ring->size - 1)), end - start) < 0)
		return -1;
	__atomic_store_n(&ring->page->data_tail, end, __ATOMIC_RELEASE);
	return 0;
}

/* The one record that crosses the ring's end goes through memory, to be written whole. */
static int write_wrapped(struct ring *ring, uint64_t pos, size_t n, struct stream *s)
{
	static uint8_t buf[UINT16_MAX];

	copy_out(ring, pos, buf, n);
	if (stream_write(s, buf, n) < 0)
		return -1;
	__atomic_store_n(&ring->page->data_tail, pos + n, __ATOMIC_RELEASE);
	return 0;
}

int ring_drain(struct ring *ring, struct stream *s, struct drain_counts *counts)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t start = ring->page->data_tail, pos = start;

	if (pos == head)
		return 0;
	while (pos != head) {
		struct perf_event_header h;
		size_t offset = pos & (ring->size - 1);

		copy_out(ring, pos, &h, sizeof(h));
		if (h.size < sizeof(h) || h.size > head - pos)
			return error("the kernel wrote a record of %u bytes into the ring", h.size);
		count(ring, pos, &h, counts);
		if (offset + h.size > ring->size) {
			if (write_span(ring, start, pos, s) < 0 ||
			    write_wrapped(ring, pos, h.size, s) < 0)
				return -1;
			start = pos + h.size;
		} else if (offset + h.size == ring->size) {
			if (write_span(ring, start, pos + h.size, s) < 0)
				return -1;
			start = pos + h.size;
		}
		pos += h.size;
	}
	return write_span(ring, start, pos, s) < 0 ? -1 : 1;
}
