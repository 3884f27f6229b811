/* SPDX-License-Identifier: MIT */
/* Copies files: cp FILE TARGET, cp FILE... DIRECTORY. */
#include <fcntl.h>
#include <unistd.h>

#include "target.h"

static int write_all(int fd, const char *buf, ssize_t n)
{
	while (n) {
		ssize_t written = write(fd, buf, n);

		if (written < 0)
			return -1;
		buf += written;
		n -= written;
	}
	return 0;
}

/* Copies the contents of @from and its permission bits to @to. */
static int copy_file(const char *from, const char *to)
{
	int in = open(from, O_RDONLY), out, failed = 0;
	struct stat st, to_st;
	char buf[4096];
	ssize_t n;

	if (in < 0)
		return fail(from);
	if (fstat(in, &st) < 0 || S_ISDIR(st.st_mode)) {
		errno = EISDIR;
		close(in);
		return fail(from);
	}
	if (stat(to, &to_st) == 0 && st.st_ino == to_st.st_ino) {
		close(in);
		errno = EINVAL;
		return fail(to); /* the same file would be emptied */
	}
	out = open(to, O_WRONLY | O_CREAT | O_TRUNC, st.st_mode & 0777);
	if (out < 0) {
		close(in);
		return fail(to);
	}
	while ((n = read(in, buf, sizeof(buf))) > 0) {
		if (write_all(out, buf, n) < 0) {
			failed = fail(to);
			break;
		}
	}
	if (n < 0)
		failed = fail(from);
	close(in);
	close(out);
	return failed;
}

int main(int argc, char **argv)
{
	program = "cp";
	return for_each(argc, argv, copy_file);
}
