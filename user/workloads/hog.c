/* SPDX-License-Identifier: MIT */
/*
 * hog [-k SECONDS] [MIB]: takes so many MiB of memory, twice as much as is free by default, a MiB
 * at a time, and only then writes to every page. Where there is less, the kernel ends it. With -k
 * it has the kernel write, which then is refused instead: it has what it can get, and keeps it so
 * long.
 */
#include "arguments.h"

#include <fcntl.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MIB   (1UL << 20)
#define USAGE "hog [-k SECONDS] [MIB]"

/* From /proc/meminfo, in MiB, rounded up. */
static unsigned long free_memory(void)
{
	FILE *f = fopen("/proc/meminfo", "r");
	unsigned long kib = 0;
	char line[80];

	while (f && fgets(line, sizeof(line), f))
		sscanf(line, "MemFree: %lu kB", &kib);
	if (f)
		fclose(f);
	return (kib + 1023) / 1024;
}

static __attribute__((noinline)) void touch(volatile char *page)
{
	*page = 1;
}

/* Takes what it gets of @n areas, and says how much that is. */
static void keep(char **area, unsigned long n, unsigned seconds)
{
	int zero = open("/dev/zero", O_RDONLY);
	unsigned long pages = 0;
	long size = getpagesize();

	/* What these need is there the next time. */
	printf("hog: takes %lu KiB\n", n * 1024);
	fflush(stdout);
	sleep(0);
	for (unsigned long i = 0; i < n; i++)
		for (size_t at = 0; at < MIB; at += size)
			pages += read(zero, area[i] + at, size) == size;
	printf("hog: keeps %lu KiB\n", pages * size / 1024);
	fflush(stdout);
	sleep(seconds);
}

int main(int argc, char **argv)
{
	bool keeps = argc > 2 && !strcmp(argv[1], "-k");
	struct number keep_for = {.most = UINT_MAX}, mib = {2 * free_memory(), .most = ULONG_MAX};
	unsigned long n;
	char **area;

	if (keeps) {
		take_numbers(2, argv + 1, &keep_for, 1, USAGE);
		argc -= 2;
		argv += 2;
	}
	take_numbers(argc, argv, &mib, 1, USAGE);
	n = mib.value;
	area = calloc(n, sizeof(*area));
	for (unsigned long i = 0; area && i < n; i++) {
		area[i] =
		    mmap(NULL, MIB, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		if (area[i] == MAP_FAILED)
			area = NULL;
	}
	if (!area) {
		perror("hog");
		return 1;
	}
	if (keeps) {
		keep(area, n, keep_for.value);
		return 0;
	}
	for (unsigned long i = 0; i < n; i++)
		for (size_t at = 0; at < MIB; at += getpagesize())
			touch(area[i] + at);
	printf("hog: %lu MiB\n", n);
	return 0;
}
