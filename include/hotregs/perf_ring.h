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
 *
 * A position is a count of bytes that wraps around, compared by difference: nothing that is
 * compared lies further apart than a ring is long. Only in the control page it has 64 bits
 * everywhere; the upper ones are written when they change.
 */
struct perf_ring {
	unsigned long head;       /* reserved up to here */
	unsigned long limit;      /* up to here there is room, in one piece; head after a loss */
	unsigned long size, mask; /* bytes of data, a power of two or 0; size - 1 */
	unsigned long published;  /* head when it was last published */
	u64 wrapped;              /* what data_head is ahead of it */
	unsigned long carried;    /* head when the latter was last changed, of a backward one */
	u8 *data;                 /* consecutive addresses, right behind page */
	struct perf_event_mmap_page *page; /* control page */
	u32 nest;                          /* writers in progress on the writing CPU */
	bool overwrite;                    /* mapped read-only: never full, the oldest records go */
	bool backward;                     /* records are written from the end on, see below */
	bool paused;                       /* nothing is written; what would have been is lost */
	u32 wake_pending;                  /* wakes since no work was queued or ran; atomic */
	u32 samples;                       /* since the last wake-up, for wakeup_events */
	unsigned long wakeup_at;           /* head at which readers are woken next */
	unsigned long watermark;           /* bytes between wake-ups */
	unsigned long ready_at;            /* head at the last wake-up: what readers were told */
	unsigned long polled;              /* ready_at that poll() reported; overwrite only */
	u64 lost;                          /* records dropped since the last LOST record */
	u64 lost_total;                    /* records dropped ever */
	struct irq_work work;
	void (*wake)(struct perf_ring *ring); /* tells the readers; interrupt context */

	/* kernel/perf/output.c's, under perf_lock. */
	u32 mappings;            /* areas that show the ring; with the last one it goes */
	uid_t payer;             /* whose it counts as */
	struct list_head events; /* that write here, by ring_node */
};

/*
 * A backward ring is the mirror image of another: positions count up here, and data_head and
 * data_tail are their negatives, so that the last record begins at data_head. No room is ever known
 * in it, and published is such that data_head is carried each time: so all that is different is off
 * the usual way.
 */

/* Can a ring have @pages data pages? */
static inline bool perf_ring_size_ok(size_t pages)
{
	return !(pages & (pages - 1));
}

/*
 * A ring of @pages data pages (0, or a power of two), read-only for its reader when @overwrite;
 * @watermark bytes between wake-ups, 0: half the ring. Its readers are told by @wake.
 * ERR_PTR(-EINVAL; -EPERM: too much for rings all together; -ENOMEM). May sleep.
 */
struct perf_ring *perf_ring_create(size_t pages, bool overwrite, u64 watermark,
				   void (*wake)(struct perf_ring *ring));
/* Makes it a backward one, before its first record. */
void perf_ring_set_backward(struct perf_ring *ring);
/* Pauses it, or goes on. Where its records are written, interrupts off. */
void perf_ring_pause(struct perf_ring *ring, bool pause);
/* Frees it; no writer, reader or mapping is left. Interrupts on. */
void perf_ring_free(struct perf_ring *ring);

/* A record being written. */
struct perf_output {
	struct perf_ring *ring;
	unsigned long pos; /* next byte to write */
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
static inline bool perf_output_claim(struct perf_output *out, struct perf_ring *ring,
				     unsigned long head, u32 size);
/* Gives back what is reserved from @end up to @reserved; false: a nested writer has built on it. */
static inline bool perf_output_shrink(struct perf_output *out, unsigned long reserved,
				      unsigned long end);
static inline void perf_output_end(struct perf_output *out);

/*
 * Room for the next bytes of @n, a multiple of 8, that are left to write: sets *@piece to how many
 * of them fit there in one piece before the end of the ring, and goes on behind those. NMI-safe.
 */
void *perf_output_room(struct perf_output *out, u32 n, u32 *piece);
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

/* Asks the control page how far the reader has come, and moves the limit; as perf_ring_fits(). */
bool perf_ring_look(struct perf_ring *ring, unsigned long head, u32 size);

/* Has position @a reached @b? */
static inline bool perf_ring_reached(unsigned long a, unsigned long b)
{
	return (long)(a - b) >= 0;
}

/*
 * Is there known to be room for @size bytes at @head, all at ring->data + (@head & ring->mask)? Of
 * a nested writer, who may move the limit, perf_output_claim() will tell.
 */
static inline bool perf_ring_has_room(const struct perf_ring *ring, unsigned long head, u32 size)
{
	return likely(perf_ring_reached(ring->limit, head + size));
}

/* Is there any room for them? The reader's page is looked at only when it seems not. */
static inline bool perf_ring_fits(struct perf_ring *ring, unsigned long head, u32 size)
{
	return perf_ring_has_room(ring, head, size) || perf_ring_look(ring, head, size);
}

/* Publishes where the position has wrapped around since, and in a backward ring. */
void perf_ring_carry(struct perf_ring *ring, unsigned long head);

/*
 * What the outermost writer does at its end: publishes everything that it and those nested in it
 * have written. False: one more has come while the writer was still counted, and left that to it.
 */
static inline bool perf_ring_publish(struct perf_ring *ring)
{
	unsigned long head = READ_ONCE(ring->head);

	_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the lower part comes first");
	if (unlikely(head < ring->published)) {
		perf_ring_carry(ring, head);
	} else {
		__atomic_store_n((unsigned long *)&ring->page->data_head, head, __ATOMIC_RELEASE);
		ring->published = head;
	}
	if (unlikely(perf_ring_reached(head, ring->wakeup_at)))
		perf_ring_wake(ring);
	barrier();
	WRITE_ONCE(ring->nest, 0);
	barrier();
	return likely(READ_ONCE(ring->head) == head);
}

/* Publishes until nothing has come in between. */
void perf_ring_publish_again(struct perf_ring *ring);

/* Ends a writer's turn. */
static inline void perf_ring_leave(struct perf_ring *ring)
{
	if (unlikely(ring->nest > 1)) {
		barrier();
		ring->nest--;
	} else if (!perf_ring_publish(ring)) {
		perf_ring_publish_again(ring);
	}
}

static inline bool perf_output_reserve(struct perf_output *out, struct perf_ring *ring, u32 size)
{
	unsigned long head;

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
	out->pos = unlikely(ring->backward) ? -(head + size) : head;
	return true;
}

static inline bool perf_output_claim(struct perf_output *out, struct perf_ring *ring,
				     unsigned long head, u32 size)
{
	out->ring = ring;
	out->pos = head;
	WRITE_ONCE(ring->nest, ring->nest + 1);
	barrier();
	if (likely(__atomic_compare_exchange_n(&ring->head, &head, head + size, true,
					       __ATOMIC_RELAXED, __ATOMIC_RELAXED)))
		return true;
	perf_ring_leave(ring);
	return false;
}

static inline bool perf_output_shrink(struct perf_output *out, unsigned long reserved,
				      unsigned long end)
{
	return likely(__atomic_compare_exchange_n(&out->ring->head, &reserved, end, false,
						  __ATOMIC_RELAXED, __ATOMIC_RELAXED));
}

static inline void perf_output_end(struct perf_output *out)
{
	perf_ring_leave(out->ring);
}
