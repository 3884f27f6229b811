/* SPDX-License-Identifier: MIT */
/*
 * Groups: a leader and its siblings, of one context, which count together or not at all. An event
 * by itself leads a group of one. What is enabled here is a member whose time passes: one that has
 * been enabled, and whose leader has been. Whether it also counts is the same thing where
 * everything has room; else schedule.c decides on it.
 */
#include "moves.h"

/* --- Whose time passes --- */

u16 perf_event_watch(const struct perf_event *event)
{
	bool of_task = event->ctx->task;
	u16 watch = of_task ? WATCH_TIME : 0;

	switch (event->source) {
	case PERF_SOURCE_SWITCH_COUNT:
		watch |= WATCH_COUNT;
		break;
	case PERF_SOURCE_SWITCH:
		watch |= WATCH_SWITCH;
		break;
	case PERF_SOURCE_CLOCK:
		watch |= of_task && event->sampling ? WATCH_CLOCK : 0;
		watch |= perf_clock_skips_idle(event) ? WATCH_IDLE : 0;
		break;
	case PERF_SOURCE_MOVE:
		watch |= of_task && event->sampling ? WATCH_PLACE : WATCH_MOVE;
		break;
	default:
		break;
	}
	if (event->records & RECORD_SWITCH)
		watch |= WATCH_RECORD;
	return watch;
}

static __always_inline u32 watch_of(const struct perf_event *event, bool limited)
{
	return event->watch | (limited && event->ctx->task ? WATCH_GROUP : 0);
}

/*
 * Tells the scheduler what to watch from the very next switch on, as @event comes, whose group is
 * @limited or not.
 */
static __always_inline void watch_more(const struct perf_event *event, bool limited)
{
	struct perf_context *ctx = event->ctx;
	u32 bits = watch_of(event, limited);

	perf_watch_set(ctx, bits);
	ctx->nr_on++;
	for (bits &= ~WATCH_TIME; bits; bits &= bits - 1)
		ctx->watchers[__builtin_ctz(bits)]++;
}

/* And as it goes. */
static __always_inline void watch_less(const struct perf_event *event, bool limited)
{
	struct perf_context *ctx = event->ctx;
	u32 stay = ~0U;

	for (u32 bits = watch_of(event, limited) & ~WATCH_TIME; bits; bits &= bits - 1)
		if (!--ctx->watchers[__builtin_ctz(bits)])
			stay &= ~(bits & -bits);
	if (!--ctx->nr_on)
		stay &= ~WATCH_TIME;
	perf_watch_keep(ctx, stay);
}

/* @time is that of @event's context and CPU. */
static inline int add_at(struct perf_event *event, u64 at, u64 time)
{
	int err;

	event->running_at = time;
	err = event->pmu->add(event, at);
	event->active = !err;
	return err;
}

static inline void del_at(struct perf_event *event, u64 at, u64 time)
{
	event->pmu->del(event, at);
	event->active = false;
	event->running_time += time - event->running_at;
}

static inline u64 time_at(const struct perf_event *event, u64 at)
{
	return perf_context_time(event->ctx, event->cpu, at);
}

int perf_event_add(struct perf_event *event, u64 at)
{
	return add_at(event, at, time_at(event, at));
}

void perf_event_del(struct perf_event *event, u64 at)
{
	if (event->active)
		del_at(event, at, time_at(event, at));
}

static __always_inline void turn_on(struct perf_event *event, bool limited, u64 at)
{
	struct perf_context *ctx = event->ctx;
	u64 time;

	/* The first one: until now the task was not watched. */
	if (ctx->task == current && !ctx->running)
		perf_context_in(ctx, at);
	event->on = true;
	if (unlikely(event->source == PERF_SOURCE_MOVE))
		event->start = __atomic_add_fetch(&perf_watchers.starts, 1, __ATOMIC_RELAXED);
	time = perf_context_time(ctx, -1, at);
	event->enabled_at = time;
	watch_more(event, limited);
	if (!limited)
		add_at(event, at, event->cpu < 0 ? time : time_at(event, at));
}

static __always_inline void turn_off(struct perf_event *event, bool limited, u64 at)
{
	struct perf_context *ctx = event->ctx;
	u64 time = perf_context_time(ctx, -1, at);

	if (event->active)
		del_at(event, at, event->cpu < 0 ? time : time_at(event, at));
	event->on = false;
	event->enabled_time += time - event->enabled_at;
	watch_less(event, limited);
	if (ctx->running && !(*ctx->watch & WATCH_ANY))
		perf_context_out(ctx, this_cpu(), at);
}

static __always_inline void turn(struct perf_event *event, bool on, bool limited, u64 at)
{
	if (on == event->on)
		return;
	if (on)
		turn_on(event, limited, at);
	else
		turn_off(event, limited, at);
}

static void update(struct perf_event *event, u64 at)
{
	const struct perf_event *leader = event->leader;

	turn(event, event->enabled && leader->enabled && !leader->failed, leader->limited, at);
}

void perf_group_apply(struct perf_event *event, u64 at)
{
	struct perf_event *sibling;

	update(event, at);
	if (event == event->leader)
		list_for_each (sibling, &event->group, group)
			update(sibling, at);
}

static noinline void update_group(struct perf_event *event, u64 at)
{
	struct perf_event *leader = event->leader;
	/* Siblings may leave the context of a task that has ended after their leader. */
	bool limited = unlikely(leader->limited) && leader->ctx;

	if (limited)
		perf_schedule_remove(leader, at);
	perf_group_apply(event, at);
	if (limited)
		perf_schedule_insert(leader, at);
}

void perf_group_update(struct perf_event *event, u64 at)
{
	if (perf_event_is_single(event))
		turn(event, event->enabled && !event->failed, false, at);
	else
		update_group(event, at);
}

void perf_single_on(struct perf_event *event, u64 at)
{
	turn_on(event, false, at);
}

void perf_single_off(struct perf_event *event, u64 at)
{
	turn_off(event, false, at);
}

/* --- Who belongs together --- */

int perf_group_check(const struct perf_event *leader, const struct perf_event *event,
		     const struct perf_context *ctx)
{
	if (leader->leader != leader || leader->ctx != ctx || leader->cpu != event->cpu)
		return -EINVAL;
	if (!perf_same_clock(leader, event))
		return -EINVAL;
	/* What of a group is everywhere has to be in all of it. */
	if (leader->attr.inherit != event->attr.inherit ||
	    leader->attr.inherit_thread != event->attr.inherit_thread ||
	    leader->attr.remove_on_exec != event->attr.remove_on_exec)
		return -EINVAL;
	if (event->attr.pinned || event->attr.exclusive)
		return -EINVAL;
	if (event->pmu->limited && leader->limited && leader->limited != event->pmu)
		return -EINVAL;
	return 0;
}

/* From now on room in @pmu decides on the group; NULL: nothing does. */
static void set_limited(struct perf_event *leader, struct perf_pmu *pmu)
{
	bool enabled = leader->enabled;
	u64 at = clock_cycles();

	leader->enabled = false;
	perf_group_update(leader, at);
	leader->limited = pmu;
	leader->enabled = enabled;
	perf_group_update(leader, at);
}

void perf_group_join(struct perf_event *event)
{
	struct perf_event *leader = event->leader;

	if (unlikely(event != leader)) {
		list_add_tail(&event->group, &leader->group);
		leader->nr_siblings++;
		leader->private = false;
	}
	if (event->pmu->limited && !leader->limited)
		set_limited(leader, event->pmu);
}

/* Of what unit is the group, if of a limited one? */
static struct perf_pmu *limited_pmu(const struct perf_event *leader)
{
	const struct perf_event *sibling;

	if (leader->pmu->limited)
		return leader->pmu;
	list_for_each (sibling, &leader->group, group)
		if (sibling->pmu->limited)
			return sibling->pmu;
	return NULL;
}

/* @sibling goes on by itself. */
static void break_off(struct perf_event *sibling)
{
	struct perf_event *leader = sibling->leader;

	list_del_init(&sibling->group);
	leader->nr_siblings--;
	sibling->leader = sibling;
	sibling->limited = limited_pmu(sibling);
}

void perf_group_leave(struct perf_event *event)
{
	struct perf_event *leader = event->leader, *sibling, *next;

	if (event != leader) {
		break_off(event);
		if (leader->ctx && leader->limited != limited_pmu(leader))
			set_limited(leader, limited_pmu(leader));
		leader->limited = limited_pmu(leader);
		return;
	}
	list_for_each_safe (sibling, next, &event->group, group) {
		break_off(sibling);
		if (sibling->ctx)
			perf_group_update(sibling, clock_cycles());
	}
}
