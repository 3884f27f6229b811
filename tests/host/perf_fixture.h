/* SPDX-License-Identifier: MIT */
/* What the tests of events share: a CPU, tasks, a fake architecture, and reading a ring. */
#pragma once

#include "../../kernel/perf/event.h"
#include "host.h"
#include <hotregs/address_space.h>
#include <hotregs/string.h>

#include <arch/mmu.h>
#include <arch/regs.h>

#define KERNEL_IP 0xffff800000001000ULL
#define USER_IP   0x401000ULL

#define test_cpu cpus[0]
extern struct task user_task, other_task, kernel_task, idle_task;
extern struct pt_regs user_frame;

/* For whom events are opened and mapped: he may do anything. */
extern const struct perf_user root;

/* How many frames the fake architecture finds; they count up from the registers' IP. */
extern unsigned kernel_frames, user_frames;

/* What the fake address space has mapped from USER_MEMORY on, at these physical addresses. */
#define USER_MEMORY      0x20000000UL
#define USER_MEMORY_SIZE 0x3000UL
#define USER_MEMORY_PHYS 0x5000000UL
extern u8 user_memory[USER_MEMORY_SIZE];

/* Called once in the middle of the next walk of a kernel chain, as an NMI would be. */
extern void (*during_walk)(void);

/* cmocka's set-up and tear-down: user_task runs on test_cpu; in the end nothing is left. */
int fixture_set_up(void **state);
int fixture_tear_down(void **state);

/* Kernel-mode registers as interrupted code has them. */
struct pt_regs kernel_regs(void);

/* A software event's attributes, enabled, every field of SAMPLE_WORDS but the chain. */
struct perf_event_attr attr_of(u64 config, u64 period);

/* Opens on @task (NULL: test_cpu), on any CPU for a task; must succeed. */
struct perf_event *open_event(const struct perf_event_attr *attr, struct task *task);
struct perf_ring *map_event(struct perf_event *event, size_t pages);
/* Unmaps, when it is mapped, and releases. */
void close_event(struct perf_event *event);

/* One switch from current to @next, which then is current. */
void switch_to(struct task *next);

/* There are so many CPUs; all but test_cpu idle at first. What follows happens on @id; returns it.
 */
#define FIXTURE_CPUS 2
u32 run_on(u32 id);

/* The value alone. */
u64 value_of(struct perf_event *event);

/* A record taken out of a ring. */
struct record {
	struct perf_event_header header;
	u64 word[600]; /* what follows the header */
};
/* Takes the next record; false when there is none. */
bool next_record(struct perf_ring *ring, struct record *r);
/* Takes the next record, which must be of @type and have @words words behind its header. */
void expect_record(struct perf_ring *ring, struct record *r, u32 type, unsigned words);
void expect_no_record(struct perf_ring *ring);
/* Drops all records and returns how many were of @type. */
unsigned count_records(struct perf_ring *ring, u32 type);

/* Two halves of a word in the order of memory. */
static inline u32 first_half(u64 word)
{
	u32 half[2];

	memcpy(half, &word, sizeof(half));
	return half[0];
}

static inline u32 second_half(u64 word)
{
	u32 half[2];

	memcpy(half, &word, sizeof(half));
	return half[1];
}
