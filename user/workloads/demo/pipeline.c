/* SPDX-License-Identifier: MIT */
/*
 * Three stages over two pipes, through the C library's streams: text lines, their numbers, their
 * sum. The producer pauses between batches, so the others sleep in fgets() and fread().
 */
#include "demo.h"

#include <stdio.h>
#include <time.h>

static NOINLINE int emit_batch(FILE *out, int batch)
{
	for (int i = 0; i < LINES_PER_BATCH; i++)
		fprintf(out, "item %d weighs %d grams\n", i, batch * LINES_PER_BATCH + i);
	return fflush(out);
}

static NOINLINE void pause_between_batches(void)
{
	struct timespec pause = {.tv_nsec = 10000000};

	nanosleep(&pause, NULL);
}

NOINLINE int produce(int fd)
{
	FILE *out = fdopen(fd, "w");

	if (!out)
		return 1;
	for (int batch = 0; batch < BATCHES; batch++) {
		if (emit_batch(out, batch))
			return 1;
		pause_between_batches();
	}
	return fclose(out) != 0;
}

static NOINLINE int parse_line(const char *line, long *weight)
{
	int item;

	return sscanf(line, "item %d weighs %ld grams", &item, weight) == 2;
}

static NOINLINE char *next_line(FILE *in, char *line, int size)
{
	return fgets(line, size, in);
}

NOINLINE int parse(int in_fd, int out_fd)
{
	FILE *in = fdopen(in_fd, "r"), *out = fdopen(out_fd, "w");
	char line[80];
	long weight;

	if (!in || !out)
		return 1;
	while (next_line(in, line, sizeof(line))) {
		if (!parse_line(line, &weight))
			return 1;
		if (fwrite(&weight, sizeof(weight), 1, out) != 1 || fflush(out))
			return 1;
	}
	return fclose(out) != 0;
}

static NOINLINE int next_number(FILE *in, long *number)
{
	return fread(number, sizeof(*number), 1, in) == 1;
}

NOINLINE int total(int fd)
{
	const long n = BATCHES * LINES_PER_BATCH;
	FILE *in = fdopen(fd, "r");
	long sum = 0, number;

	if (!in)
		return 1;
	while (next_number(in, &number))
		sum += number;
	return sum != n * (n - 1) / 2;
}
