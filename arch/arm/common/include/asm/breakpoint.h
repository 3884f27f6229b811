/* SPDX-License-Identifier: MIT */
/*
 * ARM's part of arch/breakpoint.h, ARMv7-A's and AArch64's: the processor's breakpoints are one
 * pool, its watchpoints are another (ARM DDI 0406C, C3.3 and C3.4; ARM DDI 0487, D2.8 and D2.10).
 */
#pragma once

#include <hotregs/types.h>

#define BP_POOLS 2
#define BP_EXEC  0 /* DBGBVR, DBGBCR */
#define BP_DATA  1 /* DBGWVR, DBGWCR */
#ifdef __aarch64__
#define BP_SLOTS 16
typedef u16 bp_slots_t; /* several: bits */
#else
#define BP_SLOTS 8 /* of up to 16; ARMv7-A processors have no more */
typedef u8 bp_slots_t;
#endif

struct bp_form {
	unsigned long addr; /* the value register */
	u32 control;        /* the control register */
	u8 pool;
};

struct bp_bank {
	unsigned long value[BP_POOLS][BP_SLOTS];
	u32 control[BP_POOLS][BP_SLOTS];
	bp_slots_t on[BP_POOLS];
};

/* What this machine has; filled at boot. */
struct arm_breakpoints {
	u8 slots[BP_POOLS]; /* for breakpoints */
	u8 step_slot;       /* of BP_EXEC, behind these: for the end of a step */
	u8 width;           /* bytes that DBGWCR.BAS has: 4 or 8 */
	bool kernel;        /* they strike in the kernel, too */
	const char *why;    /* there are none */
};
extern struct arm_breakpoints arm_breakpoints;

static inline unsigned bp_pool(const struct bp_form *form)
{
	return form->pool;
}

static inline unsigned bp_pool_size(unsigned pool)
{
	return arm_breakpoints.slots[pool];
}

static inline void bp_install(struct bp_bank *bank, unsigned pool, unsigned slot,
			      const struct bp_form *form)
{
	bank->value[pool][slot] = form->addr;
	bank->control[pool][slot] = form->control;
	bank->on[pool] |= BIT(slot);
}

static inline void bp_uninstall(struct bp_bank *bank, unsigned pool, unsigned slot)
{
	bank->value[pool][slot] = bank->control[pool][slot] = 0;
	bank->on[pool] &= ~BIT(slot);
}
