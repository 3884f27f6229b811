/* SPDX-License-Identifier: MIT */
/*
 * The ring buffer between one event's writers and the program that mapped it. One CPU writes; its
 * nested contexts (interrupt, NMI) reserve in turn, and the outermost one publishes data_head.
 */
#pragma once

#include <hotregs/irq.h>
#include <hotregs/types.h>
#include <hotregs/wait.h>
#include <uapi/perf_event.h>

struct perf_ring {
	u32 refs;
	u32 nest;      /* writers in progress on the writing CPU */
	u64 head;      /* reserved up to here; ours alone */
	u64 wakeup_at; /* head at which readers are woken next */
	u64 lost;      /* records dropped since the last LOST record */
	u64 lost_total;
	u64 mask;                          /* data size - 1 */
	u8 *data;                          /* 2^n pages, consecutive addresses */
	struct perf_event_mmap_page *page; /* control page; the page before data */
	bool overwrite;                    /* mapped read-only: never full, the oldest records go */
	bool wakeup_pending;
	u64 watermark; /* bytes; wake when so much is unread */
	struct wait_queue wait;
	struct irq_work work;
};

/* A ring of @pages data pages (0, or a power of two); ERR_PTR(-EINVAL, -ENOMEM). May sleep. */
struct perf_ring *perf_ring_create(size_t pages, bool overwrite);
void perf_ring_get(struct perf_ring *ring);
void perf_ring_put(struct perf_ring *ring); /* may sleep */

/* A record being written. */
struct perf_output {
	struct perf_ring *ring;
	u64 pos; /* next byte to write */
	u64 end;
};

/*
 * Reserves @size bytes (a multiple of 8, <= 65528). -ENOSPC when the reader is behind: counted in
 * lost. Begin and end nest; every successful begin needs its end. NMI-safe.
 */
int perf_output_begin(struct perf_output *out, struct perf_ring *ring, u32 size);
void perf_output_end(struct perf_output *out);

/* Appends bytes; wraps at the end of the ring. NMI-safe. */
void perf_output_copy(struct perf_output *out, const void *data, u32 n);
static inline void perf_output_u64(struct perf_output *out, u64 v)
{
	/* Records start 8-byte aligned and so does every field: a word never wraps. */
	*(u64 *)(out->ring->data + (out->pos & out->ring->mask)) = v;
	out->pos += 8;
}

/* Wakes the readers by irq_work. NMI-safe. */
void perf_ring_wake(struct perf_ring *ring);
