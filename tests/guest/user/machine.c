/* SPDX-License-Identifier: MIT */
/* See machine.h. */
#include "machine.h"

#include <stdio.h>
#include <time.h>

#include "ktap.h"

struct state {
	long free_kb, tasks;
};

/* The first number that @format finds in a line of @path; -1: none. */
static long number_in(const char *path, const char *format)
{
	FILE *f = fopen(path, "r");
	char line[80];
	long n = -1;

	while (f && n < 0 && fgets(line, sizeof(line), f))
		sscanf(line, format, &n);
	if (f)
		fclose(f);
	return n;
}

/* Bytes that are free in pages with kernel objects. */
static long free_beside_objects(void)
{
	FILE *f = fopen("/proc/slabinfo", "r");
	long objects, size, pages, bytes = 0;
	char line[160];

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%*s %ld %*d %ld %*d %*d : tunables %*d %*d %*d : slabdata %ld",
			   &objects, &size, &pages) == 3)
			bytes += pages * 4096 - objects * size;
	if (f)
		fclose(f);
	return bytes;
}

long free_memory_kb(void)
{
	return number_in("/proc/meminfo", "MemFree: %ld kB") + free_beside_objects() / 1024;
}

static struct state state_now(void)
{
	return (struct state){
	    .free_kb = free_memory_kb(),
	    .tasks = number_in("/proc/loadavg", "%*s %*s %*s %*d/%ld"),
	};
}

/* The machine once there are @tasks again, or have been too many for long: orphans end on their
 * own. */
static struct state settled_state(long tasks)
{
	const struct timespec moment = {0, 100000};
	struct state state = state_now();

	for (int i = 0; i < 1000 && state.tasks != tasks; i++) {
		nanosleep(&moment, NULL);
		state = state_now();
	}
	/* The last one may have been on its way out while this looked, perhaps on another CPU. */
	nanosleep(&(struct timespec){0, 2000000}, NULL);
	return state_now();
}

bool leaves_nothing(const char *name, void (*body)(void *), void *arg, unsigned times)
{
	struct state before = state_now(), after;

	for (int i = 0; i < 2; i++) {
		body(arg);
		before = settled_state(before.tasks);
	}
	while (times--)
		body(arg);
	after = settled_state(before.tasks);
	return ktap_expect(before.free_kb > 0 && before.tasks > 0, __FILE__, __LINE__,
			   "%s: /proc to tell of the machine", name) &&
	       ktap_expect(before.free_kb == after.free_kb && before.tasks == after.tasks, __FILE__,
			   __LINE__, "%s: %ld kB free, %ld tasks, not %ld, %ld", name,
			   before.free_kb, before.tasks, after.free_kb, after.tasks);
}
