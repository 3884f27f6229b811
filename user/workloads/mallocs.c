/* SPDX-License-Identifier: MIT */
/* mallocs [N]: N (10000) allocations and frees of changing sizes; checks what it stored. */
#include "arguments.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS 64

int main(int argc, char **argv)
{
	struct number rounds = {10000, .most = ULONG_MAX};
	unsigned char *slot[SLOTS] = {0};
	size_t size[SLOTS] = {0};
	unsigned seed = 1;

	take_numbers(argc, argv, &rounds, 1, "mallocs [N]");
	for (unsigned long i = 0; i < rounds.value; i++) {
		unsigned k = i % SLOTS;

		for (size_t j = 0; j < size[k]; j += 97) {
			if (slot[k][j] != (unsigned char)k) {
				fprintf(stderr, "mallocs: block %u is damaged\n", k);
				return 1;
			}
		}
		free(slot[k]);
		seed = seed * 1664525 + 1013904223;
		size[k] = 1 + seed % 5000;
		slot[k] = malloc(size[k]);
		if (!slot[k]) {
			fprintf(stderr, "mallocs: out of memory\n");
			return 1;
		}
		memset(slot[k], k, size[k]);
	}
	for (unsigned k = 0; k < SLOTS; k++)
		free(slot[k]);
	printf("mallocs: %lu\n", rounds.value);
	return 0;
}
