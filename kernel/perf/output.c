/* SPDX-License-Identifier: MIT */
/*
 * Which ring an event writes to: mapping one, redirecting to another's, waking those who poll. A
 * ring lives while it is mapped; the last unmapping takes it away from all its writers.
 */
#include <hotregs/mm.h>
#include <hotregs/smp.h>

#include "event.h"

#include <arch/irq.h>

/* Every event that writes to @ring may have a poller. */
static void wake_pollers(struct perf_ring *ring)
{
	unsigned long flags = spin_lock_irqsave(&perf_lock);
	struct perf_event *event;

	list_for_each (event, &ring->events, ring_node)
		wake_up(&event->wait);
	spin_unlock_irqrestore(&perf_lock, flags);
}

/*
 * With inherit and no fixed CPU, copies would write one ring from several CPUs at once; such an
 * event is opened once per CPU instead.
 */
static bool many_writers(const struct perf_event *event)
{
	return event->attr.inherit && event->cpu == -1;
}

static void set_ring(struct perf_event *event, struct perf_ring *ring)
{
	list_del_init(&event->ring_node);
	/*
	 * Its CPU may be writing: it goes on with the one it has found. And when it is closed
	 * meanwhile, one that has no ring may be freed from here on.
	 */
	__atomic_store_n(&event->ring, ring, __ATOMIC_RELEASE);
	if (!ring)
		return;
	list_add_tail(&event->ring_node, &ring->events);
	event->private = false;
}

static struct perf_ring *create_ring(const struct perf_event *event, size_t pages, bool overwrite,
				     const struct perf_user *user)
{
	u64 watermark = event->attr.watermark ? event->attr.wakeup_watermark : 0;
	struct perf_ring *ring;
	int err = perf_quota_charge(user, 1 + pages);

	if (err)
		return ERR_PTR(err);
	ring = perf_ring_create(pages, overwrite, watermark, wake_pollers);
	if (IS_ERR(ring))
		perf_quota_uncharge(user->uid, 1 + pages);
	else
		ring->payer = user->uid;
	if (!IS_ERR(ring) && event->attr.write_backward)
		perf_ring_set_backward(ring);
	return ring;
}

static void free_ring(struct perf_ring *ring)
{
	perf_quota_uncharge(ring->payer, 1 + ring->size / PAGE_SIZE);
	perf_ring_free(ring);
}

static void update_page(void *event)
{
	perf_output_update_page(event);
}

static void show_values(struct perf_event *event)
{
	mutex_lock(&perf_mutex);
	perf_event_change(event, update_page);
	mutex_unlock(&perf_mutex);
}

/* Maps @event's ring, which @fresh (may be NULL) becomes if it has none. -ENOENT: it has none. */
static int add_mapping(struct perf_event *event, size_t pages, struct perf_ring *fresh,
		       struct perf_ring **ring)
{
	unsigned long flags = spin_lock_irqsave(&perf_lock);
	int err = 0;

	if (!event->ring && fresh)
		set_ring(event, fresh);
	if (!event->ring) {
		err = -ENOENT;
	} else if (event->ring->size != (u64)pages * PAGE_SIZE) {
		err = -EINVAL;
	} else {
		*ring = event->ring;
		event->ring->mappings++;
		event->mappings++;
	}
	spin_unlock_irqrestore(&perf_lock, flags);
	return err;
}

int perf_event_mmap(struct perf_event *event, size_t pages, bool overwrite,
		    const struct perf_user *user, struct perf_ring **ring)
{
	struct perf_ring *fresh;
	int err;

	if (many_writers(event) || !perf_ring_size_ok(pages))
		return -EINVAL;
	err = add_mapping(event, pages, NULL, ring);
	if (err == -ENOENT) {
		fresh = create_ring(event, pages, overwrite, user);
		if (IS_ERR(fresh))
			return PTR_ERR(fresh);
		err = add_mapping(event, pages, fresh, ring);
		if (err || *ring != fresh)
			free_ring(fresh);
	}
	if (!err)
		show_values(event);
	return err;
}

static void nothing(void *arg)
{
}

void perf_event_munmap(struct perf_event *event)
{
	unsigned long flags = spin_lock_irqsave(&perf_lock);
	struct perf_ring *ring = event->ring;
	struct perf_event *writer, *next;
	bool last = !--ring->mappings;

	event->mappings--;
	if (last)
		list_for_each_safe (writer, next, &ring->events, ring_node)
			set_ring(writer, NULL);
	spin_unlock_irqrestore(&perf_lock, flags);
	if (!last)
		return;
	/* Who found the ring before it was taken away has written when every CPU has come by. */
	smp_call(cpus_online(), nothing, NULL);
	free_ring(ring);
}

/*
 * May @event's records go where @target's go? One CPU, or one task, must write both, in the same
 * direction.
 */
static bool same_writer(const struct perf_event *event, const struct perf_event *target)
{
	return event != target && event->cpu == target->cpu && !many_writers(event) &&
	       event->attr.write_backward == target->attr.write_backward &&
	       perf_same_clock(event, target) && (event->cpu != -1 || event->ctx == target->ctx);
}

int perf_event_set_output(struct perf_event *event, struct perf_event *target)
{
	unsigned long flags = spin_lock_irqsave(&perf_lock);
	int err = 0;

	if (event->mappings || (target && (!target->ring || !same_writer(event, target))))
		err = -EINVAL;
	else
		set_ring(event, target ? target->ring : NULL);
	spin_unlock_irqrestore(&perf_lock, flags);
	return err;
}

struct pause {
	const struct perf_event *event;
	bool on;
	int err;
};

static void set_paused(void *arg)
{
	struct pause *p = arg;
	/* It is not freed while interrupts are off. */
	struct perf_ring *ring = READ_ONCE(p->event->ring);

	p->err = ring && ring->size ? 0 : -EINVAL;
	if (!p->err)
		perf_ring_pause(ring, p->on);
}

int perf_event_pause_output(struct perf_event *event, bool pause)
{
	struct pause p = {event, pause, 0};
	unsigned long flags;

	mutex_lock(&perf_mutex);
	/* Where its ring is written: by that CPU, or by that task. */
	if (event->cpu >= 0)
		smp_call(CPU_MASK(event->cpu), set_paused, &p);
	else if (event->ctx)
		perf_context_change(event->ctx, set_paused, &p);
	else {
		flags = irq_save();
		set_paused(&p);
		irq_restore(flags);
	}
	mutex_unlock(&perf_mutex);
	return p.err;
}

struct wait_queue *perf_event_waiters(struct perf_event *event)
{
	return &event->wait;
}

bool perf_event_readable(struct perf_event *event)
{
	unsigned long flags = spin_lock_irqsave(&perf_lock);
	bool readable = event->ring && perf_ring_readable(event->ring);

	spin_unlock_irqrestore(&perf_lock, flags);
	return readable;
}

bool perf_event_hung_up(struct perf_event *event)
{
	unsigned long flags = spin_lock_irqsave(&perf_lock);
	bool hung_up = !event->ring || !event->nr_live || (event->exclude & EXCLUDE_ALL);

	spin_unlock_irqrestore(&perf_lock, flags);
	return hung_up;
}
