/* SPDX-License-Identifier: MIT */
/* What AArch64's entry, trap and user-access code share. */
#pragma once

#include <hotregs/cpu.h>
#include <hotregs/types.h>

struct pt_regs;

/* entry.S: what VBAR_EL1 points at. */
extern const char exception_vectors[];

/* Called by entry.S, interrupts off. */
void user_exception(struct pt_regs *regs, u64 esr);
void kernel_exception(struct pt_regs *regs, u64 esr);
void irq_interrupt(struct pt_regs *regs);
void serror_interrupt(struct pt_regs *regs);
void unexpected_exception(struct pt_regs *regs);
void stack_fault(struct pt_regs *regs);
void exit_work(struct pt_regs *regs, bool syscall);

/*
 * Debug exceptions are taken again, if they were where @regs were interrupted, which is not in the
 * handling of one; and no step is on any more.
 */
static inline void unmask_debug(struct pt_regs *regs)
{
	if (unlikely(regs->pstate & PSTATE_D))
		return;
	if (unlikely(this_cpu()->arch.stepping))
		step_put_off(regs);
	__asm__ volatile("msr daifclr, #8" ::: "memory");
}

/* debug.c: a break- or watchpoint, or a step. PSTATE.D is set. */
void debug_exception(struct pt_regs *regs, u64 esr, unsigned long far);

/* ESR_EL1.EC (Arm ARM DDI 0487, D17.2.37). Aborts and debug exceptions: one more from the kernel.
 */
#define ESR_EC(esr)        ((esr) >> 26 & 0x3f)
#define EC_ILLEGAL_STATE   0x0e
#define EC_SVC64           0x15
#define EC_SYSTEM_REGISTER 0x18
#define EC_INSTRUCTION     0x20
#define EC_PC_ALIGNMENT    0x22
#define EC_DATA            0x24
#define EC_SP_ALIGNMENT    0x26
#define EC_BREAKPOINT      0x30
#define EC_STEP            0x32
#define EC_WATCHPOINT      0x34
#define EC_BRK             0x3c
