/* SPDX-License-Identifier: MIT */
/* pagefaults [N]: writes to N (256) fresh pages, each of which faults once. */
#include "arguments.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static __attribute__((noinline)) void touch(volatile char *page)
{
	*page = 1;
}

int main(int argc, char **argv)
{
	size_t page = getpagesize(), n;
	struct number pages = {256, .least = 1, .most = SIZE_MAX / page};
	char *area;

	take_numbers(argc, argv, &pages, 1, "pagefaults [N]");
	n = pages.value;
	area = mmap(NULL, n * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (area == MAP_FAILED) {
		perror("pagefaults");
		return 1;
	}
	for (size_t i = 0; i < n; i++)
		touch(area + i * page);
	printf("pagefaults: %zu\n", n);
	return 0;
}
