/* SPDX-License-Identifier: MIT */
/*
 * Moves of a task to another processor: the places that decided on them, captured there until the
 * task runs and its events, or the CPU's, are told.
 */
#pragma once

#include "event.h"

#define MOVES_EACH 4 /* moves of a task before it runs that have a place of their own */
#define MOVES_MAX  (MOVES_EACH + 1) /* and one for all that follow */
#define MOVE_DEPTH PERF_MAX_STACK_DEPTH

/* The place that decided to move a task, until that runs. Under the task's run-queue lock. */
struct perf_move {
	struct perf_move *next; /* of the same task, later */
	struct perf_moves *home;
	u32 *free;              /* there, which word */
	u32 bit;                /* and which bit of it */
	u32 count;              /* moves */
	u64 starts;             /* perf_watchers.starts when it was decided */
	struct callchain chain; /* PERF_CONTEXT_KERNEL and frames; empty: nobody wanted it */
	bool foreign;           /* the last of which is the marker */
	struct pt_regs regs;
	u64 ip[1 + MOVE_DEPTH + 1]; /* chain's */
};

/* Of all events, what the decision on a move asks for. */
extern struct perf_watchers {
	u64 starts;    /* how often one of cpu-migrations has been turned on; atomic */
	u32 nr_chains; /* that show the chain of a place, or whose handlers may */
} perf_watchers;

/* Does @event, of a task or of a CPU, need captured places? */
static inline bool perf_moves_needed(const struct perf_event *event, bool of_task)
{
	return event->config == PERF_COUNT_SW_CPU_MIGRATIONS && (event->sampling || !of_task);
}

/*
 * For such an event: makes room for places, 0 or -ENOMEM; *moves is then a context's to use, or to
 * be freed. For the context that @event is attached to: takes *@moves, which then is NULL,
 * unless it has some. And when @event leaves it: those that it no longer needs, or NULL.
 */
int perf_moves_alloc(const struct perf_event *event, bool of_task, struct perf_moves **moves);
void perf_moves_use(const struct perf_event *event, struct perf_context *ctx,
		    struct perf_moves **moves);
struct perf_moves *perf_moves_unuse(const struct perf_event *event, struct perf_context *ctx);
/* May sleep; @moves may be NULL. */
void perf_moves_free(struct perf_moves *moves);
/* @task, whose moves have been captured, is the running one from now on, its memory loaded. */
void perf_moves_strike(const struct cpu *cpu, struct task *task, u64 now);
/* Tells of what was lost by this CPU's events. */
void perf_moves_tell_lost(const struct cpu *cpu);
/* @task has ended. perf_lock held, interrupts off. */
void perf_moves_dead(struct task *task);
/* The address that ends the chain of a place which is not on the moved task's stack. */
u64 perf_move_marker(void);
