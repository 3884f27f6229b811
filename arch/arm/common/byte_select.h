/* SPDX-License-Identifier: MIT */
/* Watched bytes as ARM's watchpoints have them, ARMv7's and AArch64's alike. */
#pragma once

#include <hotregs/types.h>

#define BYTE_SELECT_PARTS 2
#define BYTE_SELECT_MAX   8UL /* bytes that a range may have */

/* One watchpoint: an aligned address, which of the bytes from there on, and ignored bits of it. */
struct byte_select {
	unsigned long addr;
	u8 bytes; /* BAS: bit n says the byte at addr + n */
	u8 mask;  /* MASK: 0, or how many low bits of addresses are ignored */
};

/*
 * Watchpoints for [first, last], 1 to BYTE_SELECT_MAX bytes; returns how many. @width: the bytes
 * that one has a bit for, 4 or 8. With 8 they are exact. With 4 a range in three words is watched
 * with up to three bytes beside it. Pure.
 */
unsigned byte_select(unsigned long first, unsigned long last, unsigned width,
		     struct byte_select part[BYTE_SELECT_PARTS]);
