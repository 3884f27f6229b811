/* SPDX-License-Identifier: MIT */
/*
 * What an operation costs, in guest instructions. A batch does an operation many times and checks
 * that it did; the harness repeats batches and prints the median, the least and the most.
 */
#pragma once

#include "clock.h"

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define NOINLINE __attribute__((noinline))

/* One operation's cost in one batch; negative when the batch did not do what it was to do. */
typedef double (*batch_fn)(void);

/* Runs the batches of one row and prints it; false, with a message, when a batch went wrong. */
bool bench_row(const char *name, batch_fn batch);

/* The same without printing, for a row that others are compared with. */
bool bench_median(const char *name, batch_fn batch, double *median);

/* Tells what went wrong; returns -1. */
double bench_failed(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* What an empty loop of @n rounds between two readings of the clock costs. */
double bench_loop_overhead(unsigned n);

/* Context switches since boot; page faults and mapped pages of this process. */
uint64_t count_switches(void);
uint64_t count_faults(void);
uint64_t count_pages(void);

/* The rows, by subject. */
bool bench_system_calls(void);
bool bench_switches(void);
bool bench_threads(void);
bool bench_processes(void);
bool bench_memory(void);
bool bench_samples(void);
bool bench_events(void);
bool bench_breakpoints(void);
bool bench_crowd(void); /* of breakpoints, with many tasks */

/* --- Who has something (child.c) --- */

/* A child that does something @n times and stays; its pid, 0 when it could not. */
pid_t bench_child(unsigned n, bool (*once)(void));
/* Ends @n of these; a pid of 0 is none. */
void bench_end(pid_t *pid, unsigned n);

/* --- A partner to switch with (switch.c) --- */

/* Makes a child that yields for ever at the bottom of @depth nested calls; its pid, or -1. */
int partner_start(int depth);
void partner_end(int pid);
/* Yields @n times at the bottom of @depth nested calls; the instructions that took. */
typedef uint64_t yield_fn(int depth, unsigned n);
yield_fn yield_many;
#ifdef __arm__
/* The same in Thumb code, which has no frame records: chains through it go by unwind tables. */
#define HAS_TABLE_CODE 1
yield_fn yield_many_by_table;
#endif
/* A batch of yields with a partner running: the cost of one switch. */
double switch_batch(yield_fn *yield, int depth, uint64_t *switches);
