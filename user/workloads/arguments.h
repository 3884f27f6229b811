/* SPDX-License-Identifier: MIT */
/* The arguments of a workload: numbers, of which none has to be given. */
#pragma once

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>

#define WRONG_USAGE 2

struct number {
	unsigned long value; /* the default, until there is one */
	unsigned long least, most;
};

/* Takes the words behind argv[0] as at most @nr numbers; ends the program if they are none. */
static void take_numbers(int argc, char **argv, struct number *number, int nr, const char *usage)
{
	bool wrong = argc - 1 > nr;

	for (int i = 1; i < argc && !wrong; i++, number++) {
		char *end;

		errno = 0;
		number->value = strtoul(argv[i], &end, 0);
		wrong = argv[i][0] < '0' || argv[i][0] > '9' || *end || errno ||
			number->value < number->least || number->value > number->most;
	}
	if (!wrong)
		return;
	fprintf(stderr, "usage: %s\n", usage);
	exit(WRONG_USAGE);
}
