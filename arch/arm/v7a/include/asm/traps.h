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
void exit_work(struct pt_regs *regs, bool syscall);
