/* SPDX-License-Identifier: MIT */
/* perf: which command, and what all of them share. */
#include "perf.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

int error(const char *format, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("perf: ", stderr);
	va_start(ap, format);
	vfprintf(stderr, format, ap);
	va_end(ap);
	fputc('\n', stderr);
	return -1;
}

bool parse_number(const char *text, const char *what, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 10);
	if (errno || *end || *text < '0' || *text > '9' || *value == 0) {
		error("%s: \"%s\" is not a positive number", what, text);
		return false;
	}
	return true;
}

static const struct command {
	const char *name;
	int (*run)(int argc, char **argv);
	const char *what;
} commands[] = {
    {"record", cmd_record, "runs a command and writes its profile as a stream"},
    {"stat", cmd_stat, "runs a command and counts events"},
    {"script", cmd_script, "prints the samples of a stream"},
};

static void usage(FILE *to)
{
	fprintf(to, "usage: perf COMMAND [OPTIONS]; perf COMMAND -h tells its options\n");
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		fprintf(to, "  %-8s %s\n", commands[i].name, commands[i].what);
}

int main(int argc, char **argv)
{
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	for (size_t i = 0; i < sizeof(commands) / sizeof(commands[0]); i++)
		if (!strcmp(argv[1], commands[i].name))
			return commands[i].run(argc - 1, argv + 1);
	if (!strcmp(argv[1], "-h") || !strcmp(argv[1], "--help")) {
		usage(stdout);
		return 0;
	}
	error("\"%s\" is not a command of this perf", argv[1]);
	usage(stderr);
	return EXIT_USAGE;
}
