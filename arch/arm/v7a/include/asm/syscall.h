/* SPDX-License-Identifier: MIT */
/* ARMv7-A part of arch/syscall.h: SVC #0, number in r7, arguments in r0-r5, result in r0. */
#pragma once

static inline unsigned long syscall_nr(const struct pt_regs *regs)
{
	return regs->r[7];
}

static inline void syscall_set_result(struct pt_regs *regs, long result)
{
	regs->r[0] = result;
}

static inline long syscall_result(const struct pt_regs *regs)
{
	return regs->r[0];
}

static inline void syscall_undo(struct pt_regs *regs)
{
	regs->r[0] = regs->orig_r0;
}

static inline void syscall_rewind(struct pt_regs *regs)
{
	syscall_undo(regs);
	regs->pc -= regs->cpsr & CPSR_T ? 2 : 4;
}

static inline long syscall_call(syscall_fn fn, const struct pt_regs *regs)
{
	return fn(regs->r[0], regs->r[1], regs->r[2], regs->r[3], regs->r[4], regs->r[5]);
}
