/* SPDX-License-Identifier: MIT */
/*
 * Every workload there is, forked, executed and ended many times: the machine then has the memory
 * it had before, to the page, and no task more. The makefile says which workloads there are.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ktap.h"

#define CYCLES 100 /* of which the short run does a quarter */

/* With arguments that make it short, and how it ends. */
static const struct workload {
	char *const argv[5];
	int status;
	int weight; /* of one that takes long, and starts so many itself; 0: 1 */
} workloads[] = {
    {.argv = {"crash"}, .status = SIGSEGV},
    {.argv = {"demo"}, .weight = 20},
    {.argv = {"exits", "3"}, .status = 3 << 8},
    {.argv = {"hello", "a", "b"}},
    {.argv = {"hog", "1"}, .weight = 4},
    {.argv = {"mallocs", "100"}},
    {.argv = {"migrate", "1"}},
    {.argv = {"pagefaults", "16"}},
    {.argv = {"pingpong", "3", "2"}},
    {.argv = {"setpriv", "--reuid", "1000", "exits"}},
    {.argv = {"spin", "0"}},
    {.argv = {"threads", "3"}, .weight = 5},
    {.argv = {"watchme", "10"}},
};

static const struct workload *find(const char *name)
{
	for (size_t i = 0; i < sizeof(workloads) / sizeof(workloads[0]); i++)
		if (!strcmp(workloads[i].argv[0], name))
			return &workloads[i];
	return NULL;
}

static void run(const struct workload *w)
{
	char path[32];
	int fd = open("/dev/null", O_RDWR);

	for (int to = 0; to < 3; to++)
		dup2(fd, to);
	close(fd);
	snprintf(path, sizeof(path), "/bin/%s", w->argv[0]);
	execv(path, w->argv);
	_exit(126);
}

static void cycle(void *arg)
{
	const struct workload *w = arg;
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		run(w);
	ktap_expect(waitpid(pid, &status, 0) == pid && status == w->status, __FILE__, __LINE__,
		    "%s to end with status 0x%x, not 0x%x", w->argv[0], w->status, status);
}

TEST(storm_of_every_workload_leaves_nothing)
{
	char names[] = WORKLOADS;

	fflush(stdout);
	for (char *name = strtok(names, " "); name; name = strtok(NULL, " ")) {
		const struct workload *w = find(name);

		int short_run = CYCLES / 4 / (w && w->weight ? w->weight : 1);

		/* In the long run all of them are that many. */
		if (ktap_expect(w, __FILE__, __LINE__, "a row for %s", name))
			leaves_nothing(name, cycle, (void *)w,
				       ktap_scale == 1 ? short_run : CYCLES * ktap_scale);
	}
}
