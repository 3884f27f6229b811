/* SPDX-License-Identifier: MIT */
/* The bits of the debug registers (ARM DDI 0406C, C11.11), and what a CPU knows of its own. */
#pragma once

#include <asm/breakpoint.h>
#include <asm/debugcr.h>
#include <asm/debugreg_access.h>

/* DBGDIDR (C11.11.15). */
#define DBGDIDR_BREAKPOINTS(didr) (((didr) >> 24 & 0xf) + 1)
#define DBGDIDR_WATCHPOINTS(didr) (((didr) >> 28) + 1)
#define DBGDIDR_VERSION(didr)     ((didr) >> 16 & 0xf)
#define DEBUG_V7_MEMORY           4 /* break- and watchpoints only through memory */
#define DEBUG_V7_1                5

/* DBGDSCR (C11.11.20). */
#define DBGDSCR_MOE_MASK  (0xfU << 2)
#define DBGDSCR_MOE(dscr) ((dscr) >> 2 & 0xf)
#define MOE_BKPT          3
#define DBGDSCR_UDCCDIS   BIT(12) /* programs may not use the debugger's channel */
#define DBGDSCR_MDBGEN    BIT(15) /* debug exceptions are taken */

#define DBGOSLSR_LOCKED BIT(1)
#define DBGOSLAR_KEY    0xc5acce55

/* DBGBCR.BAS. */
#define BAS_ARM        0xfU
#define BAS_THUMB_LOW  0x3U /* at a multiple of four */
#define BAS_THUMB_HIGH 0xcU

struct task;

/*
 * A step over one instruction: breakpoints where it may go on, and off is what has struck. It ends
 * when one of these strikes; or, if something else comes first, is put off: see step_put_off().
 */
struct arm_step {
	bool on;
	u8 used;           /* slots of BP_EXEC that have these places */
	u8 off[BP_POOLS];  /* slots; none, unless it is on */
	unsigned long pc;  /* of the instruction */
	struct task *task; /* in user mode; NULL: the kernel's */
	u32 unmasked;      /* the kernel's: what of CPSR.I and .F was clear */
};

struct arm_debug {
	struct bp_bank loaded; /* as the registers are but for a step */
	struct arm_step step;
	bool probing; /* at boot: what strikes is to be known, and nobody's */
};

/* The registers of slot @slot of @pool; on which CPU, the caller knows. */
static inline void debugreg_write_value(unsigned pool, unsigned slot, u32 value)
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
 * A step that is not known to be over: all slots are as they were. If its instruction is still what
 * its task goes on with, that does not strike when it does. Interrupts off.
 */
void step_put_off(struct arm_debug *debug);

/* Slots are about to change. */
static inline void debug_leave_step(struct arm_debug *debug)
{
	if (unlikely(debug->step.on))
		step_put_off(debug);
}
