/* SPDX-License-Identifier: MIT */
/* Breakpoints of a test's own, what their handlers were told, and who takes slots before them. */
#pragma once

#include <hotregs/breakpoint.h>
#include <uapi/hw_breakpoint.h>

#include "ktest.h"

/* In the middle of anything. */
extern volatile struct told {
	u32 n;
	unsigned long ip;
	bool before_access;
} told;

/* The handler of those that open_bp() opens, unless they have another one. */
void note_strike(struct breakpoint *bp, const struct bp_hit *hit);

/* Has this machine none? Then the test is skipped. */
bool no_breakpoints(void);

/* On, as bp->task and bp->cpu say; or -ENOSPC. Whatever else is expected not to be. */
int try_bp(struct breakpoint *bp, u32 type, unsigned long addr, unsigned long len);
bool open_bp(struct breakpoint *bp, u32 type, unsigned long addr, unsigned long len);
void close_bp(struct breakpoint *bp);

/*
 * @n others that never strike, of instructions or of data as @type has it, so that the next one of
 * their kind and scope is in slot @n of those; see is_in_slot().
 */
void open_others(struct breakpoint others[], unsigned n, u32 type, struct task *task, s32 cpu);
void close_others(struct breakpoint others[], unsigned n);
bool is_in_slot(const struct breakpoint *bp, unsigned nth);

/* Slots that one of @type may be in. */
unsigned slots_of(u32 type);
