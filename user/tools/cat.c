/* SPDX-License-Identifier: MIT */
/* Copies files, or standard input, to standard output. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static int copy(int fd, const char *name)
{
	char buf[4096];
	ssize_t n;

	while ((n = read(fd, buf, sizeof(buf))) > 0) {
		for (ssize_t done = 0; done < n;) {
			ssize_t written = write(STDOUT_FILENO, buf + done, n - done);

			if (written < 0) {
				fprintf(stderr, "cat: write: %s\n", strerror(errno));
				return 1;
			}
			done += written;
		}
	}
	if (n < 0)
		fprintf(stderr, "cat: %s: %s\n", name, strerror(errno));
	return n < 0;
}

int main(int argc, char **argv)
{
	int failed = 0;

	if (getopt(argc, argv, "+") != -1) {
		fputs("usage: cat [FILE...]\n", stderr);
		return 2;
	}
	if (optind == argc)
		return copy(STDIN_FILENO, "standard input");
	for (int i = optind; i < argc; i++) {
		int fd = open(argv[i], O_RDONLY);

		if (fd < 0) {
			fprintf(stderr, "cat: %s: %s\n", argv[i], strerror(errno));
			failed = 1;
			continue;
		}
		failed |= copy(fd, argv[i]);
		close(fd);
	}
	return failed;
}
