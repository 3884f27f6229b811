/* SPDX-License-Identifier: MIT */
/*
 * The ring buffer but for its hot parts, which perf_ring.h has: making one, waking readers, losing
 * records, and copying words.
 */
#include <hotregs/mm.h>
#include <hotregs/perf_ring.h>

#include <arch/irq.h>
#include <arch/words.h>

static void wake_readers(struct irq_work *work)
{
	struct perf_ring *ring = container_of(work, struct perf_ring, work);
	u32 wakes = __atomic_load_n(&ring->wake_pending, __ATOMIC_ACQUIRE);

	ring->wake(ring);
	/*
	 * The last access: perf_ring_free() waits for it. Unless the writer, on the CPU that it has
	 * moved to, has had more to tell meanwhile, which the readers may have been too early for.
	 */
	if (!__atomic_compare_exchange_n(&ring->wake_pending, &wakes, 0, false, __ATOMIC_ACQ_REL,
					 __ATOMIC_RELAXED))
		irq_work_queue(work);
}

static size_t ring_pages; /* of all rings together, control pages too; atomic */

/*
 * Rings are never given to anybody else in need: all together they get half of RAM at most; and
 * half of the addresses of kernel mappings, of which a ring may take four times its size.
 */
static size_t ring_pages_max(void)
{
	return MIN(page_nr_total() / 2, (VMAP_END - VMAP_START) / PAGE_SIZE / 8);
}

static void uncharge(size_t pages)
{
	__atomic_fetch_sub(&ring_pages, pages, __ATOMIC_RELAXED);
}

static bool charge(size_t pages)
{
	size_t max = ring_pages_max();

	if (pages > max)
		return false;
	if (__atomic_add_fetch(&ring_pages, pages, __ATOMIC_RELAXED) <= max)
		return true;
	uncharge(pages);
	return false;
}

struct perf_ring *perf_ring_create(size_t pages, bool overwrite, u64 watermark,
				   void (*wake)(struct perf_ring *ring))
{
	struct perf_ring *ring;
	u8 *va;

	if (!perf_ring_size_ok(pages))
		return ERR_PTR(-EINVAL);
	if (!charge(1 + pages))
		return ERR_PTR(-EPERM);
	ring = kzalloc(sizeof(*ring));
	va = ring ? vmap_alloc(1 + pages) : NULL;
	if (!va) {
		kfree(ring);
		uncharge(1 + pages);
		return ERR_PTR(-ENOMEM);
	}
	ring->page = (struct perf_event_mmap_page *)va;
	ring->data = va + PAGE_SIZE;
	ring->size = (u64)pages * PAGE_SIZE;
	ring->mask = pages ? ring->size - 1 : 0;
	ring->overwrite = overwrite;
	ring->watermark = MAX(watermark ? MIN(watermark, ring->size) : ring->size / 2, 1);
	ring->wakeup_at = ring->watermark;
	ring->wake = wake;
	ring->work.func = wake_readers;
	list_init(&ring->events);

	ring->page->cap_bit0_is_deprecated = 1;
	ring->page->size = offsetof(struct perf_event_mmap_page, __reserved);
	ring->page->data_offset = PAGE_SIZE;
	ring->page->data_size = ring->size;
	return ring;
}

void perf_ring_free(struct perf_ring *ring)
{
	while (__atomic_load_n(&ring->wake_pending, __ATOMIC_ACQUIRE))
		cpu_relax();
	vmap_free(ring->page, 1 + ring->size / PAGE_SIZE);
	uncharge(1 + ring->size / PAGE_SIZE);
	kfree(ring);
}

void perf_ring_wake(struct perf_ring *ring)
{
	unsigned long head = READ_ONCE(ring->head);

	ring->ready_at = head;
	ring->wakeup_at = head + ring->watermark;
	if (!__atomic_fetch_add(&ring->wake_pending, 1, __ATOMIC_ACQ_REL))
		irq_work_queue(&ring->work);
}

void perf_ring_set_backward(struct perf_ring *ring)
{
	ring->backward = true;
	ring->published = ~0UL;
}

void perf_ring_pause(struct perf_ring *ring, bool pause)
{
	WRITE_ONCE(ring->paused, pause);
	barrier();
	/* From here on every writer looks for room. */
	WRITE_ONCE(ring->limit, READ_ONCE(ring->head));
}

/* Acquire: what the reader has read is read before it is overwritten. */
static unsigned long ring_tail(const struct perf_ring *ring)
{
	unsigned long tail = __atomic_load_n(&ring->page->data_tail, __ATOMIC_ACQUIRE);

	return ring->backward ? -tail : tail;
}

bool perf_ring_readable(struct perf_ring *ring)
{
	unsigned long ready = READ_ONCE(ring->ready_at);
	bool readable = !perf_ring_reached(ring->overwrite ? ring->polled : ring_tail(ring), ready);

	/* A read-only reader can not say how far it got: it is told once. */
	ring->polled = ready;
	return readable;
}

bool perf_ring_look(struct perf_ring *ring, unsigned long head, u32 size)
{
	long most = ring->size, piece = most - (head & ring->mask), room = most;

	/* Of a tail that lies the reader has the damage: records stay within the ring anyway. */
	if (!ring->overwrite)
		room -= head - ring_tail(ring);
	room = MIN(MAX(room, 0), most);
	if (unlikely(ring->paused))
		room = 0;
	ring->limit = ring->backward ? head : head + MIN(room, piece);
	return (long)size <= room;
}

void perf_ring_carry(struct perf_ring *ring, unsigned long head)
{
	bool backward = ring->backward;
	u64 data_head;

	/* Where data_head is no longer than a position, nothing is carried. */
	if (!backward || head < ring->carried)
		ring->wrapped += (u64)~0UL + 1;
	data_head = ring->wrapped + head;
	__atomic_store_n(&ring->page->data_head, backward ? -data_head : data_head,
			 __ATOMIC_RELEASE);
	ring->carried = head;
	if (!backward)
		ring->published = head;
}

void perf_ring_publish_again(struct perf_ring *ring)
{
	do {
		WRITE_ONCE(ring->nest, 1);
		barrier();
	} while (!perf_ring_publish(ring));
}

void perf_output_lost(struct perf_ring *ring)
{
	__atomic_fetch_add(&ring->lost, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&ring->lost_total, 1, __ATOMIC_RELAXED);
	/* Whoever finds room again must look, and tell of the gap first. */
	WRITE_ONCE(ring->limit, READ_ONCE(ring->head));
	/* The watermark may lie beyond what fits: the reader is told, once, of what there is. */
	if (ring->ready_at != ring->head)
		perf_ring_wake(ring);
}

int perf_output_begin(struct perf_output *out, struct perf_ring *ring, u32 size)
{
	if (likely(perf_output_reserve(out, ring, size)))
		return 0;
	perf_output_lost(ring);
	return -ENOSPC;
}

void *perf_output_room(struct perf_output *out, u32 n, u32 *piece)
{
	unsigned long offset = out->pos & out->ring->mask;

	*piece = MIN(n, out->ring->size - offset);
	out->pos += *piece;
	return out->ring->data + offset;
}

void perf_output_words(struct perf_output *out, const u64 *words, u32 n)
{
	while (n) {
		u32 piece;
		u64 *to = perf_output_room(out, n * sizeof(u64), &piece);

		piece /= sizeof(u64);
		copy_words(to, words, piece);
		words += piece;
		n -= piece;
	}
}
