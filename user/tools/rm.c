/* SPDX-License-Identifier: MIT */
/* Removes files, and with -r directories and what is in them: rm [-r] [-f] PATH... */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_ROOM 512

static bool recursive, force;

static int fail(const char *path)
{
	fprintf(stderr, "rm: %s: %s\n", path, strerror(errno));
	return 1;
}

static int remove_path(const char *path);

static int remove_below(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;
	int failed = 0;

	if (!dir)
		return fail(path);
	while ((entry = readdir(dir))) {
		char below[PATH_ROOM];

		if ((size_t)snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) >=
		    sizeof(below)) {
			errno = ENAMETOOLONG;
			failed |= fail(path);
			continue;
		}
		failed |= remove_path(below);
	}
	closedir(dir);
	return failed;
}

static int remove_path(const char *path)
{
	struct stat st;
	int failed = 0;

	if (lstat(path, &st) < 0)
		return force && errno == ENOENT ? 0 : fail(path);
	if (!S_ISDIR(st.st_mode) || !recursive)
		return unlink(path) < 0 ? fail(path) : 0;
	failed = remove_below(path);
	return rmdir(path) < 0 ? fail(path) : failed;
}

int main(int argc, char **argv)
{
	int first = 1, failed = 0;

	for (; first < argc && argv[first][0] == '-'; first++) {
		if (strspn(argv[first] + 1, "rf") + 1 != strlen(argv[first]))
			break;
		recursive |= strchr(argv[first], 'r') != NULL;
		force |= strchr(argv[first], 'f') != NULL;
	}
	if (first >= argc || argv[first][0] == '-') {
		fputs("usage: rm [-r] [-f] PATH...\n", stderr);
		return 2;
	}
	for (int i = first; i < argc; i++)
		failed |= remove_path(argv[i]);
	return failed;
}
