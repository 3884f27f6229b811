/* SPDX-License-Identifier: MIT */
/*
 * Groups as programs meet them: opening, requests and reading; and those that compete for the
 * counters of the test kernel's unit, on the real scheduler, over forks and moves.
 */
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../policy.h"
#include "ktap.h"
#include "samples.h"

#define TIMES (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING)

static struct perf_event_attr event_of(uint32_t type, uint64_t config)
{
	return (struct perf_event_attr){
	    .type = type, .size = PERF_ATTR_SIZE_VER5, .config = config, .read_format = TIMES};
}

struct times {
	uint64_t value, enabled, running;
};

static struct times read_times(int fd)
{
	struct times t = {0};

	EXPECT_EQ(read(fd, &t, sizeof(t)), sizeof(t));
	return t;
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ULL + t.tv_nsec;
}

static void spin_ms(unsigned ms)
{
	for (uint64_t end = now_ns() + ms * 1000000ULL; now_ns() < end;)
		;
}

static void sleep_once(void)
{
	usleep(1000);
}

/* --- Of software events, which all have room --- */

TEST(perf_group_reads_together)
{
	struct perf_event_attr attr = event_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct {
		uint64_t nr, enabled, running, value[2][2];
	} r;
	uint64_t ids[2];
	int leader, sibling;

	attr.read_format = TIMES | PERF_FORMAT_GROUP | PERF_FORMAT_ID;
	attr.disabled = 1;
	leader = perf_event_open(&attr, 0, -1, -1, 0);
	attr.disabled = 0;
	sibling = perf_event_open(&attr, 0, -1, leader, 0);
	if (!EXPECT(leader >= 0 && sibling >= 0))
		return;
	EXPECT_EQ(ioctl(leader, PERF_EVENT_IOC_ID, &ids[0]), 0);
	EXPECT_EQ(ioctl(sibling, PERF_EVENT_IOC_ID, &ids[1]), 0);
	sleep_once();
	EXPECT_EQ(ioctl(sibling, PERF_EVENT_IOC_ENABLE, PERF_IOC_FLAG_GROUP), 0);
	sleep_once();
	EXPECT_EQ(ioctl(leader, PERF_EVENT_IOC_DISABLE, PERF_IOC_FLAG_GROUP), 0);
	sleep_once();
	EXPECT_ERRNO(read(leader, &r, sizeof(r) - 8), ENOSPC);
	for (int i = 0; i < 2; i++) {
		EXPECT_EQ(read(i ? sibling : leader, &r, sizeof(r)), sizeof(r));
		EXPECT_EQ(r.nr, 2);
		EXPECT(r.enabled > 0);
		EXPECT_EQ(r.enabled, r.running);
		EXPECT_EQ(r.value[0][0], 1);
		EXPECT_EQ(r.value[0][1], ids[0]);
		EXPECT_EQ(r.value[1][0], 1);
		EXPECT_EQ(r.value[1][1], ids[1]);
	}
	EXPECT_EQ(ioctl(leader, PERF_EVENT_IOC_RESET, PERF_IOC_FLAG_GROUP), 0);
	EXPECT_EQ(read(leader, &r, sizeof(r)), sizeof(r));
	EXPECT_EQ(r.value[0][0], 0);
	EXPECT_EQ(r.value[1][0], 0);
	EXPECT_ERRNO(ioctl(leader, PERF_EVENT_IOC_RESET, 2), EINVAL);
	close(leader);
	EXPECT_EQ(read(sibling, &r, sizeof(r)), 40);
	EXPECT_EQ(r.nr, 1);
	close(sibling);
}

TEST(perf_group_refused)
{
	struct perf_event_attr attr = event_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_DUMMY), other;
	int leader = perf_event_open(&attr, 0, -1, -1, 0);
	int sibling = perf_event_open(&attr, 0, -1, leader, 0);
	int output;

	EXPECT(leader >= 0 && sibling >= 0);
	EXPECT_ERRNO(perf_event_open(&attr, 0, -1, sibling, 0), EINVAL);
	EXPECT_ERRNO(perf_event_open(&attr, 0, 0, leader, 0), EINVAL);
	EXPECT_ERRNO(perf_event_open(&attr, getppid(), -1, leader, 0), EINVAL);
	EXPECT_ERRNO(perf_event_open(&attr, -1, 0, leader, 0), EINVAL);
	other = attr;
	other.pinned = 1;
	EXPECT_ERRNO(perf_event_open(&other, 0, -1, leader, 0), EINVAL);
	other = attr;
	other.exclusive = 1;
	EXPECT_ERRNO(perf_event_open(&other, 0, -1, leader, 0), EINVAL);
	other = attr;
	other.inherit = 1;
	EXPECT_ERRNO(perf_event_open(&other, 0, -1, leader, 0), EINVAL);
	EXPECT_ERRNO(perf_event_open(&attr, 0, -1, STDOUT_FILENO, 0), EBADF);
	/* Beside it but not in it. */
	output = perf_event_open(&attr, 0, 0, leader, PERF_FLAG_FD_NO_GROUP);
	EXPECT(output >= 0);
	close(output);
	close(sibling);
	close(leader);
}

/* --- With counters, of which there are two --- */

/* What has been counted is the time for which it was; the counter is read a little later. */
static void expect_counted(struct times t)
{
	EXPECT(t.value >= t.running && t.value - t.running < 100000);
}

static void expect_part(uint64_t enabled, uint64_t running, unsigned percent)
{
	EXPECT(running * 100 >= enabled * (percent - 12));
	EXPECT(running * 100 <= enabled * (percent + 12));
}

static void expect_share(struct times t, unsigned percent)
{
	expect_counted(t);
	expect_part(t.enabled, t.running, percent);
}

static void open_counting(int *fd, int n, int leader, bool inherit)
{
	struct perf_event_attr attr = event_of(COUNTING_TYPE, 0);

	attr.inherit = inherit;
	for (int i = 0; i < n; i++) {
		fd[i] = perf_event_open(&attr, 0, -1, leader, 0);
		EXPECT(fd[i] >= 0);
	}
}

static void close_all(const int *fd, int n)
{
	for (int i = 0; i < n; i++)
		close(fd[i]);
}

TEST(perf_group_has_room_or_turns)
{
	struct times first, last;
	int fd[4];

	open_counting(fd, 2, -1, false);
	spin_ms(20);
	first = read_times(fd[0]);
	EXPECT_EQ(first.enabled, first.running);
	expect_share(first, 100);
	open_counting(fd + 2, 2, -1, false);
	spin_ms(400);
	last = read_times(fd[0]);
	/* How much later differs from reading to reading: it says nothing of what lies between. */
	expect_counted(last);
	expect_part(last.enabled - first.enabled, last.running - first.running, 50);
	for (int i = 2; i < 4; i++)
		expect_share(read_times(fd[i]), 50);
	close_all(fd, 4);
}

/* All of a group, software too, at the same time or not at all. */
TEST(perf_group_is_one)
{
	struct perf_event_attr attr = event_of(PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK);
	struct times pair, clock;
	int leader, fd[2], more[2], three[3];

	leader = perf_event_open(&attr, 0, -1, -1, 0);
	EXPECT(leader >= 0);
	open_counting(fd, 2, leader, false);
	open_counting(more, 2, -1, false);
	spin_ms(400);
	pair = read_times(fd[0]);
	clock = read_times(leader);
	/* The others have room for both of them while it waits: two turns of three. */
	expect_share(pair, 33);
	expect_share(read_times(more[0]), 66);
	EXPECT_EQ(clock.value, clock.running);
	EXPECT(clock.running >= pair.running && clock.running < clock.enabled);
	close_all(more, 2);
	/* A third one there will never be a counter for. */
	open_counting(three, 1, leader, false);
	spin_ms(20);
	EXPECT_EQ(read_times(three[0]).running, 0);
	EXPECT_EQ(read_times(three[0]).value, 0);
	close(three[0]);
	close_all(fd, 2);
	close(leader);
}

TEST(perf_group_pinned)
{
	struct perf_event_attr attr = event_of(COUNTING_TYPE, 0);
	struct times t;
	int flexible[2], pinned[3];

	open_counting(flexible, 2, -1, false);
	attr.pinned = 1;
	for (int i = 0; i < 3; i++)
		pinned[i] = perf_event_open(&attr, 0, -1, -1, 0);
	EXPECT(pinned[0] >= 0 && pinned[1] >= 0 && pinned[2] >= 0);
	spin_ms(20);
	for (int i = 0; i < 2; i++) {
		t = read_times(pinned[i]);
		EXPECT_EQ(t.enabled, t.running);
	}
	/* The end of what has failed. */
	EXPECT_EQ(read(pinned[2], &t, sizeof(t)), 0);
	close(pinned[0]);
	EXPECT_EQ(ioctl(pinned[2], PERF_EVENT_IOC_ENABLE, 0), 0);
	spin_ms(5);
	EXPECT(read_times(pinned[2]).running > 0);
	t = read_times(flexible[0]);
	EXPECT(t.running < t.enabled / 2);
	close_all(pinned + 1, 2);
	close_all(flexible, 2);
}

TEST(perf_group_exclusive)
{
	struct perf_event_attr attr = event_of(COUNTING_TYPE, 0);
	int other, alone;

	open_counting(&other, 1, -1, false);
	attr.exclusive = 1;
	alone = perf_event_open(&attr, 0, -1, -1, 0);
	EXPECT(alone >= 0);
	spin_ms(400);
	expect_share(read_times(other), 50);
	expect_share(read_times(alone), 50);
	close(other);
	close(alone);
}

/* Nothing is lost or counted twice on the way to children and other CPUs, and of them back. */
TEST(smp_perf_group_inherited)
{
	enum { CHILDREN = 4, EVENTS = 3 };
	uint64_t begun[CHILDREN];
	struct times t[EVENTS];
	pid_t child[CHILDREN];
	int fd[EVENTS];

	open_counting(fd, EVENTS, -1, true);
	for (int i = 0; i < CHILDREN; i++) {
		begun[i] = now_ns();
		child[i] = fork();
		if (child[i] == 0) {
			for (int k = 0; k < 30; k++) {
				cpu_set_t cpus = {.bits = {1u << (i + k) % 4}};

				sched_setaffinity(0, sizeof(cpus), &cpus);
				spin_ms(3);
			}
			_exit(0);
		}
		EXPECT(child[i] > 0);
	}
	for (int i = 0; i < CHILDREN; i++)
		EXPECT_EQ(waitpid(child[i], NULL, 0), child[i]);
	for (int i = 0; i < EVENTS; i++) {
		EXPECT_EQ(ioctl(fd[i], PERF_EVENT_IOC_DISABLE, 0), 0);
		t[i] = read_times(fd[i]);
		EXPECT_EQ(t[i].value, t[i].running);
		EXPECT(t[i].running < t[i].enabled);
		EXPECT(t[i].enabled > CHILDREN * 30 * 1000000ULL);
		EXPECT(t[i].enabled < (CHILDREN + 1) * (now_ns() - begun[0]));
	}
	/* Two of three ran at any time. */
	expect_share((struct times){t[0].running + t[1].running + t[2].running, 3 * t[0].enabled,
				    t[0].running + t[1].running + t[2].running},
		     66);
	close_all(fd, EVENTS);
}
