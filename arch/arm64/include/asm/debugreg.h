/* SPDX-License-Identifier: MIT */
/* The bits of the debug registers (Arm ARM DDI 0487, D17.3), and what a CPU knows of its own. */
#pragma once

#include <asm/breakpoint.h>
#include <asm/debugcr.h>
#include <asm/sysreg.h>

/* ID_AA64DFR0_EL1 (D17.2.59). */
#define DFR0_VERSION(dfr0)     ((dfr0)&0xf)
#define DFR0_BREAKPOINTS(dfr0) (((dfr0) >> 12 & 0xf) + 1)
#define DFR0_WATCHPOINTS(dfr0) (((dfr0) >> 20 & 0xf) + 1)
#define DFR0_DOUBLELOCK(dfr0)  ((dfr0) >> 36 & 0xf) /* 15: there is none */

/* MDSCR_EL1 (D17.3.20). */
#define MDSCR_SS   BIT(0)  /* PSTATE.SS says when a step exception comes */
#define MDSCR_TDCC BIT(12) /* programs may not use the debugger's channel */
#define MDSCR_KDE  BIT(13) /* debug exceptions are taken from EL1, too */
#define MDSCR_MDE  BIT(15) /* and of break- and watchpoints */

#define OSLSR_LOCKED BIT(1) /* OSLSR_EL1.OSLK (D17.3.25) */

#define BAS_A64 0xfU /* DBGBCR.BAS */

/* debugreg.S: DBGBVR, DBGBCR, DBGWVR, DBGWCR @n, below 16. */
void dbgbvr_write(unsigned n, u64 value);
void dbgbcr_write(unsigned n, u64 value);
void dbgwvr_write(unsigned n, u64 value);
void dbgwcr_write(unsigned n, u64 value);

struct pt_regs;
struct task;

/*
 * A step over one instruction, or over an exclusive access from its load to its store; off is what
 * has struck. It ends by a step exception, or by a breakpoint behind the store; or, if the kernel
 * is entered otherwise, is put off: see step_put_off().
 */
struct arm64_step {
	unsigned long end;      /* where that breakpoint is; 0: there is none */
	u16 off[BP_POOLS];      /* slots; none, unless it is on */
	bool turned_off;        /* they are */
	unsigned long pc;       /* of the instruction */
	struct task *task;      /* in user mode; NULL: the kernel's */
	unsigned long unmasked; /* the kernel's: what of PSTATE.I and .F was clear */
};

struct arm_debug {
	struct bp_bank loaded; /* as the registers are but for a step */
	struct arm64_step step;
	bool probing; /* at boot: what strikes is to be known, and nobody's */
};

/*
 * The kernel has been entered from @regs while a step is on: all slots are as they were. If its
 * instruction is still to be executed, that does not strike when it is. PSTATE.D is set.
 */
void step_put_off(struct pt_regs *regs);

/* The registers of slot @slot of @pool. */
static inline void debugreg_write_value(unsigned pool, unsigned slot, u64 value)
{
	if (pool == BP_EXEC)
		dbgbvr_write(slot, value);
	else
		dbgwvr_write(slot, value);
}

static inline void debugreg_write_control(unsigned pool, unsigned slot, u32 control)
{
	if (pool == BP_EXEC)
		dbgbcr_write(slot, control);
	else
		dbgwcr_write(slot, control);
}

/*
 * Slots are about to change. No step is on: whoever enters the kernel puts it off, and the
 * exception itself ends it first.
 */
static inline void debug_leave_step(struct arm_debug *debug)
{
}
