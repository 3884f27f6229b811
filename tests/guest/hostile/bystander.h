/* SPDX-License-Identifier: MIT */
/*
 * A task that has done no harm, and is sampled at its switches while others do some: all of its
 * samples must come, and say the same.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "../user/samples.h"

struct bystander {
	pid_t pid;
	struct recorder recorder;
	int counter; /* an event that counts its switches */
	int to[2],
	    from[2]; /* pipes: a byte starts it, one more ends it; how often it has yielded */
	uint64_t samples, yields;                                               /* seen */
	uint64_t chain[PERF_MAX_STACK_DEPTH + PERF_MAX_CONTEXTS_PER_STACK], nr; /* at each yield */
};

/* A process that yields for ever, and calls @between (may be NULL) before each time. */
bool bystander_start(struct bystander *b, void (*between)(void));

/* Looks at the samples since the last time; to be called before the ring is full. */
bool bystander_watch(struct bystander *b);

/* Ends it; were all of its samples there? How many times it has yielded to another. */
uint64_t bystander_end(struct bystander *b);
