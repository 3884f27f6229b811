/* SPDX-License-Identifier: MIT */
/* Breakpoint events of tests' own. */
#pragma once

#include <linux/hw_breakpoint.h>

#include "ktap.h"
#include "samples.h"

struct perf_event_attr breakpoint(uint32_t type, volatile const void *addr, uint64_t len);

/* On the caller, counting; -1: failed. */
int count_on_self(uint32_t type, volatile const void *addr, uint64_t len);

/* Does this machine have none? Then the test is skipped. */
bool no_breakpoints(void);

/* What it has counted. */
uint64_t value(int fd);

/* Slots that are reserved now, whoever's they are. */
uint64_t slots_used(void);

/* Opens events of @type at @addr on the caller till there is no slot left; how many there are. */
#define SLOTS_MAX 16
unsigned fill_slots(int fd[SLOTS_MAX], uint32_t type, volatile const void *addr);
void close_all(const int fd[], unsigned n);
