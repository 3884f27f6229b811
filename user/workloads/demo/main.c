/* SPDX-License-Identifier: MIT */
/*
 * demo: what `make run` profiles when nothing else is asked for. Three processes joined by pipes,
 * two sleepers of different rhythm and one that faults pages in. It mostly waits, and for reasons
 * that its function names tell; the profile has to show them.
 */
#include "demo.h"

#include "../arguments.h"

#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#define MS 1000000L

/* Runs one stage in a child: @in and @out are its pipe ends, -1 for none; all others are closed. */
#define START(call, in, out)                                     \
	do {                                                     \
		pid_t pid_ = fork();                             \
		if (pid_ < 0) {                                  \
			perror("demo: fork");                    \
			return 1;                                \
		}                                                \
		if (pid_ == 0) {                                 \
			for (int fd_ = 3; fd_ < 16; fd_++)       \
				if (fd_ != (in) && fd_ != (out)) \
					close(fd_);              \
			_exit(call);                             \
		}                                                \
	} while (0)

static NOINLINE int wait_for_children(void)
{
	int failed = 0, status;

	while (wait(&status) > 0)
		failed += status != 0;
	return failed;
}

int main(int argc, char **argv)
{
	int lines[2], numbers[2], failed;

	take_numbers(argc, argv, NULL, 0, "demo");
	printf("demo: a pipeline of three, two sleepers, one that faults pages\n");
	fflush(stdout);
	if (pipe(lines) < 0 || pipe(numbers) < 0) {
		perror("demo: pipe");
		return 1;
	}
	START(produce(lines[1]), lines[1], -1);
	START(parse(lines[0], numbers[1]), lines[0], numbers[1]);
	START(total(numbers[0]), numbers[0], -1);
	close(lines[0]);
	close(lines[1]);
	close(numbers[0]);
	close(numbers[1]);
	START(sleeper(20, 20 * MS), -1, -1);
	START(sleeper(5, 100 * MS), -1, -1);
	START(fault_pages(20, 16), -1, -1);
	failed = wait_for_children();
	if (failed)
		printf("demo: %d processes failed\n", failed);
	else
		printf("demo: done, %d lines went through\n", BATCHES * LINES_PER_BATCH);
	return failed != 0;
}
