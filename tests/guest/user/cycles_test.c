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

#define MAX(a, b) ((a) > (b) ? (a) : (b))
#define CYCLES    100 /* of which the short run does a quarter */
#define WARM_UP   4

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
    {.argv = {"pagefaults", "16"}},
    {.argv = {"pingpong", "3", "2"}},
    {.argv = {"setpriv", "--reuid", "1000", "exits"}},
    {.argv = {"spin", "0"}},
    {.argv = {"threads", "3"}, .weight = 5},
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

/* False: it could not be started, or ended otherwise than it should. */
static bool cycle(const struct workload *w)
{
	int status = -1;
	pid_t pid = fork();

	if (!pid)
		run(w);
	return waitpid(pid, &status, 0) == pid && status == w->status;
}

struct state {
	long free_kb, slab_kb, tasks;
};

static long read_number(const char *path, const char *format)
{
	FILE *f = fopen(path, "r");
	char line[80];
	long n = -1;

	while (f && n < 0 && fgets(line, sizeof(line), f))
		sscanf(line, format, &n);
	if (f)
		fclose(f);
	return n;
}

/* Once there are no more than @tasks: those whose parent did not wait for them end on their own. */
static struct state state(long tasks)
{
	const struct timespec moment = {0, 1000000};
	struct state s = {0};

	for (int i = 0; i < 100; i++) {
		s.tasks = read_number("/proc/loadavg", "%*s %*s %*s %*d/%ld");
		if (s.tasks <= tasks)
			break;
		nanosleep(&moment, NULL);
	}
	s.free_kb = read_number("/proc/meminfo", "MemFree: %ld kB");
	s.slab_kb = read_number("/proc/meminfo", "Slab: %ld kB");
	return s;
}

static void many_cycles(const struct workload *w, int times)
{
	long tasks = read_number("/proc/loadavg", "%*s %*s %*s %*d/%ld");
	struct state before, after;
	int n = 0;

	while (n < WARM_UP && cycle(w))
		n++;
	before = state(tasks);
	while (n < WARM_UP + times && cycle(w))
		n++;
	after = state(tasks);
	ktap_expect(n == WARM_UP + times, __FILE__, __LINE__, "%s to end well, in cycle %d too",
		    w->argv[0], n + 1);
	ktap_expect(before.free_kb > 0 && before.slab_kb > 0 && before.tasks > 0 &&
			before.free_kb == after.free_kb && before.slab_kb == after.slab_kb &&
			before.tasks == after.tasks,
		    __FILE__, __LINE__,
		    "%s: %ld kB free, %ld kB of kernel objects, %ld tasks, not %ld, %ld, %ld",
		    w->argv[0], before.free_kb, before.slab_kb, before.tasks, after.free_kb,
		    after.slab_kb, after.tasks);
}

TEST(storm_of_every_workload_leaves_nothing)
{
	char names[] = WORKLOADS;

	fflush(stdout);
	for (char *name = strtok(names, " "); name; name = strtok(NULL, " ")) {
		const struct workload *w = find(name);

		if (ktap_expect(w, __FILE__, __LINE__, "a row for %s", name))
			/* In the long run all of them are that many. */
			many_cycles(w, ktap_scale == 1 ? CYCLES / 4 / MAX(w->weight, 1)
						       : CYCLES * ktap_scale);
	}
}
