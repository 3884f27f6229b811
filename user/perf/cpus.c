/* SPDX-License-Identifier: MIT */
/* Which CPUs to watch: all there are, or those of a list like "0,2-3". */
#include "perf.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

static int configured(void)
{
	long n = sysconf(_SC_NPROCESSORS_CONF);

	if (n < 1 || n > MAX_CPUS)
		return error("%ld CPUs; this perf knows of 1 to %d", n, MAX_CPUS);
	return n;
}

/* A number at @text, of a CPU that there is; NULL with a message, else what follows it. */
static const char *take_cpu(const char *text, const char *list, unsigned nr, unsigned *cpu)
{
	char *end;
	unsigned long n = strtoul(text, &end, 10);

	if (*text < '0' || *text > '9') {
		error("-C: \"%s\" is not a list of CPUs like 0,2-3", list);
		return NULL;
	}
	if (n >= nr) {
		error("-C: there is no CPU %.*s; this machine's are 0 to %u", (int)(end - text),
		      text, nr - 1);
		return NULL;
	}
	*cpu = n;
	return end;
}

int cpus_parse(struct cpu_list *cpus, const char *list)
{
	bool wanted[MAX_CPUS] = {false};
	const char *text = list;
	int nr = configured();

	if (nr < 0)
		return -1;
	for (;; text++) {
		unsigned first, last;

		text = take_cpu(text, list, nr, &first);
		last = first;
		if (text && *text == '-')
			text = take_cpu(text + 1, list, nr, &last);
		if (!text)
			return -1;
		if (last < first || (*text && *text != ','))
			return error("-C: \"%s\" is not a list of CPUs like 0,2-3", list);
		while (first <= last)
			wanted[first++] = true;
		if (!*text)
			break;
	}
	cpus->nr = 0;
	for (int cpu = 0; cpu < nr; cpu++)
		if (wanted[cpu])
			cpus->cpu[cpus->nr++] = cpu;
	return 0;
}

int cpus_all(struct cpu_list *cpus)
{
	int nr = configured();

	if (nr < 0)
		return -1;
	for (cpus->nr = 0; cpus->nr < (unsigned)nr; cpus->nr++)
		cpus->cpu[cpus->nr] = cpus->nr;
	return 0;
}
