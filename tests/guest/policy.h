/* SPDX-License-Identifier: MIT */
/*
 * The policy's truth table as the tests of kernel and programs both take it, and how a program asks
 * the test kernel for an event with a handler of kernel code's own (/dev/handler), or one that has
 * to compete for counters.
 */
#pragma once

#include <stdint.h>

/* What a sample shows. */
enum policy_view { NOTHING, KERNEL_AND_USER, KERNEL_ALONE, USER_ALONE };

struct policy_row {
	uint8_t exclude_kernel, exclude_user;
	uint8_t sampling; /* enum policy_view */
	uint8_t counting; /* does it count? */
};

/* A user task, struck in the kernel. */
static const struct policy_row policy_kernel[] = {
    {0, 0, KERNEL_AND_USER, 1},
    {1, 0, USER_ALONE, 0},
    {0, 1, KERNEL_ALONE, 1},
    {1, 1, NOTHING, 0},
};

/* A user task, struck in user mode. */
static const struct policy_row policy_user[] = {
    {0, 0, USER_ALONE, 1},
    {1, 0, USER_ALONE, 1},
    {0, 1, NOTHING, 0},
    {1, 1, NOTHING, 0},
};

/* A kernel thread. */
static const struct policy_row policy_thread[] = {
    {0, 0, KERNEL_ALONE, 1},
    {0, 1, KERNEL_ALONE, 1},
    {1, 0, NOTHING, 0},
    {1, 1, NOTHING, 0},
};

/* A sample as a handler or a reader of the ring has seen it. */
struct seen {
	uint64_t ip, addr, period;
	uint64_t reg_ip, reg_sp; /* of its registers */
	uint32_t kernel_frames, user_frames;
	uint32_t user_mode; /* by its registers, or by the record's header */
	uint32_t reserved;
};

#define SEEN_MAX 512

/* Requests to /dev/handler; each open file has one event. read() gives what it has seen. */
#define HANDLER_OPEN    1 /* (struct perf_event_attr *): on the caller, wherever it runs */
#define HANDLER_STOP    2 /* (uint64_t *): no more, and the event's value */
#define HANDLER_CHANGES 3 /* (uint64_t *): of the counters below so far; no event is needed */
#define HANDLER_SLOTS   4 /* (uint64_t *): of breakpoints, that are reserved now; the same */

/* The test kernel's unit that counts nanoseconds: perf_event_attr.type, counters of each CPU. */
#define COUNTING_TYPE     64
#define COUNTING_COUNTERS 2
