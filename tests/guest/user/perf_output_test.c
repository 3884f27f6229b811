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

/* --- Rings --- */

TEST(perf_pause_output)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CONTEXT_SWITCHES);
	int fd = perf_event_open(&attr, 0, -1, -1, 0);
	uint64_t lost = 0;

	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), EINVAL); /* no ring */
	close(fd);
	/* A ring of the task's, and one of the CPU's. */
	for (int cpu = -1; cpu <= 0; cpu++) {
		if (!EXPECT(recorder_open(&recorder, &attr, 0, cpu, 8)))
			return;
		sleeps(2);
		EXPECT_EQ(ioctl(recorder.fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), 0);
		sleeps(3);
		EXPECT_EQ(count_records(PERF_RECORD_SAMPLE), 2);
		EXPECT_EQ(ioctl(recorder.fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 0), 0);
		sleeps(1);
		if (EXPECT(recorder_next(&recorder, &record)) &&
		    EXPECT_EQ(record.header.type, PERF_RECORD_LOST))
			memcpy(&lost, record.body + 8, sizeof(lost));
		EXPECT_EQ(lost, 3);
		EXPECT_EQ(count_records(PERF_RECORD_SAMPLE), 1);
		recorder_close(&recorder);
	}
}

/* The last samples of many, the newest first, from data_head on. */
TEST(perf_write_backward)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CONTEXT_SWITCHES);
	const size_t size = 4096;
	const uint8_t *data;
	uint64_t head, at = 0, before = UINT64_MAX;
	unsigned n = 0;
	int fd, other;
	struct perf_event_mmap_page *page;

	attr.write_backward = 1;
	fd = perf_event_open(&attr, 0, -1, -1, 0);
	page = mmap(NULL, 4096 + size, PROT_READ, MAP_SHARED, fd, 0);
	if (!EXPECT(page != MAP_FAILED))
		return;
	data = (const uint8_t *)page + 4096;
	sleeps(100);
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_PAUSE_OUTPUT, 1), 0);
	head = page->data_head;
	EXPECT((int64_t)head < -(int64_t)size);
	while (at < size) {
		struct perf_event_header header;
		uint64_t time;

		memcpy(&header, data + (head + at) % size, sizeof(header));
		if (!EXPECT(header.size >= sizeof(header)) || at + header.size > size)
			break;
		EXPECT_EQ(header.type, PERF_RECORD_SAMPLE);
		/* Behind IDENTIFIER, IP and TID. */
		memcpy(&time, data + (head + at + 8 + 3 * 8) % size, sizeof(time));
		EXPECT(time < before);
		before = time;
		at += header.size;
		n++;
	}
	EXPECT(n >= 5 && n < 100);
	EXPECT(now_ns() - before < 1000000000);
	/* Records of another direction can not go there. */
	attr.write_backward = 0;
	other = perf_event_open(&attr, 0, -1, -1, 0);
	EXPECT_ERRNO(ioctl(other, PERF_EVENT_IOC_SET_OUTPUT, fd), EINVAL);
	munmap(page, 4096 + size);
	close(other);
	close(fd);
}

static uint64_t realtime_ns(void)
{
	struct timespec t;

	clock_gettime(CLOCK_REALTIME, &t);
	return t.tv_sec * 1000000000ull + t.tv_nsec;
}

/* Times are between those that a program reads before and after. */
TEST(perf_clockid)
{
	static const struct {
		int clock;
		uint64_t (*now)(void);
	} row[] = {{PERF_CLOCKID_REALTIME, realtime_ns},
		   {PERF_CLOCKID_MONOTONIC, now_ns},
		   {PERF_CLOCKID_MONOTONIC_RAW, now_ns},
		   {PERF_CLOCKID_BOOTTIME, now_ns}};
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct sample s;

	attr.use_clockid = 1;
	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		uint64_t start = row[i].now();

		attr.clockid = row[i].clock;
		if (!EXPECT(recorder_open(&recorder, &attr, 0, -1, 4)))
			return;
		sleeps(3);
		for (int n = 0; n < 3; n++) {
			if (!EXPECT(recorder_next_sample(&recorder, getpid(), &record, &s)))
				break;
			EXPECT(s.time >= start && s.time <= row[i].now());
			start = s.time;
		}
		recorder_close(&recorder);
	}
	attr.clockid = PERF_CLOCKID_TAI;
	EXPECT_ERRNO(perf_event_open(&attr, 0, -1, -1, 0), EINVAL);
	attr.use_clockid = 0;
	attr.clockid = PERF_CLOCKID_MONOTONIC;
	EXPECT_ERRNO(perf_event_open(&attr, 0, -1, -1, 0), EINVAL);
}

/* --- The control page --- */

static uint64_t cycles(void)
{
#ifdef __x86_64__
	uint32_t lo, hi;

	__asm__ volatile("lfence; rdtsc" : "=a"(lo), "=d"(hi));
	return (uint64_t)hi << 32 | lo;
#elif defined(__aarch64__)
	uint64_t count;

	__asm__ volatile("isb; mrs %0, cntvct_el0" : "=r"(count));
	return count;
#else
	uint64_t count;

	__asm__ volatile("isb; mrrc p15, 1, %Q0, %R0, c14" : "=r"(count));
	return count;
#endif
}

static uint64_t scaled(const struct perf_event_mmap_page *page, uint64_t cyc)
{
	uint64_t whole = cyc >> page->time_shift, rest = cyc & ((1ull << page->time_shift) - 1);

	return whole * page->time_mult + (rest * page->time_mult >> page->time_shift);
}

/* A program tells the time of records by the processor's counter. */
TEST(perf_control_page_time)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_DUMMY);
	uint64_t before, now, after, r[2];

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED;
	for (int cpu = -1; cpu <= 0; cpu++) {
		const struct perf_event_mmap_page *page;

		if (!EXPECT(recorder_open(&recorder, &attr, cpu ? 0 : -1, cpu, 1)))
			return;
		page = recorder.page;
		EXPECT(page->cap_user_time_zero && !page->cap_user_rdpmc);
		EXPECT_EQ(page->cap_user_time, cpu == 0);
		for (int i = 0; i < 5; i++) {
			before = now_ns();
			now = page->time_zero + scaled(page, cycles());
			after = now_ns();
			/* Each may be rounded another way. */
			EXPECT(before <= now + 2 && now <= after + 2);
			spin_ms(3);
		}
		if (cpu == 0) {
			now = page->time_enabled + page->time_offset + scaled(page, cycles());
			EXPECT_EQ(read(recorder.fd, r, sizeof(r)), sizeof(r));
			EXPECT(now <= r[1] + 2 && r[1] - now < 10000000);
		}
		recorder_close(&recorder);
	}
}

/* --- Mappings --- */

/* Every size that there is, and several mappings of one ring, which lives as long as the last. */
TEST(perf_several_mappings)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CONTEXT_SWITCHES);
	const int rw = PROT_READ | PROT_WRITE;
	const size_t size = 5 * 4096;
	struct perf_event_mmap_page *page[3];
	uint64_t head;
	int fd;

	for (size_t pages = 1; pages <= 256; pages *= 2) {
		if (!EXPECT(recorder_open(&recorder, &attr, 0, -1, pages)))
			return;
		EXPECT_EQ(recorder.page->data_size, pages * 4096);
		sleeps(1);
		EXPECT_EQ(count_records(PERF_RECORD_SAMPLE), 1);
		recorder_close(&recorder);
	}
	fd = perf_event_open(&attr, 0, -1, -1, 0);
	for (int i = 0; i < 3; i++) {
		page[i] = mmap(NULL, size, i ? rw : PROT_READ, MAP_SHARED, fd, 0);
		if (!EXPECT(page[i] != MAP_FAILED))
			return;
	}
	sleeps(1);
	head = page[0]->data_head;
	EXPECT(head > 0);
	EXPECT(!memcmp((char *)page[0] + 4096, (char *)page[2] + 4096, head));
	munmap(page[0], size);
	close(fd);
	/* The mappings keep the event. */
	sleeps(1);
	EXPECT(page[1]->data_head > head);
	EXPECT_EQ(page[1]->data_head, page[2]->data_head);
	munmap(page[1], size);
	sleeps(1);
	EXPECT(page[2]->data_head > head);
	munmap(page[2], size);
}

/* --- Time without the idle task's --- */

TEST(perf_count_without_idle)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CPU_CLOCK);
	uint64_t all, busy, slept;
	int fd[2];

	attr.sample_period = 0;
	fd[0] = perf_event_open(&attr, -1, 0, -1, 0);
	attr.exclude_idle = 1;
	fd[1] = perf_event_open(&attr, -1, 0, -1, 0);
	if (!EXPECT(fd[1] >= 0))
		return;
	sleeps(50);
	EXPECT_EQ(read(fd[1], &slept, sizeof(slept)), sizeof(slept));
	EXPECT_EQ(read(fd[0], &all, sizeof(all)), sizeof(all));
	EXPECT(all > 50000000);
	EXPECT(slept < all / 2);
	spin_ms(20);
	EXPECT_EQ(read(fd[1], &busy, sizeof(busy)), sizeof(busy));
	EXPECT(busy - slept >= 20000000);
	close(fd[0]);
	close(fd[1]);
}
