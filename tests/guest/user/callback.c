/* SPDX-License-Identifier: MIT */
/*
 * Called by the C library, and calling it. On ARM this file is compiled in Thumb state, the library
 * and the other files in ARM state.
 */
#include "callback.h"

#include <stdlib.h>

static void (*at_the_bottom)(void);

static int compare(const void *a, const void *b)
{
	at_the_bottom();
	return *(const int *)a - *(const int *)b;
}

void callback_for_good(void (*leaf)(void))
{
	void (*end)(void) __attribute__((noreturn)) = (void *)leaf;

	/* In Thumb state it has an even number of instructions then, and no gap behind it. */
	__asm__ volatile("nop");
	end();
}

/* Lies behind the last one, with a frame of another kind. */
void callback_sort(void (*leaf)(void))
{
	int numbers[2] = {2, 1};

	at_the_bottom = leaf;
	qsort(numbers, 2, sizeof(numbers[0]), compare);
	__asm__ volatile("" ::"r"(numbers[0]) : "memory"); /* keeps the call from becoming a jump */
}
