/* SPDX-License-Identifier: MIT */
/* Waits: sleep SECONDS, which may have a fraction. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

int main(int argc, char **argv)
{
	char *end = NULL;
	double seconds = argc == 2 ? strtod(argv[1], &end) : -1;
	struct timespec left;

	if (!(seconds >= 0 && seconds < 1e9) || end == argv[1] || *end) {
		fputs("usage: sleep SECONDS\n", stderr);
		return 2;
	}
	left = (struct timespec){.tv_sec = seconds,
				 .tv_nsec = (seconds - (long)seconds) * 1000000000L};
	return nanosleep(&left, NULL) < 0;
}
