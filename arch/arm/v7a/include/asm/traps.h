/* SPDX-License-Identifier: MIT */
/* What ARMv7-A's entry, trap and user-access code share. */
#pragma once

#include <hotregs/types.h>

struct pt_regs;

/* entry.S: what VBAR points at. */
extern const char exception_vectors[];

/* Called by entry.S, interrupts off. */
void undefined_instruction(struct pt_regs *regs);
void prefetch_abort(struct pt_regs *regs);
void data_abort(struct pt_regs *regs);
void irq_interrupt(struct pt_regs *regs);
void unexpected_exception(struct pt_regs *regs);
void stack_fault(struct pt_regs *regs);
void exit_work(struct pt_regs *regs);

/*
 * Moves @regs to the fixup of an instruction that has one: a user access that faulted, or one that
 * may be undefined. False when it has none. Any context.
 */
bool extable_fixup(struct pt_regs *regs);

/* Has the instruction at @regs one? Any context. */
bool extable_covers(const struct pt_regs *regs);
