/* SPDX-License-Identifier: MIT */
/* Host part of arch/syscall.h: system calls are not made through registers here. */
#pragma once

static inline unsigned long syscall_nr(const struct pt_regs *regs)
{
	return regs->ip;
}

static inline void syscall_set_result(struct pt_regs *regs, long result)
{
	regs->fp = (unsigned long)result;
}

static inline long syscall_result(const struct pt_regs *regs)
{
	return regs->fp;
}

static inline void syscall_undo(struct pt_regs *regs)
{
}

static inline void syscall_rewind(struct pt_regs *regs)
{
	regs->ip--;
}

static inline long syscall_call(syscall_fn fn, const struct pt_regs *regs)
{
	return fn(regs->ip, regs->sp, regs->fp, 0, 0, 0);
}
