/* SPDX-License-Identifier: MIT */
/*
 * hog [N]: takes N MiB of memory, twice as much as is free by default, a MiB at a time, and only
 * then writes to every page. Where there is less, the kernel ends it.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define MIB (1UL << 20)

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

int main(int argc, char **argv)
{
	unsigned long n = argc > 1 ? strtoul(argv[1], NULL, 0) : 2 * free_memory();
	char **area = calloc(n, sizeof(*area));

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
	for (unsigned long i = 0; i < n; i++)
		for (size_t at = 0; at < MIB; at += getpagesize())
			touch(area[i] + at);
	printf("hog: %lu MiB\n", n);
	return 0;
}
