/* SPDX-License-Identifier: MIT */
/* Children that get ready and then stay, for rows that depend on what others have. */
#include "bench.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

void bench_end(pid_t *pid, unsigned n)
{
	for (unsigned i = 0; i < n; i++) {
		if (pid[i] <= 0)
			continue;
		kill(pid[i], SIGKILL);
		waitpid(pid[i], NULL, 0);
		pid[i] = 0;
	}
}

pid_t bench_child(unsigned n, bool (*once)(void))
{
	int ready[2];
	bool ok = false;
	pid_t pid;

	if (pipe(ready) < 0)
		return 0;
	pid = fork();
	if (pid == 0) {
		ok = true;
		while (ok && n--)
			ok = once();
		(void)!write(ready[1], &ok, sizeof(ok));
		for (;;)
			pause();
	}
	if (pid > 0 && read(ready[0], &ok, sizeof(ok)) != sizeof(ok))
		ok = false;
	close(ready[0]);
	close(ready[1]);
	if (!ok)
		bench_end(&pid, 1);
	return pid;
}
