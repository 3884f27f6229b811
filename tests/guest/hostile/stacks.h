/* SPDX-License-Identifier: MIT */
/* Stacks that lie: what a generated one is, its shapes, and how a sample of it is taken. */
#pragma once

#include <linux/perf_event.h>

#include "hostile.h"

/* The registers that a walk begins with. */
struct stack_regs {
	unsigned long fp, sp, lr;
};

/* A stack of one shape; its memory is the arena. */
struct stack {
	struct stack_regs regs;
	struct random random;
	bool of_others; /* is in memory where the C library, or the kernel, has written too */
};

struct shape {
	const char *name;
	void (*make)(struct stack *stack);
};

/* The deepest stack that a chain shows all of, and nothing wrong with it. */
void make_deepest(struct stack *stack);

extern const struct shape shapes[];
extern const unsigned nr_shapes;

/* For the shapes that are there: memory that another process writes to, and the pages into which
 * the sample itself is written. */
extern unsigned long shared_memory, own_ring;

/* Maps the arena; false when it can not be. */
bool arena_map(void);
/* Changes some of what a stack is in, from another thread. */
void arena_scribble(struct random *r);
/* Takes away what the last stack was made of. */
void arena_clean(void);

/* May a chain have this entry after a walk of a generated stack: was it written there, or is it
 * code of this program? */
bool stack_entry_allowed(const struct stack *stack, uint64_t entry);

/* --- The architecture's part --- */

/* Writes a frame record that a frame pointer of @fp finds: the next one's and a return address. */
void put_record(unsigned long fp, unsigned long next, unsigned long ret);

enum sample_kind { SAMPLE_SWITCH, SAMPLE_FAULT, SAMPLE_CLOCK, NR_SAMPLE_KINDS };

/*
 * One way to be sampled with hostile registers. @regs are loaded, and then: SWITCH calls
 * sched_yield(); FAULT writes to @memory; CLOCK reads the 32 bits at @memory until they change.
 */
struct sampler {
	const char *name;
	enum sample_kind kind;
	void (*run)(const struct stack_regs *regs, volatile void *memory);
};

/* dumps.c: events like @attr that show stack pointer and stack. What is wrong with the samples
 * since the last time, or NULL. */
bool dumps_open(enum sample_kind kind, struct perf_event_attr attr);
void dumps_enable(enum sample_kind kind, bool on);
const char *dumps_check(enum sample_kind kind, const struct stack *stack);
void dumps_close(enum sample_kind kind);

extern const struct sampler samplers[];
extern const unsigned nr_samplers;

/* Instructions since some time, under QEMU's -icount. */
unsigned long instruction_count(void);
