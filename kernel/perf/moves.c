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

#include "moves.h"
#include "strike.h"

#include <arch/irq.h>
#include <arch/regs.h>

#define CPU_MOVES 64 /* of tasks that were moved to one CPU and have not run there yet */

/* Room for captured places: a context's. */
struct perf_moves {
	u32 free[2]; /* CPU_MOVES, by bit; atomic: any CPU takes and returns */
	u64 lost;    /* moves that found none; atomic */
	u32 pages;   /* of a CPU's; 0: a task's */
	struct perf_move move[];
};

_Static_assert(CPU_MOVES <= 2 * 32, "a bit for each");

struct perf_watchers perf_watchers;

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

/* Number @i of @moves is free. Its chain always begins in the same way. */
static void init(struct perf_move *move, struct perf_moves *moves, u32 i)
{
	move->home = moves;
	move->free = &moves->free[i / 32];
	move->bit = BIT(i % 32);
	*move->free |= move->bit;
	move->chain.ip = move->ip;
	move->chain.max = 1 + MOVE_DEPTH;
	move->ip[0] = PERF_CONTEXT_KERNEL;
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
	for (u32 i = 0; i < nr; i++)
		init(&moves->move[i], moves, i);
	*result = moves;
	return 0;
}

static inline struct perf_move *take_of(struct perf_moves *moves, u32 word)
{
	u32 free = __atomic_load_n(&moves->free[word], __ATOMIC_RELAXED);

	while (likely(free))
		if (likely(__atomic_compare_exchange_n(&moves->free[word], &free, free & (free - 1),
						       true, __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)))
			return &moves->move[32 * word + __builtin_ctz(free)];
	return NULL;
}

static inline struct perf_move *take(struct perf_moves *moves)
{
	return take_of(moves, 0) ?: take_of(moves, 1);
}

static inline void give_back(struct perf_move *move)
{
	__atomic_fetch_or(move->free, move->bit, __ATOMIC_RELEASE);
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
	copy->starts = move->starts;
	copy->count = move->count;
	copy->foreign = move->foreign;
	hot_regs_copy(&copy->regs, &move->regs);
	copy->chain.nr = move->chain.nr;
	memcpy(copy->ip, move->ip, move->chain.nr * sizeof(copy->ip[0]));
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
	WRITE_ONCE(perf_watchers.nr_chains, perf_watchers.nr_chains + wants_chain(event));
	if (ctx->moves)
		return;
	WRITE_ONCE(ctx->moves, *moves);
	*moves = NULL;
}

struct perf_moves *perf_moves_unuse(const struct perf_event *event, struct perf_context *ctx)
{
	struct perf_moves *moves = ctx->moves;

	WRITE_ONCE(perf_watchers.nr_chains, perf_watchers.nr_chains - wants_chain(event));
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
static noinline void count(struct perf_context *ctx, const struct task *task, u32 to,
			   struct pt_regs *regs)
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
	if (unlikely(n == MOVES_MAX)) {
		last->count++;
		return last;
	}
	last = take(moves);
	if (unlikely(!last)) {
		lose_place(moves, 1);
		return NULL;
	}
	last->next = NULL;
	last->count = 1;
	*link = last;
	return last;
}

static void capture(struct perf_move *move, const struct pt_regs *regs, bool foreign)
{
	struct callchain *chain = &move->chain;

	move->starts = __atomic_load_n(&perf_watchers.starts, __ATOMIC_RELAXED);
	move->foreign = foreign;
	hot_regs_copy(&move->regs, regs);
	if (!READ_ONCE(perf_watchers.nr_chains)) {
		chain->nr = 0;
		return;
	}
	chain->nr = 1;
	perf_callchain_kernel(chain, regs);
	if (move->foreign)
		move->ip[chain->nr++] = perf_move_marker();
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
	return event->start <= move->starts && (move->chain.nr || !wants_chain(event));
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
			perf_strike_hot(event, cpu, move->count, &move->regs, now, &move->chain);
}

void perf_moves_strike(const struct cpu *cpu, struct task *task, u64 now)
{
	struct perf_move *move;

	do {
		move = task->moves;
		task->moves = move->next;
		if (task->perf_active & WATCH_PLACE)
			strike(&task->perf->ctx, cpu, move, now);
		if (cpu->perf_active & WATCH_MOVE)
			strike(&cpu->perf->ctx, cpu, move, now);
		give_back(move);
	} while (unlikely(task->moves));
}

/*
 * @n moves have been made, at last of @task, when @starts events had been turned on, that nobody
 * can sample: counted they are.
 */
static void lose_all(struct perf_context *ctx, const struct cpu *cpu, const struct task *task,
		     u64 n, u64 starts)
{
	struct perf_event *event;

	list_for_each (event, &ctx->active[PERF_SOURCE_MOVE], active_node) {
		if (!told_now(event, cpu) || event->start > starts)
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
			lose_all(&task->perf->ctx, cpu, task, move->count, move->starts);
		if (cpu->perf_active & WATCH_MOVE)
			lose_all(&cpu->perf->ctx, cpu, task, move->count, move->starts);
	}
	drop(task);
	task_rq_unlock(cpu, flags);
}
