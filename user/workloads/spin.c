/* SPDX-License-Identifier: MIT */
/* spin [N]: computes for N (100) million rounds in a hot function, without a system call. */
#include "arguments.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>

static __attribute__((noinline)) unsigned hot(unsigned seed, unsigned long rounds)
{
	for (unsigned long i = 0; i < rounds; i++)
		seed = seed * 1664525 + 1013904223;
	return seed;
}

static __attribute__((noinline)) unsigned spin(unsigned long millions)
{
	unsigned seed = 1;

	while (millions--)
		seed = hot(seed, 1000000);
	return seed;
}

int main(int argc, char **argv)
{
	struct number millions = {100, .most = ULONG_MAX};

	take_numbers(argc, argv, &millions, 1, "spin [N]");
	printf("spin: %u\n", spin(millions.value));
	return 0;
}
