/* SPDX-License-Identifier: MIT */
/* Architecture contract: the trap frame. Every entry into the kernel, system calls included,
 * stores a complete struct pt_regs. */
#pragma once

#include <hotregs/types.h>

struct task;
struct pt_regs;

/* Did @regs come from user mode? */
static inline bool user_mode(const struct pt_regs *regs);

/* Instruction, stack and frame pointer in @regs. */
static inline unsigned long regs_ip(const struct pt_regs *regs);
static inline unsigned long regs_sp(const struct pt_regs *regs);
static inline unsigned long regs_fp(const struct pt_regs *regs);
static inline void regs_set_ip(struct pt_regs *regs, unsigned long ip);

/* The frame @task entered the kernel with from user mode; NULL for kernel threads. Any context. */
static inline struct pt_regs *task_user_regs(const struct task *task);

/*
 * Stores into @regs what an unwinder needs to start at the caller: IP, SP, FP (and mode), as they
 * are when the call returns. Writes no other field: @regs must have been zero before its first use.
 * An assembly leaf; any context.
 */
void arch_hot_regs(struct pt_regs *regs);

/*
 * Moves hot @regs, just taken by arch_hot_regs() in running code whose frame therefore is whole, to
 * the caller's frame. Nothing is checked: not for regs of any other origin. Any context.
 */
static inline void hot_regs_caller(struct pt_regs *regs);

/* Copies hot regs: what arch_hot_regs() stores, and no other field. Any context. */
static inline void hot_regs_copy(struct pt_regs *to, const struct pt_regs *from);

/* Prints every register of @regs. Any context. */
void regs_print(const struct pt_regs *regs);

#include <asm/regs.h>
