/* SPDX-License-Identifier: MIT */
/* Reads through a null pointer, three calls deep. */
#include "arguments.h"

#include <stdio.h>

static volatile int *volatile nowhere;

static __attribute__((noinline)) int dereference(void)
{
	return *nowhere;
}

static __attribute__((noinline)) int crash(void)
{
	return dereference() + 1;
}

int main(int argc, char **argv)
{
	take_numbers(argc, argv, NULL, 0, "crash");
	printf("about to crash\n");
	fflush(stdout);
	return crash();
}
