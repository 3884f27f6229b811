/* SPDX-License-Identifier: MIT */
/*
 * What counts events: a processor's monitoring unit, or anything else with counters. The core asks
 * a unit to take an event when the event is to count, on the CPU where it is to, and does without
 * when the unit has no counter left; so a driver knows nothing of groups, tasks and shares of time.
 */
#pragma once

#include <hotregs/cpu.h>
#include <hotregs/perf_event.h>

/* A unit's own of one event; the core only clears it when the event is opened. */
struct perf_counter {
	u64 config; /* what the counter is programmed with */
	u64 last;   /* its reading that has been added to the event's count */
	u32 index;  /* which one */
	void *data; /* whatever else there is */
};

struct perf_pmu {
	const char *name;
	u32 type;     /* perf_event_attr.type */
	bool limited; /* it may not have room for an event */
	/* Has the unit an event of @attr, whose type is its? 0, -ENOENT, or another errno. Pure. */
	int (*check)(const struct perf_event_attr *attr);
	/*
	 * @event is to be one of @task's, or of a CPU's (NULL): what it needs wherever it counts.
	 * -ENOSPC, -ENOMEM. And it no longer is, on any way: it counts nowhere. May sleep. NULL: it
	 * needs nothing.
	 */
	int (*init)(struct perf_event *event, struct task *task);
	void (*destroy)(struct perf_event *event);
	/*
	 * @event counts from clock_cycles() @at, which is now, on this CPU; -ENOSPC: no counter is
	 * left. Interrupts off, may hold the run-queue lock; an NMI of the unit's may strike the
	 * event before this returns.
	 */
	int (*add)(struct perf_event *event, u64 at);
	/* The reverse, on the same CPU; what it has counted is in perf_event_count_add(). As add */
	void (*del)(struct perf_event *event, u64 at);
	/* The same while it goes on. Interrupts off, on its CPU, NMI-safe. NULL: nothing is ever
	 * due */
	void (*read)(struct perf_event *event);

	/* The core's, by CPU: on it alone, with interrupts off. */
	struct {
		u32 groups;     /* that have counters there */
		bool exclusive; /* the one there must be alone */
	} cpu[MAX_CPUS];
	struct list_head node;
};

/* Makes @pmu known; it stays. -EEXIST: its type is another's. Before events are opened. */
int perf_pmu_register(struct perf_pmu *pmu);
/* NULL: there is none. Any context. */
struct perf_pmu *perf_pmu_find(u32 type);

/* For drivers: what an event was opened with, and their part of it. Any context. */
const struct perf_event_attr *perf_event_attr(const struct perf_event *event);
struct perf_counter *perf_event_counter(struct perf_event *event);
/* Adds to the value of @event. On its CPU, interrupts off; NMI-safe. */
void perf_event_count_add(struct perf_event *event, u64 n);
