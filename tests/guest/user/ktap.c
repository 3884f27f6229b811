/* SPDX-License-Identifier: MIT */
/* Chooses and runs the tests, and says what came of them. */
#include <sched.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ktap.h"

/* The linker brackets the section for us. */
extern const struct ktap_test __start_ktap_tests[], __stop_ktap_tests[];

void *volatile bad_pointer = (void *)8;

char ktap_program[64];

int ktap_scale = 1;

static const char *skip_reason;
static bool failed;

bool ktap_expect(bool held, const char *file, int line, const char *fmt, ...)
{
	va_list ap;

	if (held)
		return true;
	failed = true;
	printf("# %s:%d: expected ", file, line);
	va_start(ap, fmt);
	vprintf(fmt, ap);
	va_end(ap);
	putchar('\n');
	return false;
}

void ktap_skip(const char *reason)
{
	skip_reason = reason;
}

int in_child(void (*body)(void))
{
	int status;
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (pid < 0)
		return -1;
	if (!pid) {
		body();
		_exit(0);
	}
	return waitpid(pid, &status, 0) == pid ? status : -1;
}

static bool glob_match(const char *pattern, const char *name)
{
	for (; *pattern; pattern++, name++) {
		if (*pattern == '*') {
			do
				if (glob_match(pattern + 1, name))
					return true;
			while (*name++);
			return false;
		}
		if (*pattern != *name)
			return false;
	}
	return !*name;
}

/*
 * Most tests are about what happens on one processor: who runs first, who has slept by now. Those
 * called smp_*, and storms of threads and of programs, have all there are. What a test starts
 * inherits it. Storms of timers have one, too: an emulator that gives its processors turns by their
 * instructions ends a turn when a timer is set, and a processor whose timers are fast would do
 * nothing else.
 */
static void choose_cpus(const char *test)
{
	bool all = glob_match("smp_*", test) || glob_match("thread_storms", test) ||
		   glob_match("storm_of_every_workload*", test);
	cpu_set_t cpus;

	memset(&cpus, all ? 0xff : 0, sizeof(cpus));
	CPU_SET(0, &cpus);
	sched_setaffinity(0, sizeof(cpus), &cpus);
}

int main(int argc, char **argv)
{
	const char *pattern = argc > 1 ? argv[1] : "*";
	unsigned chosen = 0, number = 0;
	bool any_failed = false;

	if (argc > 2 && atoi(argv[2]) > 0)
		ktap_scale = atoi(argv[2]);
	snprintf(ktap_program, sizeof(ktap_program), "/bin/%s", argv[0]);
	for (const struct ktap_test *t = __start_ktap_tests; t < __stop_ktap_tests; t++)
		chosen += glob_match(pattern, t->name);
	free_memory_kb(); /* what it allocates the first time is then there */
	printf("KTAP version 1\n1..%u\n", chosen);
	for (const struct ktap_test *t = __start_ktap_tests; t < __stop_ktap_tests; t++) {
		if (!glob_match(pattern, t->name))
			continue;
		failed = false;
		skip_reason = NULL;
		choose_cpus(t->name);
		t->run();
		if (skip_reason && !failed)
			printf("ok %u %s # SKIP %s\n", ++number, t->name, skip_reason);
		else
			printf("%s %u %s\n", failed ? "not ok" : "ok", ++number, t->name);
		fflush(stdout);
		any_failed |= failed;
	}
	return any_failed || !chosen;
}
