/* SPDX-License-Identifier: MIT */
/* What a program asks of an event that samples, and of its ring. */
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
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
