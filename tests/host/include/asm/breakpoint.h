/* SPDX-License-Identifier: MIT */
/*
 * Host part of arch/breakpoint.h: a machine with two pools of slots, whose sizes a test sets; see
 * breakpoint_machine.c. Whatever a form watches, it takes one slot.
 */
#pragma once

#include <hotregs/printk.h>

#define BP_POOLS 2
#define BP_SLOTS 4

struct bp_form {
	unsigned long addr, len; /* length 0: an instruction */
	unsigned pool;
};

struct bp_bank {
	struct bp_form form[BP_POOLS][BP_SLOTS];
	u32 on[BP_POOLS]; /* bit: slot */
};

extern unsigned host_bp_slots[BP_POOLS];

static inline unsigned bp_pool(const struct bp_form *form)
{
	return form->pool;
}

static inline unsigned bp_pool_size(unsigned pool)
{
	return host_bp_slots[pool];
}

static inline void bp_install(struct bp_bank *bank, unsigned pool, unsigned slot,
			      const struct bp_form *form)
{
	ASSERT(slot < bp_pool_size(pool) && !(bank->on[pool] & BIT(slot)));
	bank->form[pool][slot] = *form;
	bank->on[pool] |= BIT(slot);
}

static inline void bp_uninstall(struct bp_bank *bank, unsigned pool, unsigned slot)
{
	ASSERT(bank->on[pool] & BIT(slot));
	bank->form[pool][slot] = (struct bp_form){};
	bank->on[pool] &= ~BIT(slot);
}
