/* SPDX-License-Identifier: MIT */
/* perf record, in its parts: what was asked for, and what is open. */
#pragma once

#include "perf.h"

#define MAX_TARGETS 64
#define MAX_CPUS    256

struct options {
	struct event_list events;
	const char *output;
	pid_t pid;
	size_t pages;         /* 0: not said */
	uint64_t count, freq; /* of events without a term that says it; 0: not said */
	bool chains, all_cpus, quiet, switches, user_regs, intr_regs;
	char **command; /* NULL: none */
};

struct recording {
	struct options opt;
	struct stream stream;
	struct workload workload;
	pid_t target[MAX_TARGETS]; /* whom to watch; -1: everybody */
	unsigned nr_targets;
	int *fds; /* by event, then target, then CPU; -1: that CPU is off */
	unsigned nr_fds;
	struct ring ring[MAX_CPUS];
	int ring_fd[MAX_CPUS]; /* the event that owns the CPU's ring; -1: none */
	unsigned nr_cpus;
	struct perf_event_attr attr[MAX_EVENTS];
	struct drain_counts counts;
};

/* --- record_options.c --- */
/* Returns 0 to go on, else an exit status. */
int record_options(struct options *opt, char **argv);

/* --- record_open.c: each returns 0, or -1 with a message --- */
/* Finds the targets, opens all events for each and maps the rings; nothing is enabled yet. */
int record_open(struct recording *rec);
int record_enable(struct recording *rec, bool enabled);
/*
 * Whatever a sample or record was stamped with before this was called can be read from its ring
 * when it returns.
 */
int record_settle(const struct recording *rec);

/* --- record_head.c --- */
/* Writes what comes before all records: events, features, what is there already */
int write_head(struct recording *rec, int argc, char **argv);
