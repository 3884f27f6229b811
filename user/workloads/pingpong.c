/* SPDX-License-Identifier: MIT */
/*
 * pingpong [N [DEPTH]]: two processes pass a byte to and fro N (1000) times over two pipes. Each
 * reads at the bottom of DEPTH (4) nested calls of descend(), so that a chain taken at the switch
 * has a known length.
 */
#include "arguments.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static __attribute__((noinline)) int receive(int fd)
{
	char c;

	return read(fd, &c, 1) == 1 ? c : -1;
}

static __attribute__((noinline)) int descend(int fd, int depth)
{
	int c = depth > 1 ? descend(fd, depth - 1) : receive(fd);

	__asm__ volatile("" : "+r"(c)); /* keeps the call from becoming a loop */
	return c;
}

static __attribute__((noinline)) int pong(int in, int out, int depth)
{
	int c;

	while ((c = descend(in, depth)) >= 0) {
		char byte = c + 1;

		if (write(out, &byte, 1) != 1)
			return 1;
	}
	return 0;
}

static __attribute__((noinline)) int ping(int in, int out, int depth, long n)
{
	char byte = 0;

	for (long i = 0; i < n; i++) {
		if (write(out, &byte, 1) != 1)
			return 1;
		if (descend(in, depth) != (char)(byte + 1)) {
			fprintf(stderr, "pingpong: a wrong byte came back\n");
			return 1;
		}
		byte = (byte + 2) & 63;
	}
	return 0;
}

int main(int argc, char **argv)
{
	struct number number[] = {{1000, .most = LONG_MAX}, {4, .least = 1, .most = INT_MAX}};
	int there[2], back[2], status = 0, failed, depth;
	pid_t pid;
	long n;

	take_numbers(argc, argv, number, 2, "pingpong [N [DEPTH]]");
	n = number[0].value;
	depth = number[1].value;
	if (pipe(there) < 0 || pipe(back) < 0 || (pid = fork()) < 0) {
		perror("pingpong");
		return 1;
	}
	if (pid == 0) {
		close(there[1]);
		close(back[0]);
		_exit(pong(there[0], back[1], depth));
	}
	close(there[0]);
	close(back[1]);
	failed = ping(back[0], there[1], depth, n);
	close(there[1]);
	waitpid(pid, &status, 0);
	printf("pingpong: %ld there and back, %d calls deep\n", n, depth);
	return failed || status;
}
