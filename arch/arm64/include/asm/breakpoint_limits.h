/* SPDX-License-Identifier: MIT */
/* What of arch/arm/common/breakpoint.c is AArch64's own: addresses, masks, kinds of instructions.
 */
#pragma once

#include <arch/mmu.h>
#include <asm/debugreg.h>

#define BP_ADDRESS      ~0UL                 /* its bits */
#define BP_KERNEL_FIRST 0xffff000000000000UL /* what TTBR1 shows begins */
#define BP_MASK_MAX     31

/* Why what begins at @first can not be watched; NULL: it can. */
static inline const char *bp_wrong_place(unsigned long first)
{
	return first < USER_END || first >= BP_KERNEL_FIRST
		   ? NULL
		   : "between the halves of the address space";
}

/* Behind "execution at an address". */
static inline const char *bp_state_name(const struct bp_form *form)
{
	return "";
}
