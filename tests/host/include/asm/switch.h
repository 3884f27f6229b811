/* SPDX-License-Identifier: MIT */
/* Host part of arch/switch.h: nothing to switch. */
#pragma once

static inline void arch_switch_state(struct task *prev, struct task *next)
{
	(void)prev;
	(void)next;
}
