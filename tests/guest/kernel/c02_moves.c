/* SPDX-License-Identifier: MIT */
/* Samples of cpu-migrations through a handler of our own. */
#include <hotregs/perf_event.h>
#include <hotregs/sched.h>
#include <hotregs/string.h>
#include <hotregs/unwind.h>

#include "c02_moves.h"

static void log_move(struct perf_event *event, struct perf_sample_data *data, struct pt_regs *regs)
{
	struct move_log *log = perf_event_context(event);
	struct logged_move *move = &log->move[MIN(log->nr, MOVES_LOGGED - 1u)];
	struct callchain chain = {move->sample.chain, 0, CAPTURE_DEPTH};

	/* A task's events strike one after the other, wherever it runs. */
	log->nr++;
	log->moves += data->period;
	move->cpu = this_cpu()->id;
	move->period = data->period;
	move->sample.tid = current->tid;
	move->sample.ip = data->ip;
	perf_callchain(event, regs, &chain);
	move->sample.nr = chain.nr;
	/* It has run since the last one: all its moves have been told. */
	log->scheduler = current->nr_migrations;
}

struct perf_event *moves_open(struct task *task, int cpu, bool sampling, struct move_log *log)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE,
	    .size = sizeof(attr),
	    .config = PERF_COUNT_SW_CPU_MIGRATIONS,
	    .sample_period = sampling,
	    .sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_CALLCHAIN,
	    .read_format = PERF_FORMAT_LOST,
	};
	struct perf_event *event;

	if (log)
		memset(log, 0, sizeof(*log));
	event = perf_event_create_kernel_counter(&attr, cpu, task, log_move, log);
	return EXPECT_EQ(IS_ERR(event) ? PTR_ERR(event) : 0, 0) ? event : NULL;
}

bool move_is_foreign(const struct logged_move *move)
{
	const char *last = kallsyms_lookup(move->sample.chain[move->sample.nr - 1], NULL, NULL);

	return last && !strcmp(last, "migrated_by_other_context");
}
