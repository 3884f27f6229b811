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

/*
 * debug.c: aborts for a debug event, that of data at @addr. False: it was a BKPT instruction.
 * Interrupts off.
 */
bool debug_prefetch_abort(struct pt_regs *regs);
void debug_data_abort(struct pt_regs *regs, unsigned long addr);

/* debug.c: while a step is on, the instruction at @regs has faulted. Interrupts off. */
void step_faulted(struct pt_regs *regs);
