/* SPDX-License-Identifier: MIT */
/*
 * Architecture contract: one stack walker an architecture, used by panic, bt, perf and gdb alike. A
 * pure function over registers and a memory reader; a bad frame ends the walk, never faults.
 */
#pragma once

#include <hotregs/types.h>

struct pt_regs;
struct task;

/* A walk in progress; ip is the current frame's. */
struct unwind {
	unsigned long ip;
	unsigned long sp; /* of the current frame, where known */
	unsigned long fp;
	unsigned long low, high;    /* the stack being walked; frames only rise within it */
	const struct pt_regs *regs; /* set when this frame is an interrupted one */
};

/*
 * Starts a walk of kernel frames at @regs, which are kernel-mode registers of @task (the running
 * one for perf). The first frame is regs' own IP. Returns false when @regs are not a kernel frame.
 * NMI-safe.
 */
bool unwind_start(struct unwind *u, const struct task *task, const struct pt_regs *regs);

/* Moves to the caller's frame; false at the end: a user-mode trap frame or a bad frame. NMI-safe.
 */
bool unwind_next(struct unwind *u);

#include <asm/unwind.h>
