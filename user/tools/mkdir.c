/* SPDX-License-Identifier: MIT */
/* Makes directories: mkdir [-p] PATH... */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_ROOM 512

static int fail(const char *path)
{
	fprintf(stderr, "mkdir: %s: %s\n", path, strerror(errno));
	return 1;
}

/* Makes the directories above @path that are missing. */
static int make_parents(const char *path)
{
	char parent[PATH_ROOM];

	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		if (slash - path >= PATH_ROOM) {
			errno = ENAMETOOLONG;
			return -1;
		}
		strlcpy(parent, path, slash - path + 1);
		if (mkdir(parent, 0777) < 0 && errno != EEXIST)
			return -1;
	}
	return 0;
}

static int make(const char *path, int parents)
{
	struct stat st;

	if (parents && *path && make_parents(path) < 0)
		return fail(path);
	if (mkdir(path, 0777) == 0)
		return 0;
	if (parents && errno == EEXIST && stat(path, &st) == 0 && S_ISDIR(st.st_mode))
		return 0;
	return fail(path);
}

int main(int argc, char **argv)
{
	int parents = 0, failed = 0, option;

	while ((option = getopt(argc, argv, "+p")) == 'p')
		parents = 1;
	if (option != -1 || optind == argc) {
		fputs("usage: mkdir [-p] PATH...\n", stderr);
		return 2;
	}
	for (int i = optind; i < argc; i++)
		failed |= make(argv[i], parents);
	return failed;
}
