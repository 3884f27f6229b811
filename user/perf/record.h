/* SPDX-License-Identifier: MIT */
/* perf record, in its parts: what was asked for, and what is open. */
#pragma once

#include "perf.h"

#define MAX_TARGETS 64

struct options {
	struct event_list events;
	const char *output;
	pid_t pid, tid; /* a process, a thread that is there; 0: none */
	struct cpu_list cpus;
	size_t pages;         /* 0: not said */
	uint64_t count, freq; /* of events without a term that says it; 0: not said */
	uint64_t delay_ms;
	const struct clock *clock; /* NULL: the kernel's choice */
	bool chains, all_tasks, quiet, switches, user_regs, intr_regs, no_inherit, overwrite;
	char **command; /* NULL: none */
};

struct recording {
	struct options opt;
	struct stream stream;
	struct workload workload;
	pid_t process;             /* of which maps and names are told; -1: of all */
	pid_t target[MAX_TARGETS]; /* whom to watch; -1: everybody */
	unsigned nr_targets;
	struct cpu_list cpus; /* on which */
	int *fds;             /* by event, then target, then CPU; -1: that CPU is off */
	unsigned nr_fds;
	struct ring ring[MAX_CPUS]; /* by place in cpus */
	struct ring last[MAX_CPUS]; /* with --overwrite: of all events but the tracker */
	struct perf_event_attr attr[MAX_EVENTS];
	unsigned tracker; /* the event that tells of tasks and maps */
	struct drain_counts counts;
};

/* Has the list an event that was added, as its last, to tell of tasks and maps alone? */
static inline bool has_own_tracker(const struct options *opt)
{
	return opt->overwrite || opt->delay_ms;
}

/* Is the target there already, rather than a command? */
static inline bool is_there(const struct options *opt)
{
	return opt->pid || opt->tid;
}

/* --- record_options.c --- */
/* Returns 0 to go on, else an exit status. */
int record_options(struct options *opt, char **argv);

/* --- record_target.c --- */
/* Finds the targets: 0, or -1 with a message. */
int record_targets(struct recording *rec);

/* --- record_open.c: each returns 0, or -1 with a message --- */
/* Opens all events for each target and maps the rings; nothing is enabled yet. */
int record_open(struct recording *rec);
int record_enable(struct recording *rec, bool enabled);
int record_enable_tracker(struct recording *rec);
/*
 * Whatever a sample or record was stamped with before this was called can be read from its ring
 * when it returns.
 */
int record_settle(const struct recording *rec);

/* The descriptors of event @e, one for each target and CPU; the number of them. */
static inline int *record_fds(const struct recording *rec, unsigned e, unsigned *nr)
{
	*nr = rec->nr_targets * rec->cpus.nr;
	return rec->fds + (size_t)e * *nr;
}

/* --- record_head.c --- */
/* Writes what comes before all records: events, features, what is there already */
int write_head(struct recording *rec, int argc, char **argv);
