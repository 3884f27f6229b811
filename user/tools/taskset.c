/* SPDX-License-Identifier: MIT */
/*
 * On which processors a program may run: taskset MASK COMMAND..., taskset -p [MASK] PID; with -c a
 * list such as 0,2-3 in place of the hexadecimal mask.
 */
#include <errno.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int usage(void)
{
	fputs("usage: taskset [-c] MASK COMMAND [ARGUMENT...]\n"
	      "       taskset [-c] -p [MASK] PID\n"
	      "MASK: processors in hexadecimal, 1 being the first; with -c a list: 0,2-3\n",
	      stderr);
	return 2;
}

static int of_process_failed(pid_t pid)
{
	fprintf(stderr, "taskset: process %d: %s\n", (int)pid, strerror(errno));
	return 1;
}

/* A number of a processor at *@p, which is then behind it; CPU_SETSIZE stands for all beyond. */
static bool parse_cpu(const char **p, unsigned *cpu)
{
	char *end;
	unsigned long number = strtoul(*p, &end, 10);

	if (**p < '0' || **p > '9')
		return false;
	*cpu = number < CPU_SETSIZE ? number : CPU_SETSIZE;
	*p = end;
	return true;
}

static bool parse_list(const char *p, cpu_set_t *set)
{
	unsigned first, last;

	for (;;) {
		if (!parse_cpu(&p, &first))
			return false;
		last = first;
		if (*p == '-' && (p++, !parse_cpu(&p, &last)))
			return false;
		for (unsigned cpu = first; cpu <= last && cpu < CPU_SETSIZE; cpu++)
			CPU_SET(cpu, set);
		if (last < first || !*p)
			return last >= first;
		if (*p++ != ',')
			return false;
	}
}

static bool parse_mask(const char *text, cpu_set_t *set)
{
	char *end;
	unsigned long long mask;

	errno = 0;
	mask = strtoull(text, &end, 16);
	if (end == text || *end || *text == '-' || errno)
		return false;
	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
		if (mask >> cpu & 1)
			CPU_SET(cpu, set);
	return true;
}

static void print_mask(const cpu_set_t *set)
{
	unsigned long long mask = 0;

	for (unsigned cpu = 0; cpu < CPU_SETSIZE; cpu++)
		mask |= (unsigned long long)CPU_ISSET(cpu, set) << cpu;
	printf("mask: %llx\n", mask);
}

static void print_list(const cpu_set_t *set)
{
	const char *separator = "list: ";

	for (unsigned cpu = 0, last; cpu < CPU_SETSIZE; cpu = last + 1) {
		last = cpu;
		if (!CPU_ISSET(cpu, set))
			continue;
		while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set))
			last++;
		printf(last > cpu ? "%s%u-%u" : "%s%u", separator, cpu, last);
		separator = ",";
	}
	putchar('\n');
}

static int show(pid_t pid, const char *which, bool list)
{
	cpu_set_t set;

	if (sched_getaffinity(pid, sizeof(set), &set))
		return of_process_failed(pid);
	printf("pid %d's %s affinity ", (int)pid, which);
	(list ? print_list : print_mask)(&set);
	return 0;
}

/* @text is what @set was made of. Those that the machine does not have are left out, but not all.
 */
static int change(pid_t pid, const cpu_set_t *set, const char *text)
{
	long nr = sysconf(_SC_NPROCESSORS_CONF);

	if (sched_setaffinity(pid, sizeof(*set), set) == 0)
		return 0;
	if (errno != EINVAL)
		return of_process_failed(pid);
	fprintf(stderr, "taskset: %s: no processor of this machine, which has 0", text);
	if (nr > 1)
		fprintf(stderr, "-%ld", nr - 1);
	fputc('\n', stderr);
	return 1;
}

/* taskset -p [MASK] PID: shows it, and after a change once more. @text: NULL without a mask. */
static int of_process(const cpu_set_t *set, const char *text, const char *target, bool list)
{
	char *end;
	long pid;

	errno = 0;
	pid = strtol(target, &end, 10);
	if (end == target || *end || errno || pid < 0 || pid != (pid_t)pid) {
		fprintf(stderr, "taskset: %s: not a process number\n", target);
		return 1;
	}
	if (show(pid, "current", list))
		return 1;
	if (!text)
		return 0;
	if (change(pid, set, text))
		return 1;
	return show(pid, "new", list);
}

int main(int argc, char **argv)
{
	bool list = false, process = false;
	cpu_set_t set;
	int option;

	while ((option = getopt(argc, argv, "+cp")) != -1) {
		if (option == '?')
			return usage();
		list |= option == 'c';
		process |= option == 'p';
	}
	argc -= optind;
	argv += optind;
	if (process && argc == 1)
		return of_process(NULL, NULL, argv[0], list);
	if (process ? argc != 2 : argc < 2)
		return usage();
	CPU_ZERO(&set);
	if (!(list ? parse_list : parse_mask)(argv[0], &set)) {
		fprintf(stderr, "taskset: %s: not a %s of processors\n", argv[0],
			list ? "list" : "mask");
		return 1;
	}
	if (process)
		return of_process(&set, argv[0], argv[1], list);
	if (change(0, &set, argv[0]))
		return 1;
	execvp(argv[1], argv + 1);
	fprintf(stderr, "taskset: %s: %s\n", argv[1], strerror(errno));
	return errno == ENOENT ? 127 : 126;
}
