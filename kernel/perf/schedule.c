/* SPDX-License-Identifier: MIT */
/*
 * Which groups have counters, where there are not enough for all. On each CPU they are given out in
 * this order: to pinned groups of the CPU, to pinned ones of the running task, then to the flexible
 * ones of the CPU and of the task. A group gets all that it needs or nothing, in which case those
 * after it are tried. A pinned one that gets nothing has failed, until it is enabled again. The
 * flexible ones of a context take turns: as long as one of them waits, the first becomes the last
 * every SHARE_NS of the context's time.
 *
 * All of this runs where a context may be changed: on its CPU, interrupts off, run-queue lock held.
 */
#include "event.h"

#define SHARE_NS 4000000ULL

/* Who comes first; what a change at one level leaves to the later ones may change. */
enum level { CPU_PINNED, TASK_PINNED, CPU_FLEXIBLE, TASK_FLEXIBLE, NR_LEVELS };

static struct list_head *groups_of(struct perf_context *ctx, bool pinned)
{
	return pinned ? &ctx->pinned : &ctx->flexible;
}

/* The context whose groups @level is about; NULL: there is none here now. */
static struct perf_context *level_context(const struct cpu *cpu, enum level level)
{
	bool of_task = level == TASK_PINNED || level == TASK_FLEXIBLE;

	return of_task ? cpu->perf->task_ctx : &cpu->perf->ctx;
}

static enum level level_of(const struct perf_event *leader)
{
	if (leader->attr.pinned)
		return leader->ctx->task ? TASK_PINNED : CPU_PINNED;
	return leader->ctx->task ? TASK_FLEXIBLE : CPU_FLEXIBLE;
}

/* --- One group --- */

static void group_out(struct perf_event *leader, const struct cpu *cpu, u64 at)
{
	struct perf_event *sibling;

	if (!leader->scheduled)
		return;
	leader->scheduled = false;
	perf_event_del(leader, at);
	list_for_each (sibling, &leader->group, group)
		perf_event_del(sibling, at);
	leader->limited->cpu[cpu->id].groups--;
	leader->limited->cpu[cpu->id].exclusive = false;
}

static int add_all(struct perf_event *leader, u64 at)
{
	struct perf_event *sibling;
	int err = perf_event_add(leader, at);

	list_for_each (sibling, &leader->group, group)
		if (!err && sibling->on)
			err = perf_event_add(sibling, at);
	return err;
}

/* All of the group that is enabled, or nothing: false. */
static bool group_in(struct perf_event *leader, const struct cpu *cpu, u64 at)
{
	struct perf_pmu *pmu = leader->limited;
	u32 others = pmu->cpu[cpu->id].groups;

	if (pmu->cpu[cpu->id].exclusive || (others && leader->attr.exclusive))
		return false;
	leader->scheduled = true;
	pmu->cpu[cpu->id].groups = others + 1;
	pmu->cpu[cpu->id].exclusive = leader->attr.exclusive;
	if (!add_all(leader, at))
		return true;
	group_out(leader, cpu, at);
	return false;
}

/* --- All that are here --- */

static void level_out(const struct cpu *cpu, enum level level, u64 at)
{
	struct perf_context *ctx = level_context(cpu, level);
	struct perf_event *leader;

	if (!ctx)
		return;
	list_for_each (leader, groups_of(ctx, level < CPU_FLEXIBLE), sched_node)
		group_out(leader, cpu, at);
}

/* @leader is pinned and can not have what it needs. */
static void fail(struct perf_event *leader, u64 at)
{
	leader->failed = true;
	perf_group_apply(leader, at);
	list_del_init(&leader->sched_node);
}

static void level_in(const struct cpu *cpu, enum level level, u64 at)
{
	struct perf_context *ctx = level_context(cpu, level);
	bool pinned = level < CPU_FLEXIBLE;
	struct perf_event *leader, *next;

	if (!ctx)
		return;
	if (!pinned)
		ctx->waiting = false;
	list_for_each_safe (leader, next, groups_of(ctx, pinned), sched_node) {
		if (!perf_event_on(leader, cpu) || group_in(leader, cpu, at))
			continue;
		if (pinned)
			fail(leader, at);
		else
			ctx->waiting = true;
	}
}

/* The timer runs exactly while there is something to wait for. */
static void update_turns(struct perf_context *ctx, u64 at)
{
	if (ctx->waiting == ctx->turning)
		return;
	ctx->turning = ctx->waiting;
	if (ctx->waiting)
		timer_arm(&ctx->turn, clock_cycles_to_ns(at) + ctx->turn_left);
	else
		timer_cancel(&ctx->turn);
	ctx->turn_left = SHARE_NS;
}

/* Gives out anew what those from @first on have. */
static void schedule_from(const struct cpu *cpu, enum level first, u64 at)
{
	struct perf_context *ctx = cpu->perf->task_ctx;

	for (enum level level = first; level < NR_LEVELS; level++)
		level_out(cpu, level, at);
	for (enum level level = first; level < NR_LEVELS; level++)
		level_in(cpu, level, at);
	update_turns(&cpu->perf->ctx, at);
	if (!ctx)
		return;
	update_turns(ctx, at);
	/* Its switches may not be watched any more. */
	if (list_empty(&ctx->pinned) && list_empty(&ctx->flexible))
		cpu->perf->task_ctx = NULL;
}

/* Has @leader's context groups on this CPU? */
static bool is_here(const struct perf_context *ctx, const struct cpu *cpu)
{
	return ctx == &cpu->perf->ctx || ctx == cpu->perf->task_ctx;
}

void perf_schedule_remove(struct perf_event *leader, u64 at)
{
	group_out(leader, this_cpu(), at);
}

void perf_schedule_insert(struct perf_event *leader, u64 at)
{
	struct perf_context *ctx = leader->ctx;
	const struct cpu *cpu = this_cpu();
	bool queued = !list_empty(&leader->sched_node);

	if (leader->on && !queued)
		list_add_tail(&leader->sched_node, groups_of(ctx, leader->attr.pinned));
	else if (!leader->on && queued)
		list_del_init(&leader->sched_node);
	if (ctx->task == current && ctx->running)
		cpu->perf->task_ctx = ctx;
	if (is_here(ctx, cpu))
		schedule_from(cpu, level_of(leader), at);
}

/* --- Switches and turns --- */

bool perf_schedule_out(const struct cpu *cpu, u64 at)
{
	struct perf_context *ctx = cpu->perf->task_ctx;
	u64 now;

	if (!ctx)
		return false;
	level_out(cpu, TASK_PINNED, at);
	level_out(cpu, TASK_FLEXIBLE, at);
	if (ctx->turning) {
		now = clock_cycles_to_ns(at);
		ctx->turn_left = ctx->turn.expires > now ? ctx->turn.expires - now : 1;
		timer_cancel(&ctx->turn);
		ctx->turning = false;
	}
	cpu->perf->task_ctx = NULL;
	return !list_empty(&ctx->pinned);
}

void perf_schedule_in(const struct cpu *cpu, struct perf_context *ctx, bool had_pinned, u64 at)
{
	bool pinned = had_pinned || (ctx && !list_empty(&ctx->pinned));

	/* What pinned groups take, the CPU's flexible ones have not; else those stay as they are.
	 */
	cpu->perf->task_ctx = ctx;
	schedule_from(cpu, pinned ? TASK_PINNED : TASK_FLEXIBLE, at);
}

static void turn(struct timer *timer, struct pt_regs *regs)
{
	struct perf_context *ctx = container_of(timer, struct perf_context, turn);
	struct cpu *cpu = this_cpu();
	struct perf_event *leader;
	u64 at = clock_cycles();

	/* Another CPU may be about to move the task, and then looks at its events. */
	spin_lock(&cpu->rq.lock);
	ctx->turning = false;
	ctx->turn_left = SHARE_NS;
	list_for_each (leader, &ctx->flexible, sched_node)
		if (perf_event_on(leader, cpu))
			break;
	if (list_node(leader, sched_node) != &ctx->flexible) {
		list_del(&leader->sched_node);
		list_add_tail(&leader->sched_node, &ctx->flexible);
	}
	schedule_from(cpu, ctx->task ? TASK_FLEXIBLE : CPU_FLEXIBLE, at);
	spin_unlock(&cpu->rq.lock);
}

void perf_schedule_init(struct perf_context *ctx)
{
	list_init(&ctx->pinned);
	list_init(&ctx->flexible);
	timer_init(&ctx->turn, turn);
	ctx->turn_left = SHARE_NS;
}
