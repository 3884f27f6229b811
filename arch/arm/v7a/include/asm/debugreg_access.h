/* SPDX-License-Identifier: MIT */
/* Break- and watchpoint registers, by number: nothing else reads or writes them. PL1. */
#pragma once

#include <asm/cp15.h>

/* DBGBVR, DBGBCR, DBGWVR, DBGWCR @n, below 16 (ARM DDI 0406C, C11.11). */
void dbgbvr_write(unsigned n, u32 value);
void dbgbcr_write(unsigned n, u32 value);
void dbgwvr_write(unsigned n, u32 value);
void dbgwcr_write(unsigned n, u32 value);

/* Of number 0: what a register keeps says what there is. */
static inline u32 dbgwcr0_read(void)
{
	return cp_read("p14, 0, %0, c0, c0, 7");
}
