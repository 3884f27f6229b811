/* SPDX-License-Identifier: MIT */
/*
 * The ring buffer between one event's writers and the program that mapped it. One CPU writes; its
 * nested contexts (interrupt, NMI) reserve in turn, and the outermost one publishes data_head.
 */
#pragma once

#include <hotregs/irq.h>
#include <hotregs/list.h>
#include <hotregs/types.h>
#include <uapi/perf_event.h>

/*
 * Nothing in the mapped pages is believed: of the control page the kernel reads data_tail alone,
 * and a wrong value of it can only lose the program's own records.
 */
struct perf_ring {
	u64 head;       /* reserved up to here; data_head once published */
	u64 limit;      /* up to here there was room when last looked; 0 after a loss */
	u64 size, mask; /* bytes of data, a power of two or 0; size - 1 */
	u8 *data;       /* consecutive addresses, right behind page */
	struct perf_event_mmap_page *page; /* control page */
	u32 nest;                          /* writers in progress on the writing CPU */
	bool overwrite;                    /* mapped read-only: never full, the oldest records go */
	bool wake_pending;                 /* work is queued or runs */
	u32 samples;                       /* since the last wake-up, for wakeup_events */
	u64 wakeup_at;                     /* head at which readers are woken next */
	u64 watermark;                     /* bytes between wake-ups */
	u64 ready_at;                      /* head at the last wake-up: what readers were told */
	u64 polled;                        /* ready_at that poll() reported; overwrite only */
	u64 lost;                          /* records dropped since the last LOST record */
	u64 lost_total;                    /* records dropped ever */
	struct irq_work work;
	void (*wake)(struct perf_ring *ring); /* tells the readers; interrupt context */

	/* kernel/perf/output.c's, under perf_lock. */
	u32 mappings;            /* areas that show the ring; with the last one it goes */
	struct list_head events; /* that write here, by ring_node */
};

/*
 * A ring of @pages data pages (0, or a power of two), read-only for its reader when @overwrite;
 * @watermark bytes between wake-ups, 0: half the ring. Its readers are told by @wake.
 * ERR_PTR(-EINVAL, -ENOMEM). May sleep.
 */
struct perf_ring *perf_ring_create(size_t pages, bool overwrite, u64 watermark,
				   void (*wake)(struct perf_ring *ring));
/* Frees it; no writer, reader or mapping is left. Interrupts on. */
void perf_ring_free(struct perf_ring *ring);

/* A record being written. */
struct perf_output {
	struct perf_ring *ring;
	u64 pos; /* next byte to write */
};

/*
 * Reserves @size bytes (a multiple of 8, <= 65528). -ENOSPC when the reader is behind: counted in
 * lost. Begin and end nest; every successful begin needs its end. Interrupts off; NMI-safe.
 */
int perf_output_begin(struct perf_output *out, struct perf_ring *ring, u32 size);
/* The same in two parts: a refusal (false) is not counted; a record is. */
static inline bool perf_output_reserve(struct perf_output *out, struct perf_ring *ring, u32 size);
void perf_output_lost(struct perf_ring *ring);
/* As perf_output_reserve(), just at @head, where there is room; false: a nested writer has been. */
static inline bool perf_output_claim(struct perf_output *out, struct perf_ring *ring, u64 head,
				     u32 size);
/* Gives back what is reserved from @end up to @reserved; false: a nested writer has built on it. */
static inline bool perf_output_shrink(struct perf_output *out, u64 reserved, u64 end);
static inline void perf_output_end(struct perf_output *out);

/* Appends @n words; wraps at the end of the ring. NMI-safe. */
void perf_output_words(struct perf_output *out, const u64 *words, u32 n);
static inline void perf_output_u64(struct perf_output *out, u64 v)
{
	/* Records start 8-byte aligned and so does every field: a word never wraps. */
	*(u64 *)(out->ring->data + (out->pos & out->ring->mask)) = v;
	out->pos += 8;
}

/* Wakes the readers by irq_work, and moves the next wake-up on. NMI-safe. */
void perf_ring_wake(struct perf_ring *ring);

/* Has the reader been woken for something it has not consumed yet? What POLLIN means. */
bool perf_ring_readable(struct perf_ring *ring);

/* --- The hot parts. No lock: a nested writer comes and goes as a whole. --- */

/* Asks the control page how far the reader has come; as perf_ring_fits(). */
bool perf_ring_look(struct perf_ring *ring, u64 head, u32 size);

/* Is there room for @size bytes at @head? The reader's page is looked at only when it seems not. */
static inline bool perf_ring_fits(struct perf_ring *ring, u64 head, u32 size)
{
	return likely(head + size <= ring->limit) || perf_ring_look(ring, head, size);
}

/* Do @size bytes at stream position @pos lie in one piece, at ring->data + (@pos & ring->mask)? */
static inline bool perf_ring_linear(const struct perf_ring *ring, u64 pos, u32 size)
{
	return likely((pos & ring->mask) + size <= ring->size);
}

/*
 * Ends a writer's turn. The outermost one publishes everything that it and those nested in it have
 * written, and looks again in case one more came while it was no longer counted.
 */
static inline void perf_ring_leave(struct perf_ring *ring)
{
	u64 head;

	if (unlikely(ring->nest > 1)) {
		ring->nest--;
		return;
	}
	for (;;) {
		head = READ_ONCE(ring->head);
		__atomic_store_n(&ring->page->data_head, head, __ATOMIC_RELEASE);
		if (unlikely(head >= ring->wakeup_at))
			perf_ring_wake(ring);
		barrier();
		WRITE_ONCE(ring->nest, 0);
		barrier();
		if (likely(READ_ONCE(ring->head) == head))
			return;
		WRITE_ONCE(ring->nest, 1);
		barrier();
	}
}

static inline bool perf_output_reserve(struct perf_output *out, struct perf_ring *ring, u32 size)
{
	u64 head;

	WRITE_ONCE(ring->nest, ring->nest + 1);
	barrier();
	head = READ_ONCE(ring->head);
	do {
		if (unlikely(!perf_ring_fits(ring, head, size))) {
			perf_ring_leave(ring);
			return false;
		}
	} while (unlikely(!__atomic_compare_exchange_n(&ring->head, &head, head + size, false,
						       __ATOMIC_RELAXED, __ATOMIC_RELAXED)));
	out->ring = ring;
	out->pos = head;
	return true;
}

static inline bool perf_output_claim(struct perf_output *out, struct perf_ring *ring, u64 head,
				     u32 size)
{
	out->ring = ring;
	out->pos = head;
	WRITE_ONCE(ring->nest, ring->nest + 1);
	barrier();
	if (likely(__atomic_compare_exchange_n(&ring->head, &head, head + size, false,
					       __ATOMIC_RELAXED, __ATOMIC_RELAXED)))
		return true;
	perf_ring_leave(ring);
	return false;
}

static inline bool perf_output_shrink(struct perf_output *out, u64 reserved, u64 end)
{
	return likely(__atomic_compare_exchange_n(&out->ring->head, &reserved, end, false,
						  __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

static inline void perf_output_end(struct perf_output *out)
{
	perf_ring_leave(out->ring);
}
