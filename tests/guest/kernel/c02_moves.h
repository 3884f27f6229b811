/* SPDX-License-Identifier: MIT */
/* What the tests of contract C2 share: a log of the moves that an event of a task tells of. */
#pragma once

#include "ktest.h"

struct perf_event;
struct task;

#define MOVES_LOGGED 32

struct move_log {
	u32 nr;        /* samples; of those beyond the log the last one stays */
	u64 moves;     /* their periods added up */
	u64 scheduler; /* the task's own count at the last one */
	struct logged_move {
		u32 cpu; /* where it was written */
		u64 period;
		struct captured sample;
	} move[MOVES_LOGGED];
};

/* Opens cpu-migrations on @task, on @cpu; a sampling one fills @log. NULL: failed (expected 0). */
struct perf_event *moves_open(struct task *task, int cpu, bool sampling, struct move_log *log);

/* Does its chain say that somebody else decided? */
bool move_is_foreign(const struct logged_move *move);
