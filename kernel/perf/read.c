/* SPDX-License-Identifier: MIT */
/* The values of events: of one, of all its copies, of a group; for read() and in samples. */
#include <hotregs/mm.h>

#include "event.h"

/* Value and times, in cycles, of @event at clock_cycles() @at, since it was opened rather than
 * since its last reset. */
static inline u64 raw_share(struct perf_event *event, u64 *on, u64 *active, u64 at)
{
	u64 idle = event->idle_time;

	*on = event->enabled_time;
	*active = event->running_time;
	if (event->on)
		*on += perf_context_time(event->ctx, -1, at) - event->enabled_at;
	if (event->active) {
		*active += perf_context_time(event->ctx, event->cpu, at) - event->running_at;
		if (unlikely(event->pmu->read))
			event->pmu->read(event);
		if (unlikely(perf_clock_skips_idle(event)))
			idle += perf_context_idle(event->ctx, at) - event->idle_at;
	}
	if (event->clock && !event->sampling)
		return clock_span_ns(*active - idle);
	return event->count + event->pending;
}

/* The same with times in ns. */
static u64 raw_value(struct perf_event *event, u64 *enabled, u64 *running, u64 at)
{
	u64 on, active, value = raw_share(event, &on, &active, at);

	*enabled = clock_span_ns(on);
	*running = clock_span_ns(active);
	return value;
}

static u64 own_value(struct perf_event *event, u64 *enabled, u64 *running, u64 at)
{
	return raw_value(event, enabled, running, at) - event->base;
}

u64 perf_event_own(struct perf_event *event, u64 *enabled, u64 *running)
{
	return own_value(event, enabled, running, clock_cycles());
}

/* --- What a task has counted, wherever its events have been --- */

struct perf_share perf_event_share(struct perf_event *event, u64 at)
{
	const struct perf_share *elsewhere = &event->elsewhere;
	struct perf_share s;

	s.value = raw_share(event, &s.enabled, &s.running, at) - event->base + elsewhere->value;
	s.enabled += elsewhere->enabled;
	s.running += elsewhere->running;
	return s;
}

static void move_share(struct perf_event *event, const struct perf_share *from,
		       const struct perf_share *to)
{
	event->elsewhere.value += to->value - from->value;
	event->elsewhere.enabled += to->enabled - from->enabled;
	event->elsewhere.running += to->running - from->running;
}

void perf_event_swap_shares(struct perf_event *a, struct perf_event *b, u64 at)
{
	const struct perf_share of_a = perf_event_share(a, at), of_b = perf_event_share(b, at);

	move_share(a, &of_a, &of_b);
	move_share(b, &of_b, &of_a);
}

/* --- One event --- */

struct reading {
	struct perf_event *event;
	u64 value, enabled, running; /* sums */
};

static void read_one(void *arg)
{
	struct reading *r = arg;
	u64 enabled, running;

	r->value += perf_event_own(r->event, &enabled, &running);
	r->enabled += enabled;
	r->running += running;
}

/* Calls @func(@arg) where @event may be read. perf_mutex held. */
static void visit(const struct perf_event *event, void (*func)(void *arg), void *arg)
{
	if (event->ctx)
		perf_context_change(event->ctx, func, arg);
	else
		func(arg);
}

static u64 read_all(struct perf_event *event, u64 *enabled, u64 *running)
{
	struct reading r = {event, event->gone_value, event->gone_enabled, event->gone_running};
	struct perf_event *child;

	visit(event, read_one, &r);
	list_for_each (child, &event->children, child_node) {
		r.event = child;
		visit(child, read_one, &r);
	}
	*enabled = r.enabled;
	*running = r.running;
	return r.value;
}

u64 perf_event_read(struct perf_event *event, u64 *enabled, u64 *running)
{
	u64 value, times[2];

	mutex_lock(&perf_mutex);
	value = read_all(event, &times[0], &times[1]);
	mutex_unlock(&perf_mutex);
	if (enabled)
		*enabled = times[0];
	if (running)
		*running = times[1];
	return value;
}

static void reset(void *arg)
{
	struct perf_event *event = arg;
	u64 enabled, running;

	event->base = raw_value(event, &enabled, &running, clock_cycles());
	event->gone_value = 0;
	event->elsewhere.value = 0;
	/* From one that is to be reset next nothing may come back. */
	if (event->ctx && event->ctx->nr_stat)
		event->ctx->family = 0;
	perf_output_update_page(event);
}

/* The value becomes 0; times and identity stay. */
void perf_event_reset(struct perf_event *event)
{
	perf_event_apply(event, reset, false);
}

void perf_group_reset(struct perf_event *event)
{
	perf_event_apply(event, reset, true);
}

/* --- As PERF_FORMAT_* asks for it --- */

static u64 lost_of(const struct perf_event *event)
{
	return __atomic_load_n(&event->owner->lost, __ATOMIC_RELAXED);
}

u32 perf_event_read_words(struct perf_event *event, u64 words[PERF_READ_WORDS_MAX])
{
	u64 format = event->attr.read_format, enabled, running;
	u32 n = 0;

	words[n++] = perf_event_read(event, &enabled, &running);
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		words[n++] = enabled;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		words[n++] = running;
	if (format & PERF_FORMAT_ID)
		words[n++] = event->id;
	if (format & PERF_FORMAT_LOST)
		words[n++] = lost_of(event);
	return n;
}

/* Words before the members, and of each member, of a group. */
static u32 head_words(u64 format)
{
	return 1 + !!(format & PERF_FORMAT_TOTAL_TIME_ENABLED) +
	       !!(format & PERF_FORMAT_TOTAL_TIME_RUNNING);
}

static u32 member_words(u64 format)
{
	return 1 + !!(format & PERF_FORMAT_ID) + !!(format & PERF_FORMAT_LOST);
}

struct group_reading {
	struct perf_event *leader; /* of the copies that are read next */
	u64 enabled, running;      /* sums */
	u64 *member;               /* words of the leader, and then of each sibling */
	u32 stride;                /* of each */
};

static void read_group(void *arg)
{
	struct group_reading *r = arg;
	u64 at = clock_cycles(), enabled, running;
	struct perf_event *sibling;

	r->member[0] += own_value(r->leader, &enabled, &running, at);
	r->enabled += enabled;
	r->running += running;
	list_for_each (sibling, &r->leader->group, group)
		r->member[sibling->owner->slot * r->stride] +=
		    own_value(sibling, &enabled, &running, at);
}

/* What does not change any more of each member's value, and what does not change at all. */
static void begin_group(struct group_reading *r, u64 format)
{
	struct perf_event *sibling = r->leader;
	u64 *w = r->member;
	u32 slot = 0;

	do {
		sibling->slot = slot++;
		w[0] = sibling->gone_value;
		if (format & PERF_FORMAT_ID)
			w[1] = sibling->id;
		if (format & PERF_FORMAT_LOST)
			w[r->stride - 1] = lost_of(sibling);
		w += r->stride;
		sibling = list_first(sibling == r->leader ? &r->leader->group : &sibling->group,
				     struct perf_event, group);
	} while (list_node(sibling, group) != &r->leader->group);
}

static void fill_group(struct perf_event *leader, u64 format, u64 *words)
{
	struct group_reading r = {.leader = leader,
				  .enabled = leader->gone_enabled,
				  .running = leader->gone_running,
				  .member = words + head_words(format),
				  .stride = member_words(format)};
	struct perf_event *child;
	u32 n = 0;

	begin_group(&r, format);
	visit(leader, read_group, &r);
	list_for_each (child, &leader->children, child_node) {
		r.leader = child;
		visit(child, read_group, &r);
	}
	words[n++] = 1 + leader->nr_siblings;
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		words[n++] = r.enabled;
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		words[n++] = r.running;
}

int perf_event_read_group(struct perf_event *event, u64 **words)
{
	u64 format = event->attr.read_format;
	struct perf_event *leader;
	int n;

	mutex_lock(&perf_mutex);
	leader = event->leader;
	n = head_words(format) + (1 + leader->nr_siblings) * member_words(format);
	*words = kmalloc(n * sizeof(u64));
	if (*words)
		fill_group(leader, format, *words);
	mutex_unlock(&perf_mutex);
	return *words ? n : -ENOMEM;
}

bool perf_event_failed(const struct perf_event *event)
{
	return READ_ONCE(event->failed);
}

/* --- In a sample: of its task alone, on its CPU --- */

u32 perf_sample_read_size(const struct perf_event *event)
{
	u64 format = event->attr.read_format;
	const struct perf_event *sibling;
	u32 members = 1;

	if (!(format & PERF_FORMAT_GROUP))
		return (head_words(format) + member_words(format) - 1) * sizeof(u64);
	list_for_each (sibling, &event->leader->group, group)
		members++;
	return (head_words(format) + members * member_words(format)) * sizeof(u64);
}

static void write_member(struct perf_output *out, const struct perf_event *event, u64 value,
			 u64 format)
{
	perf_output_u64(out, value);
	if (format & PERF_FORMAT_ID)
		perf_output_u64(out, event->owner->id);
	if (format & PERF_FORMAT_LOST)
		perf_output_u64(out, lost_of(event));
}

static void write_times(struct perf_output *out, const struct perf_share *share, u64 format)
{
	if (format & PERF_FORMAT_TOTAL_TIME_ENABLED)
		perf_output_u64(out, clock_span_ns(share->enabled));
	if (format & PERF_FORMAT_TOTAL_TIME_RUNNING)
		perf_output_u64(out, clock_span_ns(share->running));
}

static void write_group(struct perf_output *out, struct perf_event *leader, u32 size, u64 format)
{
	u64 at = clock_cycles();
	struct perf_share share = perf_event_share(leader, at);
	struct perf_event *sibling;

	perf_output_u64(out, (size / sizeof(u64) - head_words(format)) / member_words(format));
	write_times(out, &share, format);
	write_member(out, leader, share.value, format);
	list_for_each (sibling, &leader->group, group) {
		share = perf_event_share(sibling, at);
		write_member(out, sibling, share.value, format);
	}
}

void perf_sample_write_read(struct perf_output *out, struct perf_event *event, u32 size)
{
	u64 format = event->attr.read_format;
	struct perf_share share;

	if (format & PERF_FORMAT_GROUP) {
		write_group(out, event->leader, size, format);
		return;
	}
	share = perf_event_share(event, clock_cycles());
	perf_output_u64(out, share.value);
	write_times(out, &share, format);
	if (format & PERF_FORMAT_ID)
		perf_output_u64(out, event->owner->id);
	if (format & PERF_FORMAT_LOST)
		perf_output_u64(out, lost_of(event));
}
