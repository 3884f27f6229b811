/* SPDX-License-Identifier: MIT */
/* AArch64 part of arch/syscall.h: SVC #0, number in x8, arguments in x0-x5, result in x0. */
#pragma once

static inline unsigned long syscall_nr(const struct pt_regs *regs)
{
	return regs->x[8];
}

static inline void syscall_set_result(struct pt_regs *regs, long result)
{
	regs->x[0] = result;
}

static inline long syscall_result(const struct pt_regs *regs)
{
	return regs->x[0];
}

static inline void syscall_undo(struct pt_regs *regs)
{
	regs->x[0] = regs->orig_x0;
}

static inline void syscall_rewind(struct pt_regs *regs)
{
	syscall_undo(regs);
	regs->pc -= 4;
}

static inline long syscall_call(syscall_fn fn, const struct pt_regs *regs)
{
	return fn(regs->x[0], regs->x[1], regs->x[2], regs->x[3], regs->x[4], regs->x[5]);
}
