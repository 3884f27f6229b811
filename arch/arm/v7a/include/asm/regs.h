/* SPDX-License-Identifier: MIT */
/* ARMv7-A part of arch/regs.h: the order of the core registers, as entry.S stores them. */
#pragma once

#include <hotregs/task.h>

#include <asm/psr.h>

struct pt_regs {
	unsigned long r[13], sp, lr, pc, cpsr;
	unsigned long orig_r0; /* first argument of a system call; -1: another entry */
};

static inline bool user_mode(const struct pt_regs *regs)
{
	return (regs->cpsr & CPSR_MODE) == MODE_USR;
}

/* Bit 0 is clear in Thumb state too: CPSR.T says which it is. */
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
	return regs->r[11];
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

/* GCC lets fp point at the saved lr, below which it saves fp, in every function that calls one. */
static inline void hot_regs_caller(struct pt_regs *regs)
{
	const unsigned long *saved_lr = (const unsigned long *)regs->r[11];

	regs->pc = saved_lr[0];
	regs->r[11] = saved_lr[-1];
	regs->sp = (unsigned long)(saved_lr + 1);
}

static inline void hot_regs_copy(struct pt_regs *to, const struct pt_regs *from)
{
	to->r[11] = from->r[11];
	to->sp = from->sp;
	to->pc = from->pc;
	to->cpsr = from->cpsr;
}
