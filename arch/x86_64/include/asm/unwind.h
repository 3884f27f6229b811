/* SPDX-License-Identifier: MIT */
/*
 * x86_64 part of arch/unwind.h: frame pointers (System V ABI AMD64, 3.2.2). The entry code leaves
 * an odd frame pointer, one above the trap frame's address, where a stack was interrupted.
 */
#pragma once

#include <arch/regs.h>

/* The record that `push %rbp; mov %rsp, %rbp` leaves behind a call. */
struct frame_record {
	unsigned long fp;
	unsigned long ip;
};

struct unwind {
	unsigned long ip;
	unsigned long sp;
	unsigned long fp;
	unsigned long last; /* highest address at which a record fits on this stack */
	/* Has the current function no frame of its own yet or any more? Then fp is one more than
	 * where its return address lies, odd like a trap frame, so that one test finds both. */
	bool bare;
	unsigned long caller_fp; /* and the caller's is this */
	unsigned long bottom;    /* frame pointer of code that the user trap frame belongs to */
	const struct task *task; /* whose stack it is, or ends on */
};

/* What unwind_next() does at a trap frame, or when the interrupted function had no frame; and
 * unwind_start() at registers that are not hot regs, or lie on another stack than the task's. */
bool unwind_next_special(struct unwind *u);
bool unwind_start_special(struct unwind *u, const struct pt_regs *regs);

static inline bool kernel_text_address(unsigned long ip)
{
	extern const char _stext[], _etext[];

	return likely(ip >= (unsigned long)_stext) && likely(ip < (unsigned long)_etext);
}

/* @regs of a stack that ends at @high. */
static inline bool unwind_to_stack(struct unwind *u, const struct pt_regs *regs, unsigned long high)
{
	u->ip = regs->ip;
	u->sp = regs->sp;
	u->fp = regs->bp;
	u->last = high - sizeof(struct frame_record);
	u->bare = false;
	return kernel_text_address(u->ip);
}

static inline bool unwind_start(struct unwind *u, const struct task *task,
				const struct pt_regs *regs)
{
	unsigned long high = task->stack + KERNEL_STACK_SIZE;

	u->task = task;
	u->bottom = high - sizeof(struct pt_regs) + 1;
	/* Hot regs carry no flags: they were stored in the middle of a function, frame complete. */
	if (likely(!regs->flags && regs->sp - task->stack < KERNEL_STACK_SIZE))
		return unwind_to_stack(u, regs, high);
	/* As in unwind_next(): the walk stays in registers. */
	struct unwind special = *u;
	bool begun = unwind_start_special(&special, regs);

	*u = special;
	return begun;
}

static inline bool unwind_next(struct unwind *u)
{
	const struct frame_record *record = (const struct frame_record *)u->fp;

	/* Misaligned: a trap frame, or nonsense. */
	if (unlikely(u->fp & (sizeof(long) - 1))) {
		if (likely(u->fp == u->bottom && !u->bare))
			return false;
		/* A copy, so that in the common case the walk stays in registers. */
		struct unwind special = *u;
		bool more = unwind_next_special(&special);

		*u = special;
		return more;
	}
	if (unlikely(u->fp < u->sp || u->fp > u->last))
		return false;
	u->sp = u->fp + sizeof(*record);
	u->ip = record->ip;
	u->fp = record->fp;
	return kernel_text_address(u->ip);
}

static inline void unwind_get_regs(const struct unwind *u, struct pt_regs *regs)
{
	regs->ip = u->ip;
	regs->sp = u->sp;
	regs->bp = u->bare ? u->caller_fp : u->fp;
}
