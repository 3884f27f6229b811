/* SPDX-License-Identifier: MIT */
/*
 * AArch64 part of arch/unwind.h: frame records (AAPCS64, 6.4.6). A function that was interrupted
 * may have none, or not yet, or no more: frame_repair.h tells, and then its caller is in x30.
 */
#pragma once

#include <arch/regs.h>

struct unwind {
	unsigned long ip;
	unsigned long sp; /* no record of a caller lies below */
	unsigned long fp;
	unsigned long lr;        /* not 0: the caller, for the current function has no record */
	unsigned long high;      /* end of the stack */
	const struct task *task; /* whose stack it is */
};

/* What unwind_next() does at an entry, or without a record; and unwind_start() at interrupted regs.
 */
bool unwind_next_uncommon(struct unwind *u);
bool unwind_start_interrupted(struct unwind *u, const struct pt_regs *regs);

static inline bool kernel_text_address(unsigned long ip)
{
	extern const char _stext[], _etext[];

	return ip >= (unsigned long)_stext && ip < (unsigned long)_etext;
}

/*
 * Is that where an ordinary function goes on? The image begins with boot and entry code, of which
 * the latter leaves a trap frame; so one compare tells both from it, and from what is no code at
 * all.
 */
static inline bool is_ordinary_text(unsigned long return_address)
{
	extern const char __entry_text_end[], _etext[];
	unsigned long first = (unsigned long)__entry_text_end + 1;

	return return_address - first < (unsigned long)_etext - first;
}

/* Goes to kernel-mode @regs of a function with a record. */
static inline bool unwind_to_regs(struct unwind *u, const struct pt_regs *regs)
{
	u->ip = regs->pc;
	u->sp = regs->sp;
	u->fp = regs->x[ARM64_FP];
	u->lr = 0;
	u->high = u->task->stack + KERNEL_STACK_SIZE;
	return kernel_text_address(u->ip) && u->sp - u->task->stack <= KERNEL_STACK_SIZE;
}

/* Hot regs have no link register: their function has a record. */
static inline bool unwind_start(struct unwind *u, const struct task *task,
				const struct pt_regs *regs)
{
	u->task = task;
	if (unlikely(regs->x[ARM64_LR]))
		return unwind_start_interrupted(u, regs);
	return unwind_to_regs(u, regs) && !user_mode(regs);
}

static inline bool unwind_next(struct unwind *u)
{
	const struct frame_record *record = (const struct frame_record *)u->fp;

	/* Nearly all chains end where the stack begins: there x29 is 0. */
	if (unlikely(u->lr) || unlikely(!is_ordinary_text(u->ip)))
		return (u->fp | u->lr) && unwind_next_uncommon(u);
	if (unlikely(!unwind_frame_valid(u->fp, sizeof(*record), u->sp, u->high)))
		return false;
	u->sp = u->fp + sizeof(*record);
	u->ip = record->lr;
	u->fp = record->fp;
	return kernel_text_address(u->ip);
}

static inline void unwind_get_regs(const struct unwind *u, struct pt_regs *regs)
{
	regs->pc = u->ip;
	regs->sp = u->sp;
	regs->x[ARM64_FP] = u->fp;
	regs->x[ARM64_LR] = u->lr;
}
