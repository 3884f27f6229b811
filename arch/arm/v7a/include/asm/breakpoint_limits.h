/* SPDX-License-Identifier: MIT */
/* What of arch/arm/common/breakpoint.c is ARMv7-A's own: addresses, masks, kinds of instructions.
 */
#pragma once

#include <arch/mmu.h>
#include <asm/debugreg.h>

#define BP_ADDRESS  0xffffffffUL /* its bits */
/* More would not be one of breakpoint_check()'s ranges of a few bytes (C11.11.44). */
#define BP_MASK_MAX 3

/* Why what begins at @first can not be watched; NULL: it can. */
static inline const char *bp_wrong_place(unsigned long first)
{
	return first < USER_END || arm_breakpoints.kernel
		   ? NULL
		   : "in Secure state nothing strikes in the kernel";
}

/* Behind "execution at an address". */
static inline const char *bp_state_name(const struct bp_form *form)
{
	return DBGBCR_BAS(form->control) == BAS_ARM ? "" : " (Thumb)";
}
