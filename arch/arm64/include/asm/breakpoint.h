/* SPDX-License-Identifier: MIT */
/*
 * AArch64 part of arch/breakpoint.h: the processor's breakpoints are one pool, its watchpoints are
 * another (Arm ARM DDI 0487, D2.8 and D2.10).
 */
#pragma once

#include <hotregs/types.h>

#define BP_POOLS 2
#define BP_EXEC  0 /* DBGBVR, DBGBCR */
#define BP_DATA  1 /* DBGWVR, DBGWCR */
#define BP_SLOTS 16

struct bp_form {
	unsigned long addr; /* the value register */
	u32 control;        /* the control register */
	u8 pool;
};

struct bp_bank {
	unsigned long value[BP_POOLS][BP_SLOTS];
	u32 control[BP_POOLS][BP_SLOTS];
	u16 on[BP_POOLS]; /* slots */
};

/* What this machine has; filled at boot. */
struct arm64_breakpoints {
	u8 slots[BP_POOLS]; /* for breakpoints */
	u8 step_slot;       /* of BP_EXEC, behind these: for the end of an exclusive access */
	const char *why;    /* there are none */
};
extern struct arm64_breakpoints arm64_breakpoints;

static inline unsigned bp_pool(const struct bp_form *form)
{
	return form->pool;
}

static inline unsigned bp_pool_size(unsigned pool)
{
	return arm64_breakpoints.slots[pool];
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
