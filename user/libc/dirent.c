/* SPDX-License-Identifier: MIT */
/* Reading directories. */
#include "libc.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct __dir {
	int fd;
	size_t pos, filled; /* in buf */
	struct dirent entry;
	char buf[1024] __attribute__((aligned(8)));
};

DIR *opendir(const char *path)
{
	DIR *dir = malloc(sizeof(*dir));

	if (!dir)
		return NULL;
	dir->pos = dir->filled = 0;
	dir->fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir->fd < 0) {
		free(dir);
		return NULL;
	}
	return dir;
}

struct dirent *readdir(DIR *dir)
{
	if (dir->pos == dir->filled) {
		long n = SYSCALL(getdents, dir->fd, dir->buf, sizeof(dir->buf));

		if (n <= 0)
			return NULL;
		dir->pos = 0;
		dir->filled = n;
	}

	const struct uapi_dirent *k = (const void *)(dir->buf + dir->pos);

	dir->pos += k->reclen;
	dir->entry.d_ino = k->ino;
	dir->entry.d_type = k->type;
	strlcpy(dir->entry.d_name, k->name, sizeof(dir->entry.d_name));
	return &dir->entry;
}

int closedir(DIR *dir)
{
	int fd = dir->fd;

	free(dir);
	return close(fd);
}
