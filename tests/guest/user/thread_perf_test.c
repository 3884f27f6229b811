/* SPDX-License-Identifier: MIT */
/* Threads in profiles: what records say of their beginning, names and end, and who counts them. */
#define _GNU_SOURCE
#include <pthread.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ktap.h"
#include "samples.h"

#define PAGES 20

static struct record record;
static uint32_t tid;
static pthread_barrier_t barrier;

/* Touches PAGES fresh pages between two meetings with its maker. */
static void *touch_pages(void *arg)
{
	char *pages =
	    mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	tid = syscall(SYS_gettid);
	pthread_barrier_wait(&barrier);
	pthread_barrier_wait(&barrier);
	for (int i = 0; i < PAGES; i++)
		pages[i * 4096] = 1;
	munmap(pages, PAGES * 4096);
	return arg;
}

/* Runs such a thread. */
static void run_thread(const char *name)
{
	pthread_t thread;

	pthread_barrier_init(&barrier, NULL, 2);
	EXPECT_EQ(pthread_create(&thread, NULL, touch_pages, NULL), 0);
	pthread_barrier_wait(&barrier);
	if (name)
		EXPECT_EQ(pthread_setname_np(thread, name), 0);
	pthread_barrier_wait(&barrier);
	EXPECT_EQ(pthread_join(thread, NULL), 0);
}

/* The next record of @type: its words of 32 bits. */
static const uint32_t *find(struct recorder *r, uint32_t type)
{
	while (recorder_next(r, &record))
		if (record.header.type == type)
			return (const uint32_t *)record.body;
	return NULL;
}

TEST(thread_records)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_DUMMY);
	struct recorder r;
	const uint32_t *body;

	attr.inherit = attr.task = attr.comm = attr.sample_id_all = 1;
	if (!EXPECT(recorder_open(&r, &attr, 0, 0, 16)))
		return;
	run_thread("a thread");
	body = find(&r, PERF_RECORD_FORK);
	if (EXPECT(body)) {
		EXPECT_EQ(body[0], getpid());
		EXPECT_EQ(body[1], getpid()); /* the maker's process, */
		EXPECT_EQ(body[2], tid);
		EXPECT_EQ(body[3], getpid()); /* and thread */
	}
	body = find(&r, PERF_RECORD_COMM);
	if (EXPECT(body)) {
		EXPECT_EQ(body[0], getpid());
		EXPECT_EQ(body[1], tid);
		EXPECT_STR((const char *)(body + 2), "a thread");
		EXPECT(!(record.header.misc & PERF_RECORD_MISC_COMM_EXEC));
	}
	/* It may still be on its way out. */
	while (!(body = find(&r, PERF_RECORD_EXIT)))
		usleep(100);
	EXPECT_EQ(body[0], getpid());
	EXPECT_EQ(body[1], getppid());
	EXPECT_EQ(body[2], tid);
	recorder_close(&r);
}

static uint64_t count(int fd)
{
	uint64_t value = 0;

	EXPECT_EQ(read(fd, &value, sizeof(value)), sizeof(value));
	return value;
}

/* With inherit, faults of threads count, those that have ended included; without, they do not. */
TEST(thread_counts)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_PAGE_FAULTS);
	int all, own;

	attr.sample_period = 0;
	attr.inherit = 1;
	all = perf_event_open(&attr, 0, -1, -1, 0);
	attr.inherit = 0;
	own = perf_event_open(&attr, 0, -1, -1, 0);
	EXPECT(all >= 0 && own >= 0);
	run_thread(NULL);
	run_thread(NULL);
	EXPECT(count(all) >= count(own) + 2 * PAGES);
	EXPECT(count(own) < PAGES);
	close(all);
	close(own);
}

static void touch_in_child(void)
{
	pid_t child = fork();

	if (child == 0) {
		volatile char *pages = mmap(NULL, PAGES * 4096, PROT_READ | PROT_WRITE,
					    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

		for (int i = 0; i < PAGES; i++)
			pages[i * 4096] = 1;
		_exit(0);
	}
	EXPECT_EQ(waitpid(child, NULL, 0), child);
}

/* With inherit_thread threads inherit and processes do not. */
TEST(thread_inherits_alone)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_PAGE_FAULTS);
	uint64_t before;
	int fd;

	attr.sample_period = 0;
	attr.inherit = attr.inherit_thread = 1;
	fd = perf_event_open(&attr, 0, -1, -1, 0);
	if (!EXPECT(fd >= 0))
		return;
	touch_in_child();
	before = count(fd);
	EXPECT(before < PAGES);
	run_thread(NULL);
	EXPECT(count(fd) >= before + PAGES);
	close(fd);
}

/* READ records: what each child has counted. */
TEST(thread_read_records)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_PAGE_FAULTS);
	const uint32_t *body;
	struct recorder r;

	attr.sample_period = 0;
	attr.inherit = attr.inherit_stat = 1;
	attr.read_format = PERF_FORMAT_ID;
	if (!EXPECT(recorder_open(&r, &attr, 0, 0, 16)))
		return;
	touch_in_child();
	body = find(&r, PERF_RECORD_READ);
	if (EXPECT(body)) {
		uint64_t words[2], id;

		memcpy(words, body + 2, sizeof(words));
		EXPECT(body[0] != (uint32_t)getpid() && body[0] == body[1]);
		EXPECT(words[0] >= PAGES);
		EXPECT_EQ(ioctl(r.fd, PERF_EVENT_IOC_ID, &id), 0);
		EXPECT_EQ(words[1], id);
	}
	EXPECT(!find(&r, PERF_RECORD_READ));
	recorder_close(&r);
}

/* An event of one thread counts it alone; the number is a thread's. */
TEST(thread_event_of_another)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_PAGE_FAULTS);
	pthread_t thread;
	int fd;

	attr.sample_period = 0;
	pthread_barrier_init(&barrier, NULL, 2);
	EXPECT_EQ(pthread_create(&thread, NULL, touch_pages, NULL), 0);
	pthread_barrier_wait(&barrier);
	fd = perf_event_open(&attr, tid, -1, -1, 0);
	EXPECT(fd >= 0);
	pthread_barrier_wait(&barrier);
	pthread_join(thread, NULL);
	EXPECT(count(fd) >= PAGES && count(fd) < PAGES + 10);
	close(fd);
	/* It has gone, wholly. */
	while (perf_event_open(&attr, tid, -1, -1, 0) >= 0)
		usleep(100);
	EXPECT_EQ(errno, ESRCH);
}

TEST(thread_samples_name_it)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_PAGE_FAULTS);
	struct recorder r;
	struct sample s;
	int n = 0;

	attr.inherit = 1;
	if (!EXPECT(recorder_open(&r, &attr, 0, 0, 16)))
		return;
	run_thread(NULL);
	while (recorder_next_sample(&r, tid, &record, &s)) {
		EXPECT_EQ(s.pid, getpid());
		EXPECT_EQ(s.tid, tid);
		n++;
	}
	EXPECT(n >= PAGES);
	recorder_close(&r);
}
