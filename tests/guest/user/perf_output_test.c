/* SPDX-License-Identifier: MIT */
/* What a program asks of an event that samples, and of its ring. */
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "ktap.h"
#include "samples.h"

static struct recorder recorder;
static struct record record;

static void sleeps(int n)
{
	const struct timespec t = {0, 1000000};

	while (n--)
		nanosleep(&t, NULL);
}

static unsigned count_records(uint32_t type)
{
	unsigned n = 0;

	while (recorder_next(&recorder, &record))
		n += record.header.type == type;
	return n;
}

static short polled(void)
{
	struct pollfd p = {.fd = recorder.fd, .events = POLLIN};

	EXPECT(poll(&p, 1, 0) >= 0);
	return p.revents;
}

TEST(perf_refresh)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CONTEXT_SWITCHES);
	uint64_t count = 0;

	attr.disabled = 1;
	if (!EXPECT(recorder_open(&recorder, &attr, 0, -1, 4)))
		return;
	EXPECT_EQ(ioctl(recorder.fd, PERF_EVENT_IOC_REFRESH, 2), 0);
	EXPECT_EQ(ioctl(recorder.fd, PERF_EVENT_IOC_REFRESH, 1), 0);
	EXPECT_EQ(polled(), 0);
	sleeps(1);
	EXPECT_EQ(polled(), POLLIN);
	sleeps(1);
	EXPECT(!(polled() & POLLHUP));
	sleeps(5);
	EXPECT_EQ(polled(), POLLIN | POLLHUP);
	EXPECT_EQ(count_records(PERF_RECORD_SAMPLE), 3);
	EXPECT_EQ(polled(), POLLHUP);
	EXPECT_EQ(read(recorder.fd, &count, sizeof(count)), sizeof(count));
	EXPECT_EQ(count, 3);
	for (int i = 0; i < 3; i++) {
		EXPECT_EQ(ioctl(recorder.fd, PERF_EVENT_IOC_REFRESH, 1), 0);
		EXPECT_EQ(polled(), 0);
		sleeps(3);
		EXPECT_EQ(count_records(PERF_RECORD_SAMPLE), 1);
	}
	EXPECT_ERRNO(ioctl(recorder.fd, PERF_EVENT_IOC_REFRESH, 1ul << 31), EINVAL);
	recorder_close(&recorder);
	attr.inherit = 1;
	if (!EXPECT(recorder_open(&recorder, &attr, 0, 0, 1)))
		return;
	EXPECT_ERRNO(ioctl(recorder.fd, PERF_EVENT_IOC_REFRESH, 1), EINVAL);
	recorder_close(&recorder);
}

/* --- Throttling --- */

static void set(const char *name, const char *value)
{
	char path[64];
	int fd;

	snprintf(path, sizeof(path), "/proc/sys/kernel/%s", name);
	fd = open(path, O_WRONLY);
	EXPECT_EQ(write(fd, value, strlen(value)), strlen(value));
	close(fd);
}

static uint64_t now_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

static void spin_ms(unsigned ms)
{
	uint64_t start = now_ns();

	while (now_ns() - start < ms * 1000000ull)
		;
}

/* A clock that is faster than has been allowed since says when it pauses, and loses no time. */
TEST(perf_throttle)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_TASK_CLOCK);
	unsigned samples = 0, throttled = 0, unthrottled = 0;
	uint64_t sum = 0, start, longest = 0;
	struct sample s;

	attr.sample_period = 100000;
	attr.disabled = 1;
	if (!EXPECT(recorder_open(&recorder, &attr, 0, -1, 64)))
		return;
	set("perf_event_max_sample_rate", "1000");
	EXPECT_EQ(ioctl(recorder.fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	start = now_ns();
	spin_ms(100);
	EXPECT_EQ(ioctl(recorder.fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	set("perf_event_max_sample_rate", "100000");
	start = now_ns() - start;
	while (recorder_next(&recorder, &record)) {
		throttled += record.header.type == PERF_RECORD_THROTTLE;
		unthrottled += record.header.type == PERF_RECORD_UNTHROTTLE;
		if (record.header.type != PERF_RECORD_SAMPLE)
			continue;
		record_sample(&record, &s);
		samples++;
		sum += s.period;
		longest = s.period > longest ? s.period : longest;
	}
	EXPECT(samples >= 10 && samples <= (start / 10000000 + 1) * 10);
	EXPECT(throttled >= 1 && throttled <= start / 10000000 + 1);
	EXPECT(unthrottled == throttled || unthrottled + 1 == throttled);
	EXPECT(longest > 1000000);
	EXPECT(sum <= start && sum + 15000000 > start);
	recorder_close(&recorder);
}
