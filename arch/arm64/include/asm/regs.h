/* SPDX-License-Identifier: MIT */
/* AArch64 part of arch/regs.h: the order of the registers, as entry.S stores them. */
#pragma once

#include <hotregs/task.h>

#include <asm/pstate.h>

#define ARM64_FP 29
#define ARM64_LR 30

/* A frame record (AAPCS64, 6.4.6): x29 points at it. */
struct frame_record {
	unsigned long fp, lr;
};

struct pt_regs {
	unsigned long x[31], sp, pc, pstate;
	unsigned long orig_x0; /* first argument of a system call; -1: another entry */
	unsigned long unused;
	/* Of an entry from the kernel: the record that x29 points at while it is served. It leads
	 * to what was interrupted, and tells a walker where all of this lies. */
	struct frame_record record;
};

static inline bool user_mode(const struct pt_regs *regs)
{
	return (regs->pstate & PSTATE_MODE) == MODE_EL0;
}

static inline unsigned long regs_ip(const struct pt_regs *regs)
{
	return regs->pc;
}

static inline unsigned long regs_sp(const struct pt_regs *regs)
{
	return regs->sp;
}

static inline unsigned long regs_fp(const struct pt_regs *regs)
{
	return regs->x[ARM64_FP];
}

static inline void regs_set_ip(struct pt_regs *regs, unsigned long ip)
{
	regs->pc = ip;
}

/* The user frame is always the first thing on a kernel stack. */
static inline struct pt_regs *task_user_regs(const struct task *task)
{
	if (task->flags & TASK_KTHREAD)
		return NULL;
	return (struct pt_regs *)(task->stack + KERNEL_STACK_SIZE) - 1;
}

/* The compiler puts the record at the bottom of a frame: what is above, the caller's sp among it,
 * is not known. The record's end is below it. */
static inline void hot_regs_caller(struct pt_regs *regs)
{
	const struct frame_record *record = (const struct frame_record *)regs->x[ARM64_FP];

	regs->pc = record->lr;
	regs->x[ARM64_FP] = record->fp;
	regs->sp = (unsigned long)(record + 1);
}

static inline void hot_regs_copy(struct pt_regs *to, const struct pt_regs *from)
{
	to->x[ARM64_FP] = from->x[ARM64_FP];
	to->sp = from->sp;
	to->pc = from->pc;
	to->pstate = from->pstate;
}
