/* SPDX-License-Identifier: MIT */
/* The harness: batches, their statistics, and what the kernel says about the work done. */
#include "bench.h"

#include <fcntl.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BATCHES 43
#define DROPPED 3 /* the first ones: caches of all kinds are cold */
#define KEPT    (BATCHES - DROPPED)

double bench_failed(const char *format, ...)
{
	va_list ap;

	fputs("bench: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	return -1;
}

double bench_loop_overhead(unsigned n)
{
	uint64_t start = clock_instructions();

	for (unsigned i = 0; i < n; i++)
		__asm__ volatile("");
	return clock_instructions() - start;
}

/* Reads a file of /proc into @buf, NUL-terminated; without stdio, to disturb little. */
static bool read_file(const char *path, char *buf, size_t size)
{
	int fd = open(path, O_RDONLY);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, size - 1);

	if (fd >= 0)
		close(fd);
	buf[n > 0 ? n : 0] = '\0';
	return n > 0;
}

uint64_t count_switches(void)
{
	char buf[1024];
	const char *line = read_file("/proc/stat", buf, sizeof(buf)) ? strstr(buf, "ctxt ") : NULL;

	return line ? strtoull(line + 5, NULL, 10) : 0;
}

/* Field @number of /proc/self/stat, from 1; the second is a name in parentheses. */
static uint64_t own_stat(int number)
{
	char buf[512];
	const char *p = read_file("/proc/self/stat", buf, sizeof(buf)) ? strrchr(buf, ')') : NULL;

	for (int field = 2; p && field < number; field++) {
		p = strchr(p, ' ');
		p = p ? p + 1 : NULL;
	}
	return p ? strtoull(p, NULL, 10) : 0;
}

uint64_t count_faults(void)
{
	return own_stat(10);
}

uint64_t count_pages(void)
{
	return own_stat(24);
}

static int compare(const void *a, const void *b)
{
	const double *x = a, *y = b;

	return *x < *y ? -1 : *x > *y;
}

/* Fills @cost with the kept batches' results, rising. */
static bool run_batches(const char *name, batch_fn batch, double cost[KEPT])
{
	for (int i = 0; i < BATCHES; i++) {
		double c = batch();

		if (c < 0) {
			bench_failed("%s: no figure", name);
			return false;
		}
		if (i >= DROPPED)
			cost[i - DROPPED] = c;
	}
	qsort(cost, KEPT, sizeof(cost[0]), compare);
	return true;
}

bool bench_median(const char *name, batch_fn batch, double *median)
{
	double cost[KEPT];

	if (!run_batches(name, batch, cost))
		return false;
	*median = cost[KEPT / 2];
	return true;
}

bool bench_row(const char *name, batch_fn batch)
{
	double cost[KEPT];

	if (!run_batches(name, batch, cost))
		return false;
	printf("bench\t%s\t%.0f\t%.0f\t%.0f\n", name, cost[KEPT / 2], cost[0], cost[KEPT - 1]);
	fflush(stdout);
	return true;
}

static bool bench_all(void)
{
	bool ok = bench_system_calls();

	ok &= bench_switches();
	ok &= bench_processes();
	ok &= bench_threads();
	ok &= bench_memory();
	ok &= bench_samples();
	ok &= bench_events();
	ok &= bench_breakpoints();
	return ok;
}

/* "bench": all rows but those with so many tasks that the usual memory has no room for them, which
 * are those of "bench crowd". */
int main(int argc, char **argv)
{
	cpu_set_t first = {.bits = {1}};
	bool crowd = argc == 2 && !strcmp(argv[1], "crowd");

	if (argc > 1 && !crowd) {
		fputs("usage: bench [crowd]\n", stderr);
		return EXIT_FAILURE;
	}
	/* A switch is measured, not two processors that wake each other up. */
	if (sched_setaffinity(0, sizeof(first), &first))
		return EXIT_FAILURE;
	return (crowd ? bench_crowd() : bench_all()) ? EXIT_SUCCESS : EXIT_FAILURE;
}
