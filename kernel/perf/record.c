/* SPDX-License-Identifier: MIT */
/* The common parts of records: the sample_id trailer, LOST, and writing one as a whole. */
#include "event.h"

static u32 nr_fields(u32 sample_type)
{
	u32 n = 0;

	for (; sample_type; sample_type &= sample_type - 1)
		n++;
	return n;
}

/* Every field is one word; of the chain that is the number of entries. */
u32 perf_sample_size(u32 sample_type)
{
	return sizeof(struct perf_event_header) +
	       nr_fields(sample_type & SAMPLE_WORDS) * sizeof(u64);
}

u32 perf_trailer_size(u32 sample_type)
{
	return nr_fields(sample_type & SAMPLE_TRAILER) * sizeof(u64);
}

static void write_trailer(struct perf_output *out, const struct perf_event *event,
			  const struct task *task, u64 now)
{
	u32 type = event->sample_type;

	if (!event->trailer_size)
		return;
	if (type & PERF_SAMPLE_TID)
		perf_output_u64(out, perf_pair(task->pid, task->tid));
	if (type & PERF_SAMPLE_TIME)
		perf_output_u64(out, perf_event_time(event, now));
	if (type & PERF_SAMPLE_ID)
		perf_output_u64(out, event->owner->id);
	if (type & PERF_SAMPLE_STREAM_ID)
		perf_output_u64(out, event->id);
	if (type & PERF_SAMPLE_CPU)
		perf_output_u64(out, perf_pair(this_cpu()->id, 0));
	if (type & PERF_SAMPLE_IDENTIFIER)
		perf_output_u64(out, event->owner->id);
}

/* Writes what has been lost; false: there is no room for that and for the @next bytes after it. */
static noinline bool write_lost(const struct perf_event *event, struct perf_ring *ring,
				const struct task *task, u32 next, u64 now)
{
	u32 size = 3 * sizeof(u64) + event->trailer_size;
	struct perf_output out;
	u64 lost;

	if (!perf_ring_fits(ring, READ_ONCE(ring->head), size + next))
		return false;
	lost = __atomic_exchange_n(&ring->lost, 0, __ATOMIC_RELAXED);
	if (!lost) /* an NMI has just told */
		return true;
	if (!perf_output_reserve(&out, ring, size)) {
		__atomic_fetch_add(&ring->lost, lost, __ATOMIC_RELAXED);
		return false;
	}
	perf_output_u64(&out, perf_header(PERF_RECORD_LOST, 0, size));
	perf_output_u64(&out, event->owner->id);
	perf_output_u64(&out, lost);
	write_trailer(&out, event, task, now);
	perf_output_end(&out);
	return true;
}

bool perf_record_begin(struct perf_output *out, const struct perf_event *event,
		       struct perf_ring *ring, const struct task *task, u32 size, u64 now)
{
	/* A gap is told before what follows it, so that the reader knows where it was. */
	if (unlikely(READ_ONCE(ring->lost)) && !write_lost(event, ring, task, size, now)) {
		perf_output_lost(ring);
		return false;
	}
	return !perf_output_begin(out, ring, size);
}

void perf_record_write_read(struct perf_event *event, const struct task *task, u64 now)
{
	struct perf_ring *ring = READ_ONCE(event->owner->ring);
	u32 values = perf_sample_read_size(event);
	u32 total = sizeof(struct perf_event_header) + sizeof(u64) + values + event->trailer_size;
	struct perf_output out;

	if (!ring || !perf_record_begin(&out, event, ring, task, total, now))
		return;
	perf_output_u64(&out, perf_header(PERF_RECORD_READ, 0, total));
	perf_output_u64(&out, perf_pair(task->pid, task->tid));
	perf_sample_write_read(&out, event, values);
	write_trailer(&out, event, task, now);
	perf_output_end(&out);
}

void perf_samples_lost(const struct perf_event *event, const struct task *task, u64 n)
{
	__atomic_fetch_add(&event->owner->lost, n, __ATOMIC_RELAXED);
	perf_record_write(event, task, PERF_RECORD_LOST_SAMPLES, 0, &n, sizeof(n), clock_ns());
}

void perf_record_write(const struct perf_event *event, const struct task *task, u32 type, u32 misc,
		       const u64 *body, u32 size, u64 now)
{
	struct perf_ring *ring = READ_ONCE(event->owner->ring);
	u32 total = sizeof(struct perf_event_header) + size + event->trailer_size;
	struct perf_output out;

	if (!ring || !perf_record_begin(&out, event, ring, task, total, now))
		return;
	perf_output_u64(&out, perf_header(type, misc, total));
	perf_output_words(&out, body, size / sizeof(u64));
	write_trailer(&out, event, task, now);
	perf_output_end(&out);
}
