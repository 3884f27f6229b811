/* SPDX-License-Identifier: MIT */
/* perf stat, in its parts: what was asked for, and what was counted. */
#pragma once

#include "count.h"
#include "perf.h"

struct counter {
	int fd[MAX_CPUS]; /* one for a task, one a CPU without; -1: not open */
	bool supported;
	bool refused;       /* it is, but not without what there is no permission for */
	struct count total; /* of all CPUs and runs */
	struct mean mean;   /* of the runs in which it was counted */
};

struct counting {
	struct event_list events;
	struct counter counter[MAX_EVENTS];
	struct cpu_list cpus; /* nr 0: a task wherever it runs */
	bool all_tasks, no_inherit;
	const char *cpu_text;  /* -C, as it was said; NULL: was not */
	const char *separator; /* NULL: for people */
	uint64_t runs, delay_ms;
	struct mean elapsed_ns;
	char **command;
};

/* --- stat_options.c --- */
/* Returns 0 to go on, else an exit status. */
int stat_options(struct counting *c, char **argv);

/* --- stat_print.c --- */
void stat_print(const struct counting *c);
