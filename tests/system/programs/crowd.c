/* SPDX-License-Identifier: MIT */
/*
 * crowd N: wakes N tasks all at once on a processor on which none of them was before. More of them
 * are then on their way there than the kernel notes the moves of.
 */
#define _GNU_SOURCE
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static void bind_to(pid_t pid, int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(pid, sizeof(set), &set) < 0)
		die("sched_setaffinity");
}

int main(int argc, char **argv)
{
	int n = argc == 2 ? atoi(argv[1]) : 0, ready[2], go[2];
	char c = 0;

	if (pipe(ready) < 0 || pipe(go) < 0)
		die("pipe");
	bind_to(0, 0);
	for (int i = 0; i < n; i++) {
		pid_t pid = fork();

		if (pid < 0)
			die("fork");
		if (pid == 0) {
			close(go[1]);
			if (write(ready[1], &c, 1) != 1)
				die("write");
			/* Until the last writer is gone */
			_exit(read(go[0], &c, 1) != 0);
		}
		if (read(ready[0], &c, 1) != 1)
			die("read");
		usleep(1000); /* it sleeps now */
		bind_to(pid, 1);
	}
	close(go[1]);
	while (wait(NULL) > 0)
		;
	printf("crowd: %d were woken\n", n);
	return 0;
}
