/* SPDX-License-Identifier: MIT */
/*
 * Architecture contract: one stack walker an architecture, used by panic, bt, perf and gdb alike. A
 * pure function over registers and memory; a bad frame ends the walk, never faults.
 */
#pragma once

#include <hotregs/types.h>

struct pt_regs;
struct task;

/*
 * A walk in progress: struct unwind has at least ip, sp and fp, the registers of the current frame,
 * and whatever else the architecture needs to find the next one. Frames only rise: the next one
 * begins at or above sp.
 */
struct unwind;

/*
 * The four frame checks that every architecture's records pass: a record of @size bytes at @fp is
 * aligned, in [@low, @high), therefore above the last one, and does not wrap. NMI-safe.
 */
static inline bool unwind_frame_valid(unsigned long fp, size_t size, unsigned long low,
				      unsigned long high)
{
	return !(fp & (sizeof(long) - 1)) && fp >= low && fp < high && size <= high - fp;
}

/*
 * Starts a walk of kernel frames at @regs, which are kernel-mode registers of @task (the running
 * one for perf). The first frame is regs' own IP. Returns false when @regs are not a kernel frame,
 * or their stack is none the kernel knows. NMI-safe.
 */
static inline bool unwind_start(struct unwind *u, const struct task *task,
				const struct pt_regs *regs);

/* Moves to the caller; false at the end: a user-mode trap frame or a bad frame. NMI-safe. */
static inline bool unwind_next(struct unwind *u);

/* Makes @regs those of the current frame, as far as a walk needs them to start there. NMI-safe. */
static inline void unwind_get_regs(const struct unwind *u, struct pt_regs *regs);

#include <asm/unwind.h>
