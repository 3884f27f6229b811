/* SPDX-License-Identifier: MIT */
/* kernel/fs/path.c: a resolved path has one form, whatever it was made of. */
#include "fuzz.h"
#include <hotregs/fs.h>

void fuzz_examples(void)
{
	static const char paths[] = "\100bin/../proc/./self//maps\0../a\0/x/y/\0.";

	fuzz_add_example(paths, sizeof(paths));
}

/* "/", or components that are neither "." nor "..", each behind one slash. */
static void check_form(const char *path)
{
	CHECK(path[0] == '/' && !strstr(path, "//") && !strstr(path, "/./") &&
	      !strstr(path, "/../"));
	if (path[1]) {
		const char *last = strrchr(path, '/');

		CHECK(last[1] && strcmp(last, "/.") && strcmp(last, "/.."));
	}
}

/* As from the root, with the directory before it. */
static void check_joined(const char *cwd, const char *path, const char *resolved)
{
	char joined[1024], again[FS_PATH_MAX];

	if (path[0] == '/' || strlen(cwd) + strlen(path) + 2 > sizeof(joined))
		return;
	strcpy(joined, cwd);
	strcat(joined, "/");
	strcat(joined, path);
	CHECK(path_resolve("/", joined, again, sizeof(again)) >= 0 && !strcmp(again, resolved));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	char cwd[FS_PATH_MAX] = "/", again[FS_PATH_MAX];
	size_t room;

	if (size < 2 || size > 1000 || data[size - 1])
		return 0;
	room = MIN(2 + data[0], FS_PATH_MAX);
	for (const char *path = (const char *)data + 1; path < (const char *)data + size;
	     path += strlen(path) + 1) {
		char *out = fuzz_copy(again, room);
		int err = path_resolve(cwd, path, out, room);

		CHECK(err == 0 || err == 1 || err == -ENOENT || err == -ENAMETOOLONG);
		CHECK((err == -ENOENT) == !*path);
		if (err < 0)
			continue;
		CHECK(strnlen(out, room) < room);
		check_form(out);
		CHECK(path_resolve("/", out, again, sizeof(again)) == (out[1] == 0));
		CHECK(!strcmp(again, out));
		check_joined(cwd, path, out);
		strcpy(cwd, out);
	}
	fuzz_free_copies();
	return 0;
}
