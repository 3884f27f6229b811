/* SPDX-License-Identifier: MIT */
/* What cp and mv share: where each file goes. */
#pragma once

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_ROOM 512

static const char *program;

static int fail(const char *path)
{
	fprintf(stderr, "%s: %s: %s\n", program, path, strerror(errno));
	return 1;
}

/* @target, or @from's name in it if it is a directory; NULL: too long, errno set. */
static const char *place(const char *from, const char *target, char buf[PATH_ROOM])
{
	const char *name = strrchr(from, '/');
	struct stat st;

	if (stat(target, &st) < 0 || !S_ISDIR(st.st_mode))
		return target;
	name = name ? name + 1 : from;
	if ((size_t)snprintf(buf, PATH_ROOM, "%s/%s", target, name) < PATH_ROOM)
		return buf;
	errno = ENAMETOOLONG;
	return NULL;
}

/* Does @one with each of the arguments, no options, but the last, and with where it leads there. */
static int for_each(int argc, char **argv, int (*one)(const char *from, const char *to))
{
	const char *target = argv[argc - 1];
	int failed = 0;
	struct stat st;

	if (getopt(argc, argv, "+") != -1 || argc - optind < 2) {
		fprintf(stderr, "usage: %s FILE TARGET\n       %s FILE... DIRECTORY\n", program,
			program);
		return 2;
	}
	if (argc - optind > 2 && (stat(target, &st) < 0 || !S_ISDIR(st.st_mode))) {
		errno = ENOTDIR;
		return fail(target);
	}
	for (int i = optind; i < argc - 1; i++) {
		char buf[PATH_ROOM];
		const char *to = place(argv[i], target, buf);

		failed |= to ? one(argv[i], to) : fail(argv[i]);
	}
	return failed;
}
