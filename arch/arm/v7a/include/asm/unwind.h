/* SPDX-License-Identifier: MIT */
/*
 * ARMv7-A part of arch/unwind.h: the frame records that GCC leaves in ARM state, where r11 points
 * at the saved pc and the word below is the saved r11; and for a function that was interrupted
 * somewhere, the kernel's own unwind tables (EHABI32). Those start from SP or R11 alone, so a walk
 * needs no other register.
 */
#pragma once

#include <arch/regs.h>

#include "../../../common/ehabi.h"

struct unwind {
	unsigned long ip;
	unsigned long sp;
	unsigned long fp;
	unsigned long lr;        /* where the current function was interrupted: its lr. Else 0 */
	bool thumb;              /* that is in Thumb state: libgcc's */
	unsigned long high;      /* end of the stack */
	const struct task *task; /* whose stack it is */
};

/* What unwind_next() does without a record: trap frame, interrupted function, libgcc. */
bool unwind_next_uncommon(struct unwind *u);

static inline bool kernel_text_address(unsigned long ip)
{
	extern const char _stext[], _etext[];

	return ip >= (unsigned long)_stext && ip < (unsigned long)_etext;
}

static inline bool is_entry_text(unsigned long return_address)
{
	extern const char __entry_text_start[], __entry_text_end[];

	return return_address > (unsigned long)__entry_text_start &&
	       return_address <= (unsigned long)__entry_text_end;
}

/*
 * Does the function that was called from there leave a record? All of the kernel's that call
 * another do, and where a stack begins r11 is 0, which is none; entry code leaves a trap frame, and
 * libgcc, before it, anything. One compare says it all.
 */
static inline bool leaves_record(unsigned long return_address)
{
	extern const char __entry_text_end[], _etext[];
	unsigned long first = (unsigned long)__entry_text_end + 1;

	return return_address - first < (unsigned long)_etext - first;
}

/*
 * Goes to kernel-mode @regs. Interrupted ones have an lr; hot regs, and those of a call, have none:
 * their pc is a return address.
 */
static inline bool unwind_to_regs(struct unwind *u, const struct pt_regs *regs)
{
	u->ip = regs->pc;
	u->sp = regs->sp;
	u->fp = regs->r[ARM_FP];
	u->lr = regs->lr;
	u->thumb = regs->cpsr & CPSR_T;
	u->high = u->task->stack + KERNEL_STACK_SIZE;
	return kernel_text_address(u->ip) && u->sp - u->task->stack <= KERNEL_STACK_SIZE;
}

static inline bool unwind_start(struct unwind *u, const struct task *task,
				const struct pt_regs *regs)
{
	u->task = task;
	return unwind_to_regs(u, regs) && !user_mode(regs);
}

/* Entry code calls C with SP at the trap frame. Is that, if there is one, the user's? */
static inline bool unwind_is_user_entry(const struct unwind *u)
{
	return !u->lr && is_entry_text(u->ip) && u->high - u->sp >= sizeof(struct pt_regs) &&
	       user_mode((const struct pt_regs *)u->sp);
}

/* To the caller of a function that leaves a record. */
static inline bool unwind_by_record(struct unwind *u)
{
	const unsigned long *saved_pc = (const unsigned long *)u->fp;

	if (unlikely((u->fp & (sizeof(long) - 1)) || u->fp >= u->high))
		return false;
	if (unlikely(u->fp < u->sp + sizeof(long)))
		return false;
	u->sp = u->fp + sizeof(long);
	u->ip = saved_pc[0];
	u->fp = saved_pc[-1];
	return kernel_text_address(u->ip);
}

static inline bool unwind_next(struct unwind *u)
{
	if (likely(!u->lr && leaves_record(u->ip)))
		return unwind_by_record(u);
	/* Nearly all chains end so. */
	if (likely(unwind_is_user_entry(u)))
		return false;
	return unwind_next_uncommon(u);
}

static inline void unwind_get_regs(const struct unwind *u, struct pt_regs *regs)
{
	regs->pc = u->ip;
	regs->sp = u->sp;
	regs->r[ARM_FP] = u->fp;
	regs->lr = u->lr;
}
