/* SPDX-License-Identifier: MIT */
/*
 * The clock that stamps the records: its name, and how it relates to the time of day, so that
 * readers can tell when something was.
 */
#include "perf.h"

#include <errno.h>
#include <string.h>
#include <strings.h>

/* C libraries number and know clocks differently; those that count from the start are one here. */
#ifndef CLOCK_MONOTONIC_RAW
#define CLOCK_MONOTONIC_RAW CLOCK_MONOTONIC
#endif
#ifndef CLOCK_BOOTTIME
#define CLOCK_BOOTTIME CLOCK_MONOTONIC
#endif

static const struct clock clocks[] = {
    {"monotonic", "mono", 1, CLOCK_MONOTONIC},
    {"monotonic_raw", "raw", 4, CLOCK_MONOTONIC_RAW},
    {"realtime", "real", 0, CLOCK_REALTIME},
    {"boottime", "boot", 7, CLOCK_BOOTTIME},
};

const struct clock *clock_parse(const char *text)
{
	const char *name = strncasecmp(text, "CLOCK_", 6) ? text : text + 6;

	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		if (!strcasecmp(name, clocks[i].name) || !strcasecmp(name, clocks[i].alias))
			return &clocks[i];
	error("-k: clock \"%s\" is not known; there are:", text);
	for (size_t i = 0; i < sizeof(clocks) / sizeof(clocks[0]); i++)
		fprintf(stderr, "  %s, %s\n", clocks[i].name, clocks[i].alias);
	return NULL;
}

static uint64_t ns_of(const struct timespec *t)
{
	return t->tv_sec * UINT64_C(1000000000) + t->tv_nsec;
}

int clock_now(clockid_t clock, uint64_t *ns)
{
	struct timespec t;

	if (clock_gettime(clock, &t) < 0)
		return error("clock_gettime: %s", strerror(errno));
	*ns = ns_of(&t);
	return 0;
}

int clock_resolution(clockid_t clock, uint64_t *ns)
{
	struct timespec t;

	if (clock_getres(clock, &t) < 0)
		return error("clock_getres: %s", strerror(errno));
	*ns = ns_of(&t);
	return 0;
}
