/* SPDX-License-Identifier: MIT */
/*
 * Families of tasks whose equal contexts change tasks at switches: while they switch, fork, become
 * other programs, end and move, nothing is lost or counted twice, and each one's part is its own.
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../policy.h"
#include "ktap.h"
#include "samples.h"

#define CHILDREN 4
#define SWITCHES 10000

/* One group, and one event more: as many as there are counters. */
enum { COUNTER, SWITCHED, FAULTS, CLOCK, ALONE, EVENTS };

struct family {
	pid_t root;
	int fd[EVENTS];
};

struct times {
	uint64_t value, enabled, running;
};

static struct perf_event_attr event_of(int i)
{
	static const uint64_t config[EVENTS] = {
	    [SWITCHED] = PERF_COUNT_SW_CONTEXT_SWITCHES,
	    [FAULTS] = PERF_COUNT_SW_PAGE_FAULTS,
	    [CLOCK] = PERF_COUNT_SW_TASK_CLOCK,
	};

	return (struct perf_event_attr){
	    .type = config[i] ? PERF_TYPE_SOFTWARE : COUNTING_TYPE,
	    .size = PERF_ATTR_SIZE_VER5,
	    .config = config[i],
	    .inherit = 1,
	    .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
	};
}

static struct times read_times(int fd)
{
	struct times t = {0};

	EXPECT_EQ(read(fd, &t, sizeof(t)), sizeof(t));
	return t;
}

static uint64_t counter_changes(void)
{
	int fd = open("/dev/handler", O_RDWR);
	uint64_t n = 0;

	EXPECT_EQ(ioctl(fd, HANDLER_CHANGES, &n), 0);
	close(fd);
	return n;
}

/* --- What the tasks do --- */

#define AREA 4 /* pages */

/* The calls are made for no page, too: they reach stack that a fork has shared. */
static void touch(unsigned pages)
{
	char *area =
	    mmap(NULL, AREA * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (unsigned i = 0; i < pages; i++)
		area[i * 4096] = 1;
	munmap(area, AREA * 4096);
}

static void end_as(bool other_program)
{
	char *argv[] = {"true", NULL};

	if (other_program)
		execve("/bin/true", argv, argv + 1);
	_exit(0);
}

static void storm(unsigned seed, unsigned pages)
{
	for (unsigned i = 0; i < SWITCHES / CHILDREN; i++) {
		seed = seed * 1664525 + 1013904223;
		if (seed >> 24 == 0) {
			cpu_set_t cpus = {.bits = {seed >> 23 & 1 ? 1 : 3}};

			sched_setaffinity(0, sizeof(cpus), &cpus);
		}
		if (i % 1000 == 999) {
			if (fork() == 0) {
				sched_yield();
				end_as(seed >> 22 & 1);
			}
		}
		if (i % 100 == 0)
			touch(pages);
		sched_yield();
	}
	while (wait(NULL) > 0)
		;
	end_as(seed >> 23 & 1);
}

static void be_root(unsigned pages)
{
	unsigned left = CHILDREN;

	raise(SIGSTOP);
	for (unsigned i = 0; i < CHILDREN; i++)
		if (fork() == 0)
			storm(i, pages);
	while (left > 0) {
		sched_yield();
		left -= waitpid(-1, NULL, WNOHANG) > 0;
	}
	_exit(0);
}

/* --- A family, counted --- */

static void begin(struct family *f, unsigned pages)
{
	f->root = fork();
	if (f->root == 0)
		be_root(pages);
	/* What it does up to there is never counted, whoever of the two runs first. */
	EXPECT_EQ(waitpid(f->root, NULL, WUNTRACED), f->root);
	for (int i = 0; i < EVENTS; i++) {
		struct perf_event_attr attr = event_of(i);
		int leader = i && i != ALONE ? f->fd[COUNTER] : -1;

		attr.disabled = i == COUNTER;
		f->fd[i] = perf_event_open(&attr, f->root, -1, leader, 0);
		EXPECT(f->fd[i] >= 0);
	}
	EXPECT_EQ(ioctl(f->fd[COUNTER], PERF_EVENT_IOC_ENABLE, 0), 0);
	EXPECT_EQ(kill(f->root, SIGCONT), 0);
}

/* All have ended: @t is what they have counted. */
static void finish(struct family *f, struct times t[EVENTS], unsigned switches)
{
	for (int i = 0; i < EVENTS; i++) {
		t[i] = read_times(f->fd[i]);
		close(f->fd[i]);
		EXPECT_EQ(t[i].enabled, t[i].running);
	}
	for (int i = 0; i < CLOCK; i++)
		EXPECT_EQ(t[i].enabled, t[CLOCK].enabled);
	EXPECT_EQ(t[CLOCK].value, t[CLOCK].running);
	/* The counter is read a little later than the clock, where it is given up. */
	EXPECT(t[COUNTER].value >= t[COUNTER].running);
	EXPECT(t[COUNTER].value - t[COUNTER].running < t[COUNTER].running / 100);
	EXPECT(t[SWITCHED].value >= switches);
}

static uint64_t faults_of(unsigned pages)
{
	struct times t[EVENTS];
	struct family f;
	uint64_t changes;

	begin(&f, pages);
	changes = counter_changes();
	EXPECT_EQ(waitpid(f.root, NULL, 0), f.root);
	changes = counter_changes() - changes;
	finish(&f, t, SWITCHES);
	/* Only where another task than theirs has come in between, or one has just begun. */
	EXPECT(changes < t[SWITCHED].value / 10);
	return t[FAULTS].value;
}

TEST(perf_swap_storm)
{
	uint64_t none;

	faults_of(0); /* now the programs are where they are found faster */
	none = faults_of(0);
	EXPECT_EQ(faults_of(3) - none, CHILDREN * (SWITCHES / CHILDREN / 100) * 3);
}

/* The same on several processors, with one that looks at it, and changes it, all the time. */
TEST(smp_perf_swap_storm)
{
	struct times t[EVENTS], last[EVENTS] = {0};
	struct perf_event_attr attr = event_of(FAULTS);
	struct family f;
	int fd;

	begin(&f, 1);
	for (unsigned n = 0; waitpid(f.root, NULL, WNOHANG) == 0; n++) {
		for (int i = 0; i < EVENTS; i++) {
			t[i] = read_times(f.fd[i]);
			EXPECT(t[i].value >= last[i].value);
			EXPECT(t[i].enabled >= last[i].enabled);
			last[i] = t[i];
		}
		if (n % 8 == 0 && kill(f.root, 0) == 0) {
			fd = perf_event_open(&attr, f.root, -1, f.fd[COUNTER], 0);
			EXPECT(fd >= 0 || errno == ESRCH);
			close(fd);
		}
		usleep(1000);
	}
	/* Where there is no other task on a processor, a yield switches to none. */
	finish(&f, t, SWITCHES / 2);
}

/* --- Each one's part --- */

/* Whose part is known but for what all have in common: the pages that each one touches. */
TEST(perf_swap_tells_tasks_apart)
{
	struct perf_event_attr counter = event_of(COUNTER), faults = event_of(FAULTS);
	uint64_t part[CHILDREN] = {0}, sum = 0;
	static struct record record;
	pid_t child[CHILDREN];
	struct recorder r;
	int fd;

	counter.inherit_stat = faults.inherit_stat = 1;
	fd = perf_event_open(&counter, 0, 0, -1, 0);
	EXPECT(fd >= 0);
	if (!EXPECT(recorder_open(&r, &faults, 0, 0, 1)))
		return;
	for (unsigned i = 0; i < CHILDREN; i++) {
		child[i] = fork();
		if (child[i] == 0) {
			for (unsigned k = 0; k < 200; k++) {
				if (k % 10 == 0)
					touch(1 + i);
				sched_yield();
			}
			_exit(0);
		}
	}
	for (unsigned i = 0; i < CHILDREN; i++)
		EXPECT_EQ(waitpid(child[i], NULL, 0), child[i]);
	while (recorder_next(&r, &record)) {
		const uint64_t *words = (const uint64_t *)record.body;

		EXPECT_EQ(record.header.type, PERF_RECORD_READ);
		for (unsigned i = 0; i < CHILDREN; i++)
			if (*(const uint32_t *)record.body == (uint32_t)child[i])
				part[i] = words[1];
		EXPECT_EQ(words[2], words[3]);
		sum += words[1];
	}
	for (unsigned i = 0; i < CHILDREN; i++)
		EXPECT_EQ(part[i], part[0] + 20 * i);
	EXPECT(part[0] >= 20 && read_times(r.fd).value >= sum);
	recorder_close(&r);
	close(fd);
}
