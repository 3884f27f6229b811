/* SPDX-License-Identifier: MIT */
/* x86_64 part of arch/breakpoint.h: four slots for anything (Intel SDM vol. 3, 17.2). */
#pragma once

#include <asm/debugreg.h>

#define BP_POOLS 1
#define BP_SLOTS 4

struct bp_form {
	unsigned long addr; /* of a DRn */
	u32 control;        /* R/W and LEN in DR7, of a slot whose bits begin at 0 */
};

struct bp_bank {
	unsigned long addr[BP_SLOTS];
	unsigned long dr7; /* without DR7_IDLE */
};

static inline unsigned bp_pool(const struct bp_form *form)
{
	return 0;
}

static inline unsigned bp_pool_size(unsigned pool)
{
	return BP_SLOTS;
}

static inline void bp_install(struct bp_bank *bank, unsigned pool, unsigned slot,
			      const struct bp_form *form)
{
	bank->addr[slot] = form->addr;
	bank->dr7 |= DR7_ON(slot) | (unsigned long)form->control << DR7_CONTROL(slot);
}

static inline void bp_uninstall(struct bp_bank *bank, unsigned pool, unsigned slot)
{
	bank->addr[slot] = 0;
	bank->dr7 &= ~DR7_SLOT(slot);
}
