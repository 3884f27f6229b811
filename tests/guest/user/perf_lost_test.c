/* SPDX-License-Identifier: MIT */
/*
 * Samples that a ring has no room for are counted: with those that it has, they are as many as
 * there were events. How many there were is told by an event of the same kind that only counts, in
 * the same group, so that both begin and end at once.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ktap.h"
#include "samples.h"

#define ROUNDS   120
#define CHILDREN 3
#define PAIRS    2
#define MAX_CPUS 8

struct pair {
	int sampled, counted;
	uint64_t id;
	uint64_t samples; /* of it in the ring */
};

/* Events that write to one ring: that of their leader, a dummy. */
struct group {
	struct recorder ring;
	struct pair pair[PAIRS];
	int clock; /* -1: none */
	uint64_t clock_id, clock_ns;
	uint64_t lost; /* records, as the ring tells */
	unsigned throttled;
};

static struct record record;

static bool open_member(struct group *g, struct perf_event_attr *attr, int cpu, int *fd)
{
	*fd = perf_event_open(attr, 0, cpu, g->ring.fd, 0);
	return EXPECT(*fd >= 0);
}

/* The first @attr has all that is common to the group. */
static bool open_pair(struct group *g, struct pair *pair, struct perf_event_attr attr,
		      uint64_t config, int cpu)
{
	attr.config = config;
	attr.disabled = 0;
	if (!open_member(g, &attr, cpu, &pair->sampled))
		return false;
	attr.sample_period = 0;
	if (!open_member(g, &attr, cpu, &pair->counted))
		return false;
	pair->samples = 0;
	EXPECT_EQ(ioctl(pair->sampled, PERF_EVENT_IOC_SET_OUTPUT, g->ring.fd), 0);
	return EXPECT_EQ(ioctl(pair->sampled, PERF_EVENT_IOC_ID, &pair->id), 0);
}

static bool open_group(struct group *g, int cpu, bool inherit, size_t pages)
{
	static const uint64_t config[PAIRS] = {PERF_COUNT_SW_CONTEXT_SWITCHES,
					       PERF_COUNT_SW_PAGE_FAULTS};
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_DUMMY);

	*g = (struct group){.clock = -1};
	attr.disabled = 1;
	attr.inherit = inherit;
	attr.read_format = PERF_FORMAT_LOST;
	if (!EXPECT(recorder_open(&g->ring, &attr, 0, cpu, pages)))
		return false;
	for (int i = 0; i < PAIRS; i++)
		if (!open_pair(g, &g->pair[i], attr, config[i], cpu))
			return false;
	return true;
}

/* A clock that is to be throttled. */
static void add_clock(struct group *g)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_TASK_CLOCK);

	attr.sample_period = 100000;
	attr.read_format = PERF_FORMAT_LOST;
	if (!open_member(g, &attr, -1, &g->clock))
		return;
	EXPECT_EQ(ioctl(g->clock, PERF_EVENT_IOC_SET_OUTPUT, g->ring.fd), 0);
	EXPECT_EQ(ioctl(g->clock, PERF_EVENT_IOC_ID, &g->clock_id), 0);
}

static void close_group(struct group *g)
{
	for (int i = 0; i < PAIRS; i++) {
		close(g->pair[i].sampled);
		close(g->pair[i].counted);
	}
	if (g->clock >= 0)
		close(g->clock);
	recorder_close(&g->ring);
}

static void take_sample(struct group *g)
{
	struct sample s;

	record_sample(&record, &s);
	for (int i = 0; i < PAIRS; i++)
		g->pair[i].samples += s.id == g->pair[i].id;
	if (s.id == g->clock_id)
		g->clock_ns += s.period;
}

static void collect(struct group *g)
{
	uint64_t body[2];

	while (recorder_next(&g->ring, &record)) {
		memcpy(body, record.body, sizeof(body));
		if (record.header.type == PERF_RECORD_SAMPLE)
			take_sample(g);
		else if (record.header.type == PERF_RECORD_LOST)
			g->lost += body[1];
		else
			g->throttled += record.header.type == PERF_RECORD_THROTTLE;
	}
}

/* A switch at least, and two page faults. */
static void work(void)
{
	const struct timespec t = {0, 100000};
	uint8_t *pages =
	    mmap(NULL, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (pages != MAP_FAILED) {
		pages[0] = pages[4096] = 1;
		munmap(pages, 8192);
	}
	nanosleep(&t, NULL);
}

static void turn(struct group *g, unsigned long request)
{
	EXPECT_EQ(ioctl(g->ring.fd, request, 0), 0);
}

struct reading {
	uint64_t value, lost;
};

static struct reading read_event(int fd)
{
	struct reading r = {0};

	EXPECT_EQ(read(fd, &r, sizeof(r)), sizeof(r));
	return r;
}

/* Of a group that has been turned off, all of whose records have been told; the samples lost. */
static uint64_t check_sums(const struct group *g)
{
	uint64_t lost = 0;

	for (int i = 0; i < PAIRS; i++) {
		struct reading sampled = read_event(g->pair[i].sampled);

		EXPECT_EQ(g->pair[i].samples + sampled.lost, read_event(g->pair[i].counted).value);
		EXPECT_EQ(sampled.value, g->pair[i].samples);
		lost += sampled.lost;
	}
	if (g->clock >= 0) {
		struct reading clock = read_event(g->clock);

		EXPECT_EQ(clock.value, g->clock_ns);
		lost += clock.lost;
	}
	return lost;
}

/* The loss before the last record is told by the next one: makes some more. */
static void finish(struct group *g)
{
	turn(g, PERF_EVENT_IOC_DISABLE);
	collect(g);
	turn(g, PERF_EVENT_IOC_ENABLE);
	work();
	turn(g, PERF_EVENT_IOC_DISABLE);
	collect(g);
}

TEST(perf_lost_samples_add_up)
{
	struct group g;
	uint64_t lost;

	for (size_t pages = 1; pages <= 2; pages *= 2) {
		if (!open_group(&g, -1, false, pages))
			return;
		turn(&g, PERF_EVENT_IOC_ENABLE);
		for (int i = 0; i < ROUNDS; i++) {
			work();
			if (i % 40 == 39)
				collect(&g);
		}
		finish(&g);
		lost = check_sums(&g);
		EXPECT_EQ(g.lost, lost);
		EXPECT(lost > 50);
		EXPECT(g.pair[0].samples > 5 && g.pair[1].samples > 5);
		close_group(&g);
	}
}

static void set_rate(const char *rate)
{
	int fd = open("/proc/sys/kernel/perf_event_max_sample_rate", O_WRONLY);

	EXPECT_EQ(write(fd, rate, strlen(rate)), strlen(rate));
	close(fd);
}

static void spin_us(unsigned us)
{
	struct timespec t;
	uint64_t end = 0, now;

	do {
		clock_gettime(CLOCK_MONOTONIC, &t);
		now = t.tv_sec * 1000000000ULL + t.tv_nsec;
		end = end ? end : now + us * 1000ULL;
	} while (now < end);
}

/* A clock beside them is throttled: its records too may find no room, others are not concerned. */
TEST(perf_lost_samples_add_up_while_a_clock_is_throttled)
{
	struct group g;
	uint64_t lost;

	for (size_t pages = 1; pages <= 256; pages *= 256) {
		if (!open_group(&g, -1, false, pages))
			return;
		add_clock(&g);
		set_rate("1000");
		turn(&g, PERF_EVENT_IOC_ENABLE);
		for (int i = 0; i < 60; i++) {
			work();
			spin_us(2000);
			if (i % 20 == 19)
				collect(&g);
		}
		finish(&g);
		set_rate("100000");
		lost = check_sums(&g);
		EXPECT(g.throttled > 0);
		EXPECT(pages == 1 ? lost > 0 && g.lost >= lost : !lost && !g.lost);
		close_group(&g);
	}
}

static void hop(unsigned seed, unsigned cpus)
{
	for (unsigned i = 0; i < ROUNDS / 2; i++) {
		cpu_set_t set = {.bits = {1u << (seed + i) % cpus}};

		sched_setaffinity(0, sizeof(set), &set);
		work();
	}
}

/* One ring for each processor, which the copies of all processes on it write. */
TEST(smp_perf_lost_samples_of_copies_add_up)
{
	static struct group g[MAX_CPUS];
	unsigned cpus = sysconf(_SC_NPROCESSORS_ONLN);
	uint64_t lost = 0, told = 0, samples = 0;
	pid_t child[CHILDREN];

	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		if (!open_group(&g[cpu], cpu, true, 2))
			return;
		turn(&g[cpu], PERF_EVENT_IOC_ENABLE);
	}
	for (unsigned i = 0; i < CHILDREN; i++) {
		child[i] = fork();
		if (!child[i]) {
			hop(i, cpus);
			_exit(0);
		}
	}
	for (int left = CHILDREN; left;) {
		for (unsigned cpu = 0; cpu < cpus; cpu++)
			collect(&g[cpu]);
		for (int i = 0; i < 60; i++)
			work();
		left -= waitpid(-1, NULL, WNOHANG) > 0;
	}
	for (unsigned cpu = 0; cpu < cpus; cpu++) {
		cpu_set_t set = {.bits = {1u << cpu}};

		EXPECT_EQ(sched_setaffinity(0, sizeof(set), &set), 0);
		finish(&g[cpu]);
		lost += check_sums(&g[cpu]);
		told += g[cpu].lost;
		samples += g[cpu].pair[0].samples + g[cpu].pair[1].samples;
		close_group(&g[cpu]);
	}
	EXPECT_EQ(told, lost);
	EXPECT(lost > 0 && samples > 100);
	hop(0, 1);
}
