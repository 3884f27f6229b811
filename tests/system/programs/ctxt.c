/* SPDX-License-Identifier: MIT */
/*
 * Tells how many context switches the scheduler counted between two moments, and what the clock
 * said at each: "ctxt <ns> <ns> <switches>". In between, it sleeps and lets a child run.
 */
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long switches(void)
{
	FILE *f = fopen("/proc/stat", "r");
	long long n = -1;
	char line[128];

	while (f && n < 0 && fgets(line, sizeof(line), f))
		sscanf(line, "ctxt %lld", &n);
	if (f)
		fclose(f);
	return n;
}

static long long now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000LL + t.tv_nsec;
}

/* A moment and the count at it: nobody ran in between if the count stood still around the clock. */
static long long moment(long long *ns)
{
	long long before, after = switches();

	do {
		before = after;
		*ns = now();
		after = switches();
	} while (after != before);
	return after;
}

int main(void)
{
	long long t0, t1, n = moment(&t0);
	pid_t pid = fork();

	for (int i = 0; i < 200; i++)
		usleep(pid ? 500 : 700);
	if (!pid)
		_exit(0);
	wait(NULL);
	n = moment(&t1) - n;
	printf("ctxt %lld %lld %lld\n", t0, t1, n);
	return 0;
}
