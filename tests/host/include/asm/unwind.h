/* SPDX-License-Identifier: MIT */
/* Host part of arch/unwind.h: plain frame records in whatever memory the test calls a stack. */
#pragma once

#include <arch/regs.h>

struct frame_record {
	unsigned long fp;
	unsigned long ip;
};

struct unwind {
	unsigned long ip, sp, fp;
	unsigned long high; /* end of the stack */
};

/* End of what unwind_start() takes for a stack; at first all memory is one. */
extern unsigned long host_stack_high;

static inline bool unwind_start(struct unwind *u, const struct task *task,
				const struct pt_regs *regs)
{
	if (user_mode(regs))
		return false;
	*u = (struct unwind){
	    .ip = regs_ip(regs), .sp = regs_sp(regs), .fp = regs_fp(regs), .high = host_stack_high};
	return true;
}

static inline bool unwind_next(struct unwind *u)
{
	const struct frame_record *record = (const struct frame_record *)u->fp;

	if (!unwind_frame_valid(u->fp, sizeof(*record), u->sp, u->high))
		return false;
	u->sp = u->fp + sizeof(*record);
	u->ip = record->ip;
	u->fp = record->fp;
	return true;
}

static inline void unwind_get_regs(const struct unwind *u, struct pt_regs *regs)
{
	regs->ip = u->ip;
	regs->sp = u->sp;
	regs->fp = u->fp;
}
