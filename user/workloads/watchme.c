/* SPDX-License-Identifier: MIT */
/* watchme [N]: writes its global variable counter N (1000) times, for whoever watches it. */
#include "arguments.h"

volatile unsigned long counter;

static __attribute__((noinline)) void count(unsigned long value)
{
	counter = value;
}

int main(int argc, char **argv)
{
	struct number times = {1000, .least = 0, .most = ~0UL};

	take_numbers(argc, argv, &times, 1, "watchme [N]");
	for (unsigned long i = 1; i <= times.value; i++)
		count(i);
	printf("watchme: %lu\n", times.value);
	return 0;
}
