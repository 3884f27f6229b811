/* SPDX-License-Identifier: MIT */
/* Lists directories: one name a line, a slash behind those of directories. */
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>

static int list(const char *path)
{
	DIR *dir = opendir(path);
	struct dirent *entry;

	if (!dir) {
		fprintf(stderr, "ls: %s: %s\n", path, strerror(errno));
		return 1;
	}
	while ((entry = readdir(dir)))
		printf("%s%s\n", entry->d_name, entry->d_type == DT_DIR ? "/" : "");
	closedir(dir);
	return 0;
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (argc < 2)
		return list(".");
	for (int i = 1; i < argc; i++)
		failed |= list(argv[i]);
	return failed;
}
