/* SPDX-License-Identifier: MIT */
/* Random numbers, and whether the machine is after a test what it was before. */
#include <stdio.h>
#include <time.h>

#include "../user/ktap.h"
#include "hostile.h"

/* Steele, Lea and Flood's SplitMix64: any seed is a good one. */
uint64_t random_u64(struct random *r)
{
	uint64_t z = r->state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static long field_of(const char *path, const char *format)
{
	FILE *f = fopen(path, "r");
	char line[80];
	long value = -1;

	if (!f)
		return -1;
	while (value < 0 && fgets(line, sizeof(line), f))
		sscanf(line, format, &value);
	fclose(f);
	return value;
}

struct machine_state machine_state(void)
{
	return (struct machine_state){
	    .free_kb = field_of("/proc/meminfo", "MemFree: %ld kB"),
	    .slab_kb = field_of("/proc/meminfo", "Slab: %ld kB"),
	    .tasks = field_of("/proc/loadavg", "%*s %*s %*s %*d/%ld"),
	};
}

/* The machine once there are @tasks again, or have been too many for long: orphans end on their
 * own. */
static struct machine_state settled_state(long tasks)
{
	const struct timespec moment = {0, 100000};
	struct machine_state state = machine_state();

	for (int i = 0; i < 1000 && state.tasks != tasks; i++) {
		nanosleep(&moment, NULL);
		state = machine_state();
	}
	/* The last one may have been on its way out while this looked. */
	nanosleep(&moment, NULL);
	return machine_state();
}

static bool same(const struct machine_state *a, const struct machine_state *b)
{
	return a->free_kb == b->free_kb && a->slab_kb == b->slab_kb && a->tasks == b->tasks;
}

bool leaves_nothing(const char *name, void (*body)(void *), void *arg, unsigned times)
{
	struct machine_state before = machine_state(), after;

	for (int i = 0; i < 2; i++) {
		body(arg);
		before = settled_state(before.tasks);
	}
	for (unsigned i = 0; i < times; i++)
		body(arg);
	after = settled_state(before.tasks);
	/* Kernel objects that live longer may lie in one page more. A leak would be there each
	 * time. */
	for (int i = 0; i < 3 && !same(&before, &after); i++) {
		before = after;
		for (unsigned j = 0; j < times; j++)
			body(arg);
		after = settled_state(before.tasks);
	}
	return ktap_expect(before.free_kb > 0 && before.slab_kb > 0 && before.tasks > 0, __FILE__,
			   __LINE__, "%s: /proc to tell of the machine", name) &&
	       ktap_expect(
		   same(&before, &after), __FILE__, __LINE__,
		   "%s: %ld kB free, %ld kB of kernel objects, %ld tasks, not %ld, %ld, %ld", name,
		   before.free_kb, before.slab_kb, before.tasks, after.free_kb, after.slab_kb,
		   after.tasks);
}
