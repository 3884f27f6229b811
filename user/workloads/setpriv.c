/* SPDX-License-Identifier: MIT */
/*
 * setpriv --reuid UID command...: runs the command as user UID, without privilege unless that is 0.
 * Of util-linux's options there is this one.
 */
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uapi/types.h>
#include <unistd.h>

#define STATUS_WRONG      1
#define STATUS_CANNOT_RUN 126
#define STATUS_NOT_FOUND  127

static const struct option options[] = {
    {"reuid", required_argument, NULL, 'u'},
    {},
};

/* A user number in decimal; -1: it is none. */
static long parse_uid(const char *text)
{
	char *end;
	long uid = strtol(text, &end, 10);

	return *text >= '0' && *text <= '9' && !*end && uid <= UAPI_UID_MAX ? uid : -1;
}

static int usage(void)
{
	fprintf(stderr, "usage: setpriv --reuid UID command [argument...]\n");
	return STATUS_WRONG;
}

int main(int argc, char **argv)
{
	long uid = -1;
	int option;

	while ((option = getopt_long(argc, argv, "+", options, NULL)) != -1) {
		if (option != 'u')
			return usage();
		uid = parse_uid(optarg);
		if (uid < 0) {
			fprintf(stderr, "setpriv: %s: not a user number\n", optarg);
			return STATUS_WRONG;
		}
	}
	if (uid < 0 || optind == argc)
		return usage();
	if (setreuid(uid, uid)) {
		fprintf(stderr, "setpriv: user %ld: %s\n", uid, strerror(errno));
		return STATUS_WRONG;
	}
	execvp(argv[optind], argv + optind);
	fprintf(stderr, "setpriv: %s: %s\n", argv[optind], strerror(errno));
	return errno == ENOENT ? STATUS_NOT_FOUND : STATUS_CANNOT_RUN;
}
