/* SPDX-License-Identifier: MIT */
/* Architecture contract: where a system call's number, arguments and result live. */
#pragma once

#include <arch/regs.h>

static inline unsigned long syscall_nr(const struct pt_regs *regs);
static inline void syscall_set_result(struct pt_regs *regs, long result);
static inline long syscall_result(const struct pt_regs *regs);

/*
 * @regs have the result of a system call. They are as they were before it again, with the program
 * behind the instruction; or, rewound, in front of it, so that it makes the call anew.
 */
static inline void syscall_undo(struct pt_regs *regs);
static inline void syscall_rewind(struct pt_regs *regs);

/* Calls fn with the six argument registers. */
typedef long (*syscall_fn)(unsigned long, unsigned long, unsigned long, unsigned long,
			   unsigned long, unsigned long);
static inline long syscall_call(syscall_fn fn, const struct pt_regs *regs);

#include <asm/syscall.h>
