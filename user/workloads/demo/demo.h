/* SPDX-License-Identifier: MIT */
/* The parts of the default workload. Each runs in a process of its own and returns its status. */
#pragma once

/* Keeps a call a call: the tour names these functions in the chains it shows. */
#define NOINLINE __attribute__((noinline))

#define BATCHES         40
#define LINES_PER_BATCH 5

/* produce -> parse -> total, joined by pipes; total() checks that nothing was lost. */
int produce(int out);
int parse(int in, int out);
int total(int in);

/* Sleeps @naps times, three calls deep. */
int sleeper(int naps, long ns);

/* Faults in fresh memory, a page at a time. */
int fault_pages(int rounds, int pages);
