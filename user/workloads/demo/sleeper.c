/* SPDX-License-Identifier: MIT */
/* A process that does nothing but sleep, three calls deep. */
#include "demo.h"

#include <time.h>

static NOINLINE int nap(long ns)
{
	struct timespec time = {.tv_nsec = ns};

	return nanosleep(&time, NULL);
}

static NOINLINE int rest_a_while(long ns)
{
	return nap(ns) != 0;
}

NOINLINE int sleeper(int naps, long ns)
{
	int failed = 0;

	while (naps--)
		failed |= rest_a_while(ns);
	return failed;
}
