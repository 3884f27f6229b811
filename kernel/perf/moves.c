/* SPDX-License-Identifier: MIT */
/*
 * cpu-migrations (contract C2). The place that decides on a move may be on anybody's stack, and
 * only the moved task's run-queue lock is held there. It is captured, and waits with the task until
 * that runs: the sample is the moved task's, whose memory is loaded then, and is written by the CPU
 * that it runs on. Only events of the task that count are told at once.
 */
#include <hotregs/mm.h>
#include <hotregs/sched.h>
#include <hotregs/string.h>

#include "event.h"

#include <arch/irq.h>
#include <arch/regs.h>

#define CPU_MOVES 64 /* of tasks that were moved to one CPU and have not run there yet */

/* Room for captured places: a context's. */
struct perf_moves {
	u64 free;  /* by bit; atomic: any CPU takes and returns */
	u64 lost;  /* moves that found none; atomic */
	u32 pages; /* of a CPU's; 0: a task's */
	struct perf_move move[];
};

/* Events that show the chain of a place, or whose handlers may. Under perf_lock. */
static u32 nr_chain_events;

noinline void migrated_by_other_context(void)
{
	/* Room for an address inside: as callers are called, behind an instruction. */
	(void)READ_ONCE(nr_cpus);
}

u64 perf_move_marker(void)
{
	return (unsigned long)migrated_by_other_context + 4;
}

/* --- Room --- */

static inline bool wants_chain(const struct perf_event *event)
{
	perf_overflow_handler_t handler = event->limited_handler ?: event->handler;

	return event->sample_type & PERF_SAMPLE_CALLCHAIN ||
	       (handler && handler != perf_sample_write_state);
}

int perf_moves_alloc(const struct perf_event *event, bool of_task, struct perf_moves **result)
{
	u32 nr = of_task ? MOVES_MAX : CPU_MOVES;
	size_t size = sizeof(struct perf_moves) + nr * sizeof(struct perf_move);
	u32 pages = of_task ? 0 : (size + PAGE_SIZE - 1) / PAGE_SIZE;
	struct perf_moves *moves;

	*result = NULL;
	if (!perf_moves_needed(event, of_task))
		return 0;
	moves = of_task ? kzalloc(size) : vmap_alloc(pages);
	if (!moves)
		return -ENOMEM;
	moves->pages = pages;
	moves->free = UINT64_MAX >> (64 - nr);
	for (u32 i = 0; i < nr; i++) {
		moves->move[i].home = moves;
		moves->move[i].bit = 1ULL << i;
	}
	*result = moves;
	return 0;
}

static struct perf_move *take(struct perf_moves *moves)
{
	u64 free = __atomic_load_n(&moves->free, __ATOMIC_RELAXED);

	while (free) {
		u64 left = free & (free - 1);

		if (__atomic_compare_exchange_n(&moves->free, &free, left, true, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return &moves->move[__builtin_ctzll(free)];
	}
	return NULL;
}

static inline void give_back(struct perf_move *move)
{
	__atomic_fetch_or(&move->home->free, move->bit, __ATOMIC_RELEASE);
}

/* Takes all places off @task. Its run-queue lock held. */
static void drop(struct task *task)
{
	struct perf_move *move = task->moves, *next;

	task->moves = NULL;
	for (; move; move = next) {
		next = move->next;
		give_back(move);
	}
}

/* Room for a move of @task to CPU @to; NULL: nobody samples it. Its run-queue lock held. */
static inline struct perf_moves *room_for(const struct task *task, u32 to)
{
	if (task->perf_active & WATCH_PLACE)
		return task->perf->ctx.moves;
	if (READ_ONCE(cpus[to].perf_active) & WATCH_MOVE)
		return READ_ONCE(cpus[to].perf->ctx.moves);
	return NULL;
}

static void lose_place(struct perf_moves *moves, u32 n)
{
	__atomic_fetch_add(&moves->lost, n, __ATOMIC_RELAXED);
}

/* A copy of @move in @moves, or NULL: none is left. */
static struct perf_move *copy_to(struct perf_moves *moves, const struct perf_move *move)
{
	struct perf_move *copy = take(moves);

	if (!copy) {
		lose_place(moves, move->count);
		return NULL;
	}
	copy->next = move->next;
	copy->time = move->time;
	copy->count = move->count;
	copy->nr = move->nr;
	copy->foreign = move->foreign;
	copy->has_chain = move->has_chain;
	hot_regs_copy(&copy->regs, &move->regs);
	memcpy(copy->ip, move->ip, move->nr * sizeof(copy->ip[0]));
	return copy;
}

/*
 * Takes the places in @home, which is to go, off @task. A task may have been moved on, and others
 * wait for all of its moves: theirs they become. Its run-queue lock held.
 */
static void leave_home(struct task *task, const struct perf_moves *home)
{
	struct perf_moves *other = room_for(task, task_destination(task));
	struct perf_move **link = &task->moves, *move, *copy;

	while ((move = *link)) {
		if (move->home == home) {
			copy = other ? copy_to(other, move) : NULL;
			*link = copy ?: move->next;
			give_back(move);
			if (!copy)
				continue;
			move = copy;
		}
		link = &move->next;
	}
}

void perf_moves_use(const struct perf_event *event, struct perf_context *ctx,
		    struct perf_moves **moves)
{
	ctx->nr_moves++;
	WRITE_ONCE(nr_chain_events, nr_chain_events + wants_chain(event));
	if (ctx->moves)
		return;
	WRITE_ONCE(ctx->moves, *moves);
	*moves = NULL;
}

struct perf_moves *perf_moves_unuse(const struct perf_event *event, struct perf_context *ctx)
{
	struct perf_moves *moves = ctx->moves;

	WRITE_ONCE(nr_chain_events, nr_chain_events - wants_chain(event));
	if (--ctx->nr_moves)
		return NULL;
	WRITE_ONCE(ctx->moves, NULL);
	if (ctx->task)
		leave_home(ctx->task, moves);
	return moves;
}

/*
 * No task refers to what was captured for a CPU any more. Who takes a place has the task's lock, or
 * had it before and is seen to have taken: so when all locks have been had nobody is about to.
 */
static void leave_home_everywhere(const struct perf_moves *moves)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	struct task *task;

	list_for_each (task, &task_list, all_node) {
		unsigned long off;
		struct cpu *cpu = task_rq_lock(task, &off);

		leave_home(task, moves);
		task_rq_unlock(cpu, off);
	}
	spin_unlock_irqrestore(&task_list_lock, flags);
}

void perf_moves_free(struct perf_moves *moves)
{
	if (!moves)
		return;
	if (!moves->pages) {
		kfree(moves);
		return;
	}
	leave_home_everywhere(moves);
	vmap_free(moves, moves->pages);
}

/* --- The decision --- */

/* Counts for those events of a task that do not sample. */
static void count(struct perf_context *ctx, const struct task *task, u32 to, struct pt_regs *regs)
{
	struct perf_event *event;

	list_for_each (event, &ctx->active[PERF_SOURCE_MOVE], active_node)
		if (!event->sampling && perf_event_on(event, &cpus[to]) &&
		    perf_policy(event, task, regs, NULL))
			event->pending++;
}

/* A place for @task's next move, the last one again when it has many; NULL: none is left. */
static struct perf_move *next_move(struct task *task, struct perf_moves *moves)
{
	struct perf_move **link = &task->moves, *last = NULL;
	unsigned n = 0;

	for (; *link; link = &last->next, n++)
		last = *link;
	if (n == MOVES_MAX)
		return last;
	last = take(moves);
	if (!last) {
		lose_place(moves, 1);
		return NULL;
	}
	last->next = NULL;
	last->count = 0;
	*link = last;
	return last;
}

static void capture(struct perf_move *move, const struct pt_regs *regs, bool foreign)
{
	struct callchain chain = {move->ip, 0, MOVE_DEPTH - foreign};

	move->time = clock_ns();
	move->count++;
	move->foreign = foreign;
	move->nr = 0;
	move->has_chain = READ_ONCE(nr_chain_events);
	hot_regs_copy(&move->regs, regs);
	if (!move->has_chain)
		return;
	perf_callchain_kernel(&chain, regs);
	move->nr = chain.nr;
	if (foreign)
		move->ip[move->nr++] = perf_move_marker();
}

void perf_sched_migrate(struct task *task, u32 to, struct pt_regs *regs, bool foreign)
{
	struct perf_moves *moves = room_for(task, to);
	struct perf_move *move;

	if (task->perf_active & WATCH_MOVE)
		count(&task->perf->ctx, task, to, regs);
	if (!moves) {
		/* Where it goes now nobody wants to know where it came from. */
		drop(task);
		return;
	}
	move = next_move(task, moves);
	if (move)
		capture(move, regs, foreign);
}

/* --- When the task runs --- */

/* Had @event begun when it was decided? An event that is just being opened has not. */
static inline bool had_begun(const struct perf_event *event, const struct perf_move *move)
{
	return move->time >= event->started && (move->has_chain || !wants_chain(event));
}

/* Is @event told here, not at the decision? */
static bool told_now(const struct perf_event *event, const struct cpu *cpu)
{
	return (event->sampling || !event->ctx->task) && perf_event_on(event, cpu);
}

static __always_inline void strike(struct perf_context *ctx, const struct cpu *cpu,
				   struct perf_move *move, u64 now)
{
	struct perf_event *event;

	list_for_each (event, &ctx->active[PERF_SOURCE_MOVE], active_node)
		if (told_now(event, cpu) && had_begun(event, move))
			perf_strike(event, cpu, move->count, &move->regs, now);
}

void perf_moves_strike(const struct cpu *cpu, struct task *task, u64 now)
{
	struct perf_move *move = task->moves, *next;

	task->moves = NULL;
	for (; move; move = next) {
		next = move->next;
		if (task->perf_active & WATCH_PLACE)
			strike(&task->perf->ctx, cpu, move, now);
		if (cpu->perf_active & WATCH_MOVE)
			strike(&cpu->perf->ctx, cpu, move, now);
		give_back(move);
	}
}

/*
 * @n moves have been made, at last of @task, at the latest at @time, that nobody can sample:
 * counted they are.
 */
static void lose_all(struct perf_context *ctx, const struct cpu *cpu, const struct task *task,
		     u64 n, u64 time)
{
	struct perf_event *event;

	list_for_each (event, &ctx->active[PERF_SOURCE_MOVE], active_node) {
		if (!told_now(event, cpu) || time < event->started)
			continue;
		if (event->sampling)
			perf_samples_lost(event, task, n);
		else if (perf_policy(event, cpu->running, (struct pt_regs *)&cpu->hot_regs, NULL))
			event->pending += n;
	}
}

void perf_moves_tell_lost(const struct cpu *cpu)
{
	struct perf_context *ctx = &cpu->perf->ctx;

	if (unlikely(__atomic_load_n(&ctx->moves->lost, __ATOMIC_RELAXED)))
		lose_all(ctx, cpu, current,
			 __atomic_exchange_n(&ctx->moves->lost, 0, __ATOMIC_RELAXED), UINT64_MAX);
}

void perf_moves_dead(struct task *task)
{
	unsigned long flags;
	struct cpu *cpu = task_rq_lock(task, &flags);

	for (const struct perf_move *move = task->moves; move; move = move->next) {
		if (task->perf_active & WATCH_PLACE)
			lose_all(&task->perf->ctx, cpu, task, move->count, move->time);
		if (cpu->perf_active & WATCH_MOVE)
			lose_all(&cpu->perf->ctx, cpu, task, move->count, move->time);
	}
	drop(task);
	task_rq_unlock(cpu, flags);
}
