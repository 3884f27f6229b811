/* SPDX-License-Identifier: MIT */
/* x86_64 part of arch/syscall.h: number in RAX, arguments in RDI RSI RDX R10 R8 R9. */
#pragma once

static inline unsigned long syscall_nr(const struct pt_regs *regs)
{
	return regs->orig_ax;
}

static inline void syscall_set_result(struct pt_regs *regs, long result)
{
	regs->ax = result;
}

static inline long syscall_result(const struct pt_regs *regs)
{
	return regs->ax;
}

static inline void syscall_undo(struct pt_regs *regs)
{
	regs->ax = regs->orig_ax;
}

static inline void syscall_rewind(struct pt_regs *regs)
{
	syscall_undo(regs);
	regs->ip -= 2; /* SYSCALL: 0f 05 */
}

static inline long syscall_call(syscall_fn fn, const struct pt_regs *regs)
{
	return fn(regs->di, regs->si, regs->dx, regs->r10, regs->r8, regs->r9);
}
