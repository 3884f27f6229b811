/* SPDX-License-Identifier: MIT */
/*
 * Byte address select (ARM DDI 0406C, C11.11.44: DBGWCR.BAS and .MASK; ARM DDI 0487,
 * DBGWCR<n>_EL1): a watchpoint watches any adjacent bytes of one aligned block, four or eight of
 * them by processor.
 */
#include "byte_select.h"

#define DOUBLEWORD_MASK 3 /* ignored bits of an address; BAS must then be all ones */

static struct byte_select part_of(unsigned long block, unsigned width, unsigned long first,
				  unsigned long last)
{
	unsigned low = first > block ? first - block : 0;
	unsigned high = last - block < width ? last - block : width - 1;

	return (struct byte_select){block, (2U << high) - (1U << low), 0};
}

/* Three words: the two that are an aligned doubleword are one watchpoint. */
static unsigned select_in_words(unsigned long first, unsigned long last, struct byte_select part[])
{
	unsigned long word = first & ~3UL, end = last & ~3UL;
	struct byte_select pair = {(word + 4) & ~7UL, 0xf, DOUBLEWORD_MASK};

	if (pair.addr == word) {
		part[0] = pair;
		part[1] = part_of(end, 4, first, last);
		return end == word + 4 ? 1 : 2;
	}
	part[0] = part_of(word, 4, first, last);
	part[1] = pair;
	return 2;
}

unsigned byte_select(unsigned long first, unsigned long last, unsigned width,
		     struct byte_select part[BYTE_SELECT_PARTS])
{
	unsigned long block = first & -(unsigned long)width, end = last & -(unsigned long)width;
	bool whole = width == 4 && last - first == BYTE_SELECT_MAX - 1 && first % 8 == 0;

	if (whole || end - block > width)
		return select_in_words(first, last, part);
	part[0] = part_of(block, width, first, last);
	if (end == block)
		return 1;
	part[1] = part_of(end, width, first, last);
	return 2;
}
