/* SPDX-License-Identifier: MIT */
/* x86_64 part of arch/regs.h. The order is that of the pushes in arch/x86_64/entry.S. */
#pragma once

#include <hotregs/task.h>

struct pt_regs {
	unsigned long r15, r14, r13, r12, bp, bx;
	unsigned long r11, r10, r9, r8, ax, cx, dx, si, di;
	unsigned long orig_ax;               /* system-call number, or error code, or vector */
	unsigned long ip, cs, flags, sp, ss; /* the hardware frame (SDM vol. 3, 6.14.2) */
};

static inline bool user_mode(const struct pt_regs *regs)
{
	return regs->cs & 3;
}

static inline unsigned long regs_ip(const struct pt_regs *regs)
{
	return regs->ip;
}

static inline unsigned long regs_sp(const struct pt_regs *regs)
{
	return regs->sp;
}

static inline unsigned long regs_fp(const struct pt_regs *regs)
{
	return regs->bp;
}

static inline void regs_set_ip(struct pt_regs *regs, unsigned long ip)
{
	regs->ip = ip;
}

static inline void hot_regs_caller(struct pt_regs *regs)
{
	const unsigned long *record = (const unsigned long *)regs->bp;

	regs->sp = (unsigned long)(record + 2);
	regs->bp = record[0];
	regs->ip = record[1];
}

static inline void hot_regs_copy(struct pt_regs *to, const struct pt_regs *from)
{
	to->ip = from->ip;
	to->sp = from->sp;
	to->bp = from->bp;
	to->cs = from->cs;
}

/* The user frame is always the first thing on a kernel stack. */
static inline struct pt_regs *task_user_regs(const struct task *task)
{
	if (task->flags & TASK_KTHREAD)
		return NULL;
	return (struct pt_regs *)(task->stack + KERNEL_STACK_SIZE) - 1;
}
