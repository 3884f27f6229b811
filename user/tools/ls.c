/* SPDX-License-Identifier: MIT */
/* Lists directories and files: ls [-l] [PATH...]. One name a line, a slash behind directories. */
#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define PATH_ROOM 512

static bool with_details;

static char type_letter(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFDIR:
		return 'd';
	case S_IFREG:
		return '-';
	case S_IFCHR:
		return 'c';
	case S_IFIFO:
		return 'p';
	default:
		return '?';
	}
}

static void print_details(const struct stat *st)
{
	char time[32] = "";
	struct tm *tm = localtime(&st->st_mtime);

	putchar(type_letter(st->st_mode));
	for (int bit = 8; bit >= 0; bit--)
		putchar(st->st_mode >> bit & 1 ? "xwr"[bit % 3] : '-');
	if (tm)
		strftime(time, sizeof(time), "%Y-%m-%d %H:%M", tm);
	printf(" %3u %5u %9lld %s ", (unsigned)st->st_nlink, (unsigned)st->st_uid,
	       (long long)st->st_size, time);
}

static int fail(const char *path)
{
	fflush(stdout);
	fprintf(stderr, "ls: %s: %s\n", path, strerror(errno));
	return 1;
}

/* One line about @path, which is shown as @name. */
static int print_entry(const char *path, const char *name, bool is_dir)
{
	struct stat st;

	if (with_details) {
		if (lstat(path, &st) < 0)
			return fail(path);
		print_details(&st);
	}
	printf("%s%s\n", name, is_dir ? "/" : "");
	return 0;
}

static int compare(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The names in @path, sorted; NULL: there is no such directory, or no memory. */
static char **read_names(const char *path, size_t *n)
{
	DIR *dir = opendir(path);
	char **names = dir ? malloc(sizeof(*names)) : NULL;
	struct dirent *entry;

	*n = 0;
	while (names && (entry = readdir(dir))) {
		char **more = realloc(names, (*n + 1) * sizeof(*names));
		char *name = more ? strdup(entry->d_name) : NULL;

		names = more;
		if (!name)
			break;
		names[(*n)++] = name;
	}
	if (dir)
		closedir(dir);
	if (names)
		qsort(names, *n, sizeof(*names), compare);
	return names;
}

static int list_directory(const char *path)
{
	size_t n;
	char **names = read_names(path, &n);
	int failed = 0;

	if (!names)
		return fail(path);
	for (size_t i = 0; i < n; i++) {
		char full[PATH_ROOM];
		struct stat st;

		snprintf(full, sizeof(full), "%s/%s", path, names[i]);
		failed |= print_entry(full, names[i], lstat(full, &st) == 0 && S_ISDIR(st.st_mode));
		free(names[i]);
	}
	free(names);
	return failed;
}

static int list(const char *path, bool several)
{
	struct stat st;

	if (lstat(path, &st) < 0)
		return fail(path);
	if (!S_ISDIR(st.st_mode))
		return print_entry(path, path, false);
	if (several)
		printf("%s:\n", path);
	return list_directory(path);
}

int main(int argc, char **argv)
{
	int first = argc > 1 && !strcmp(argv[1], "-l") ? 2 : 1, failed = 0;

	with_details = first == 2;
	if (first < argc && argv[first][0] == '-' && argv[first][1]) {
		fputs("usage: ls [-l] [PATH...]\n", stderr);
		return 2;
	}
	if (first == argc)
		return list(".", false);
	for (int i = first; i < argc; i++)
		failed |= list(argv[i], argc - first > 1);
	return failed;
}
