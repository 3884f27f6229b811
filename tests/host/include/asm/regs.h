/* SPDX-License-Identifier: MIT */
/* Host part of arch/regs.h: the smallest trap frame there can be. */
#pragma once

#include <hotregs/task.h>

struct pt_regs {
	unsigned long ip, sp, fp;
	unsigned long user; /* not 0: from user mode */
};

static inline bool user_mode(const struct pt_regs *regs)
{
	return regs->user;
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
	return regs->fp;
}

static inline void regs_set_ip(struct pt_regs *regs, unsigned long ip)
{
	regs->ip = ip;
}

static inline void hot_regs_caller(struct pt_regs *regs)
{
	const unsigned long *record = (const unsigned long *)regs->fp;

	regs->sp = (unsigned long)(record + 2);
	regs->fp = record[0];
	regs->ip = record[1];
}

static inline void hot_regs_copy(struct pt_regs *to, const struct pt_regs *from)
{
	*to = *from;
}

static inline struct pt_regs *task_user_regs(const struct task *task)
{
	if (task->flags & TASK_KTHREAD)
		return NULL;
	return task->arch.user_regs;
}
