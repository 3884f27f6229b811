/* SPDX-License-Identifier: MIT */
/* Reading a ring that the kernel writes: the protocol of struct perf_event_mmap_page. */
#include "perf.h"

#include <errno.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

int ring_map(struct ring *ring, int fd, size_t pages, bool backward)
{
	size_t page = sysconf(_SC_PAGESIZE);
	int protection = backward ? PROT_READ : PROT_READ | PROT_WRITE;
	void *base = mmap(NULL, (1 + pages) * page, protection, MAP_SHARED, fd, 0);

	if (base == MAP_FAILED)
		return -1;
	ring->fd = fd;
	ring->backward = backward;
	ring->page = base;
	ring->data = (uint8_t *)base + page;
	ring->size = pages * page;
	return 0;
}

void ring_unmap(struct ring *ring)
{
	size_t page = sysconf(_SC_PAGESIZE);

	munmap(ring->page, page + ring->size);
	ring->fd = -1;
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

/* What has been read up to @pos may be written over; where that is so anyway, there is no telling.
 */
static void free_room(struct ring *ring, uint64_t pos)
{
	if (!ring->backward)
		__atomic_store_n(&ring->page->data_tail, pos, __ATOMIC_RELEASE);
}

/* Writes the records of [start, end), which do not cross the ring's end, and frees their room. */
static int write_span(struct ring *ring, uint64_t start, uint64_t end, struct stream *s)
{
	if (start == end)
		return 0;
	if (stream_write(s, ring->data + (start & (ring->size - 1)), end - start) < 0)
		return -1;
	free_room(ring, end);
	return 0;
}

/* The one record that crosses the ring's end goes through memory, to be written whole. */
static int write_wrapped(struct ring *ring, uint64_t pos, size_t n, struct stream *s)
{
	static uint8_t buf[UINT16_MAX];

	copy_out(ring, pos, buf, n);
	if (stream_write(s, buf, n) < 0)
		return -1;
	free_room(ring, pos + n);
	return 0;
}

/* Writes the records from @pos to @end; the last one of a backward ring may not be whole. */
static int write_records(struct ring *ring, uint64_t pos, uint64_t end, struct stream *s,
			 struct drain_counts *counts)
{
	uint64_t start = pos;

	while (pos != end) {
		struct perf_event_header h;
		size_t offset = pos & (ring->size - 1);

		copy_out(ring, pos, &h, sizeof(h));
		if (ring->backward && h.size > end - pos)
			break;
		if (h.size < sizeof(h) || h.size > end - pos)
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

int ring_drain(struct ring *ring, struct stream *s, struct drain_counts *counts)
{
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	uint64_t tail = ring->page->data_tail;

	return head == tail ? 0 : write_records(ring, tail, head, s, counts);
}

int ring_write_last(struct ring *ring, struct stream *s, struct drain_counts *counts)
{
	uint64_t head, written;

	if (ioctl(ring->fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1) < 0)
		return error("cannot pause a ring: %s", strerror(errno));
	head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	written = -head; /* it counts down from 0 */
	if (written > ring->size)
		written = ring->size;
	return written ? write_records(ring, head, head + written, s, counts) : 0;
}
