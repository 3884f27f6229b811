/* SPDX-License-Identifier: MIT */
/* Break- and watchpoint registers, by number: nothing else reads or writes them. PL1. */
#pragma once

#include <asm/cp15.h>

/* Of one kind (ARM DDI 0406C, C11.11): opc2 says which, CRm has the number. */
#define DEBUGREG_CASE(n, opc2)                                      \
	case n:                                                     \
		cp_write("p14, 0, %0, c0, c" #n ", " #opc2, value); \
		break
#define DEBUGREG_WRITER(name, opc2)                    \
	static inline void name(unsigned n, u32 value) \
	{                                              \
		switch (n) {                           \
			DEBUGREG_CASE(0, opc2);        \
			DEBUGREG_CASE(1, opc2);        \
			DEBUGREG_CASE(2, opc2);        \
			DEBUGREG_CASE(3, opc2);        \
			DEBUGREG_CASE(4, opc2);        \
			DEBUGREG_CASE(5, opc2);        \
			DEBUGREG_CASE(6, opc2);        \
			DEBUGREG_CASE(7, opc2);        \
			DEBUGREG_CASE(8, opc2);        \
			DEBUGREG_CASE(9, opc2);        \
			DEBUGREG_CASE(10, opc2);       \
			DEBUGREG_CASE(11, opc2);       \
			DEBUGREG_CASE(12, opc2);       \
			DEBUGREG_CASE(13, opc2);       \
			DEBUGREG_CASE(14, opc2);       \
			DEBUGREG_CASE(15, opc2);       \
		}                                      \
	}

DEBUGREG_WRITER(dbgbvr_write, 4)
DEBUGREG_WRITER(dbgbcr_write, 5)
DEBUGREG_WRITER(dbgwvr_write, 6)
DEBUGREG_WRITER(dbgwcr_write, 7)

/* Of number 0: what a register keeps says what there is. */
static inline u32 dbgwcr0_read(void)
{
	return cp_read("p14, 0, %0, c0, c0, 7");
}
