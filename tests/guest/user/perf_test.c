/* SPDX-License-Identifier: MIT */
/* perf_event_open(2) as a program meets it: counts, records, rings, and the errno of what is wrong.
 */
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ktap.h"
#include "samples.h"

static struct recorder recorder;
static struct record record;

static struct perf_event_attr counting_event(uint64_t config)
{
	struct perf_event_attr attr = {
	    .type = PERF_TYPE_SOFTWARE, .size = PERF_ATTR_SIZE_VER5, .config = config};

	return attr;
}

static void sleep_ms(int ms)
{
	struct timespec t = {ms / 1000, ms % 1000 * 1000000L};

	nanosleep(&t, NULL);
}

static uint64_t read_count(int fd)
{
	uint64_t count = 0;

	EXPECT_EQ(read(fd, &count, sizeof(count)), sizeof(count));
	return count;
}

TEST(perf_count_switches)
{
	struct perf_event_attr attr = counting_event(PERF_COUNT_SW_CONTEXT_SWITCHES);
	int fd = perf_event_open(&attr, 0, -1, -1, 0);

	if (!EXPECT(fd >= 0))
		return;
	for (int i = 0; i < 7; i++)
		sleep_ms(1);
	EXPECT_EQ(read_count(fd), 7);
	close(fd);
}

TEST(perf_enable_disable_reset)
{
	struct perf_event_attr attr = counting_event(PERF_COUNT_SW_CONTEXT_SWITCHES);
	int fd;

	attr.disabled = 1;
	fd = perf_event_open(&attr, 0, -1, -1, 0);
	if (!EXPECT(fd >= 0))
		return;
	sleep_ms(1);
	EXPECT_EQ(read_count(fd), 0);
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_ENABLE, 0), 0);
	sleep_ms(1);
	sleep_ms(1);
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
	sleep_ms(1);
	EXPECT_EQ(read_count(fd), 2);
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_RESET, 0), 0);
	EXPECT_EQ(read_count(fd), 0);
	EXPECT_ERRNO(ioctl(fd, 0x9999, 0), ENOTTY);
	close(fd);
}

TEST(perf_count_page_faults)
{
	static const struct {
		uint64_t config, expected;
	} row[] = {{PERF_COUNT_SW_PAGE_FAULTS, 8},
		   {PERF_COUNT_SW_PAGE_FAULTS_MIN, 8},
		   {PERF_COUNT_SW_PAGE_FAULTS_MAJ, 0}};
	size_t size = 8 * 4096;

	for (size_t i = 0; i < sizeof(row) / sizeof(row[0]); i++) {
		struct perf_event_attr attr = counting_event(row[i].config);
		char *p =
		    mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
		int fd = perf_event_open(&attr, 0, -1, -1, 0);

		for (size_t at = 0; at < size; at += 4096)
			((volatile char *)p)[at] = 1;
		EXPECT_EQ(read_count(fd), row[i].expected);
		close(fd);
		munmap(p, size);
	}
}

/* A clock goes on while its task computes, and task-clock not while it sleeps. */
TEST(perf_count_clocks)
{
	struct perf_event_attr cpu = counting_event(PERF_COUNT_SW_CPU_CLOCK);
	struct perf_event_attr task = counting_event(PERF_COUNT_SW_TASK_CLOCK);
	int cpu_fd = perf_event_open(&cpu, 0, -1, -1, 0);
	int task_fd = perf_event_open(&task, 0, -1, -1, 0);
	uint64_t slept, before = read_count(task_fd);

	sleep_ms(50);
	slept = read_count(task_fd) - before;
	EXPECT(slept < 40000000);
	before = read_count(task_fd);
	for (volatile int i = 0; i < 100000; i++)
		;
	EXPECT(read_count(task_fd) > before);
	EXPECT(read_count(cpu_fd) > 0);
	close(cpu_fd);
	close(task_fd);
}

TEST(perf_read_format)
{
	struct perf_event_attr attr = counting_event(PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct {
		uint64_t value, enabled, running, id, lost;
	} r;
	uint64_t id;
	int fd;

	attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			   PERF_FORMAT_ID | PERF_FORMAT_LOST;
	fd = perf_event_open(&attr, 0, -1, -1, 0);
	if (!EXPECT(fd >= 0))
		return;
	sleep_ms(1);
	EXPECT_EQ(read(fd, &r, sizeof(r)), sizeof(r));
	EXPECT_EQ(r.value, 1);
	EXPECT(r.enabled > 0 && r.enabled == r.running);
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_ID, &id), 0);
	EXPECT_EQ(r.id, id);
	EXPECT_EQ(r.lost, 0);
	EXPECT_ERRNO(read(fd, &r, 8), ENOSPC);
	close(fd);
}

static void switch_three_times(void)
{
	for (int i = 0; i < 3; i++)
		sleep_ms(1);
}

/* Counts of children, grandchildren too, come back to the event they inherited. */
static void switch_and_fork(void)
{
	switch_three_times();
	in_child(switch_three_times);
}

TEST(perf_inherit_folds_counts)
{
	struct perf_event_attr attr = counting_event(PERF_COUNT_SW_CONTEXT_SWITCHES);
	uint64_t own, all;
	int fd, alone;

	alone = perf_event_open(&attr, 0, -1, -1, 0);
	attr.inherit = 1;
	fd = perf_event_open(&attr, 0, -1, -1, 0);
	EXPECT_EQ(in_child(switch_and_fork), 0);
	own = read_count(alone);
	all = read_count(fd);
	/* Two children: three sleeps and a last switch each; the first also waits for the second.
	 */
	EXPECT_EQ(all - own, 3 + 1 + 1 + 3 + 1);
	close(fd);
	close(alone);
}

TEST(perf_samples_equal_switches)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CONTEXT_SWITCHES);
	unsigned n = 0;
	struct sample s;
	uint64_t last = 0;

	if (!EXPECT(recorder_open(&recorder, &attr, 0, 0, 16)))
		return;
	for (int i = 0; i < 20; i++)
		sleep_ms(1);
	while (recorder_next_sample(&recorder, getpid(), &record, &s)) {
		EXPECT(s.time >= last);
		EXPECT_EQ(s.period, 1);
		EXPECT_EQ(s.cpu, 0);
		EXPECT_EQ(s.pid, getpid());
		EXPECT_EQ(s.addr, 0);
		last = s.time;
		n++;
	}
	EXPECT_EQ(n, 20);
	EXPECT_EQ(read_count(recorder.fd), 20);
	recorder_close(&recorder);
}

TEST(perf_period)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CONTEXT_SWITCHES);
	unsigned n = 0;
	struct sample s;
	uint64_t period = 2;

	attr.sample_period = 5;
	if (!EXPECT(recorder_open(&recorder, &attr, 0, 0, 16)))
		return;
	for (int i = 0; i < 20; i++)
		sleep_ms(1);
	while (recorder_next_sample(&recorder, getpid(), &record, &s)) {
		EXPECT_EQ(s.period, 5);
		n++;
	}
	EXPECT_EQ(n, 4);
	EXPECT_EQ(ioctl(recorder.fd, PERF_EVENT_IOC_PERIOD, &period), 0);
	for (int i = 0; i < 10; i++)
		sleep_ms(1);
	for (n = 0; recorder_next_sample(&recorder, getpid(), &record, &s); n++)
		;
	EXPECT_EQ(n, 5);
	period = 0;
	EXPECT_ERRNO(ioctl(recorder.fd, PERF_EVENT_IOC_PERIOD, &period), EINVAL);
	recorder_close(&recorder);
}

/* A reader that stays behind loses records, is told how many, and gets the later ones whole. */
TEST(perf_lost_records)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CONTEXT_SWITCHES);
	uint64_t got = 0, lost = 0;

	if (!EXPECT(recorder_open(&recorder, &attr, 0, 0, 1)))
		return;
	for (int i = 0; i < 100; i++)
		sleep_ms(1);
	for (int i = 0; i < 3; i++) {
		while (recorder_next(&recorder, &record)) {
			if (record.header.type == PERF_RECORD_SAMPLE)
				got++;
			else if (record.header.type == PERF_RECORD_LOST)
				lost += ((uint64_t *)record.body)[1];
		}
		sleep_ms(1);
	}
	while (recorder_next(&recorder, &record))
		got += record.header.type == PERF_RECORD_SAMPLE;
	EXPECT(lost > 0);
	EXPECT_EQ(got + lost, 103);
	recorder_close(&recorder);
}

TEST(perf_poll_wakes)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct pollfd p;

	attr.wakeup_events = 1;
	if (!EXPECT(recorder_open(&recorder, &attr, 0, 0, 4)))
		return;
	p = (struct pollfd){.fd = recorder.fd, .events = POLLIN};
	sleep_ms(1);
	EXPECT_EQ(poll(&p, 1, -1), 1);
	EXPECT_EQ(p.revents, POLLIN);
	recorder_close(&recorder);
}

static bool saw(uint32_t type, pid_t pid)
{
	while (recorder_next(&recorder, &record))
		if (record.header.type == type && ((uint32_t *)record.body)[0] == (uint32_t)pid)
			return true;
	return false;
}

static void exec_hello(void)
{
	char *const argv[] = {"true", NULL};
	char *const empty[] = {NULL};

	execve("/bin/true", argv, empty);
	_exit(1);
}

TEST(perf_side_band_records)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_DUMMY);
	pid_t child;

	attr.inherit = attr.task = attr.comm = attr.comm_exec = attr.mmap = attr.mmap2 = 1;
	attr.sample_id_all = attr.build_id = attr.context_switch = 1;
	if (!EXPECT(recorder_open(&recorder, &attr, 0, 0, 16)))
		return;
	fflush(stdout);
	child = fork();
	if (!child)
		exec_hello();
	waitpid(child, NULL, 0);
	EXPECT(saw(PERF_RECORD_FORK, child));
	if (EXPECT(saw(PERF_RECORD_COMM, child))) {
		EXPECT_STR((char *)record.body + 8, "true");
		EXPECT(record.header.misc & PERF_RECORD_MISC_COMM_EXEC);
	}
	if (EXPECT(saw(PERF_RECORD_MMAP2, child))) {
		EXPECT(record.header.misc & PERF_RECORD_MISC_MMAP_BUILD_ID);
		EXPECT_EQ(record.body[32], 20); /* size of a SHA-1 build-id */
		EXPECT_STR((char *)record.body + 64, "/bin/true");
	}
	EXPECT(saw(PERF_RECORD_EXIT, child));
	recorder_close(&recorder);
}

TEST(perf_switch_records)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_DUMMY);
	unsigned out = 0, in = 0;

	attr.context_switch = 1;
	if (!EXPECT(recorder_open(&recorder, &attr, 0, 0, 4)))
		return;
	sleep_ms(1);
	sleep_ms(1);
	while (recorder_next(&recorder, &record)) {
		if (!EXPECT_EQ(record.header.type, PERF_RECORD_SWITCH))
			break;
		if (record.header.misc & PERF_RECORD_MISC_SWITCH_OUT)
			out++;
		else
			in++;
	}
	EXPECT_EQ(out, 2);
	EXPECT_EQ(in, 2);
	recorder_close(&recorder);
}

TEST(perf_enable_on_exec)
{
	struct perf_event_attr attr = counting_event(PERF_COUNT_SW_PAGE_FAULTS);
	int go[2], fd, status;
	pid_t child;
	char c;

	EXPECT_EQ(pipe(go), 0);
	fflush(stdout);
	child = fork();
	if (!child) {
		if (read(go[0], &c, 1) == 1)
			exec_hello();
		_exit(1);
	}
	attr.disabled = attr.enable_on_exec = 1;
	fd = perf_event_open(&attr, child, -1, -1, 0);
	EXPECT(fd >= 0);
	EXPECT_EQ(read_count(fd), 0);
	EXPECT_EQ(write(go[1], "x", 1), 1);
	EXPECT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(status, 0);
	EXPECT(read_count(fd) > 0);
	close(fd);
	close(go[0]);
	close(go[1]);
}

/* Touches three pages, and becomes another program, which touches more. */
static void touch_and_exec(void)
{
	volatile char *pages =
	    mmap(NULL, 3 * 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	for (int i = 0; i < 3; i++)
		pages[i * 4096] = 1;
	exec_hello();
}

TEST(perf_remove_on_exec)
{
	struct perf_event_attr attr = counting_event(PERF_COUNT_SW_PAGE_FAULTS);
	uint64_t counted[2];

	attr.inherit = 1;
	for (int i = 0; i < 2; i++) {
		int fd;

		attr.remove_on_exec = i;
		fd = perf_event_open(&attr, 0, -1, -1, 0);
		if (!EXPECT(fd >= 0))
			return;
		in_child(touch_and_exec);
		/* Ours stays: this is no exec of ours. */
		EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_DISABLE, 0), 0);
		counted[i] = read_count(fd);
		close(fd);
	}
	EXPECT(counted[1] >= 3);
	EXPECT(counted[0] > counted[1]);
}

TEST(perf_set_output)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CONTEXT_SWITCHES);
	struct perf_event_attr faults = software_event(PERF_COUNT_SW_PAGE_FAULTS);
	uint64_t ids[2], seen[2] = {0};
	struct sample s;
	char *page;
	int fd;

	if (!EXPECT(recorder_open(&recorder, &attr, 0, 0, 16)))
		return;
	fd = perf_event_open(&faults, 0, 0, -1, 0);
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, recorder.fd), 0);
	EXPECT_EQ(ioctl(recorder.fd, PERF_EVENT_IOC_ID, &ids[0]), 0);
	EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_ID, &ids[1]), 0);
	sleep_ms(1);
	page = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*(volatile char *)page = 1;
	while (recorder_next_sample(&recorder, getpid(), &record, &s))
		for (int i = 0; i < 2; i++)
			seen[i] += s.id == ids[i];
	EXPECT_EQ(seen[0], 1);
	EXPECT(seen[1] >= 1);
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, 0), EBADF); /* the console is no event */
	EXPECT_ERRNO(ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, 63), EBADF);
	munmap(page, 4096);
	close(fd);
	recorder_close(&recorder);
}

TEST(perf_mmap_rules)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CONTEXT_SWITCHES);
	int fd = perf_event_open(&attr, 0, 0, -1, 0);
	const int rw = PROT_READ | PROT_WRITE;
	void *ring;

	EXPECT(mmap(NULL, 4 * 4096, rw, MAP_SHARED, fd, 0) ==
	       MAP_FAILED); /* 3 is no power of two */
	EXPECT_EQ(errno, EINVAL);
	EXPECT(mmap(NULL, 2 * 4096, rw, MAP_PRIVATE, fd, 0) == MAP_FAILED);
	EXPECT_EQ(errno, EINVAL);
	ring = mmap(NULL, 2 * 4096, rw, MAP_SHARED, fd, 0);
	EXPECT(ring != MAP_FAILED);
	EXPECT(mmap(NULL, 3 * 4096, rw, MAP_SHARED, fd, 0) == MAP_FAILED); /* of another size */
	EXPECT_EQ(errno, EINVAL);
	munmap(ring, 2 * 4096);
	close(fd);
	attr.inherit = 1;
	fd = perf_event_open(&attr, 0, -1, -1, 0);
	EXPECT(mmap(NULL, 2 * 4096, rw, MAP_SHARED, fd, 0) == MAP_FAILED); /* CPUs would share it */
	EXPECT_EQ(errno, EINVAL);
	close(fd);
}

TEST(perf_refused)
{
	struct perf_event_attr attr = counting_event(PERF_COUNT_SW_CONTEXT_SWITCHES), a;

#define REFUSED(error, ...)                                             \
	do {                                                            \
		a = attr;                                               \
		__VA_ARGS__;                                            \
		EXPECT_ERRNO(perf_event_open(&a, 0, -1, -1, 0), error); \
	} while (0)

	REFUSED(ENOENT, a.config = 999);
	REFUSED(ENOENT, a.type = 77);
	REFUSED(EINVAL, a.sample_type = 1ull << 40);
	REFUSED(EINVAL, a.read_format = 1 << 10);
	REFUSED(EINVAL, a.sample_freq = 1000; a.freq = 1; a.sample_freq = 1ull << 63);
	REFUSED(E2BIG, a.size = 8);
	EXPECT(a.size >= PERF_ATTR_SIZE_VER5); /* the kernel says which it knows */
	REFUSED(E2BIG, a.size = 100000);
	EXPECT_ERRNO(perf_event_open(bad_pointer, 0, -1, -1, 0), EFAULT);
	a = attr;
	EXPECT_ERRNO(perf_event_open(&a, -1, -1, -1, 0), EINVAL);
	EXPECT_ERRNO(perf_event_open(&a, 30000, -1, -1, 0), ESRCH);
	EXPECT_ERRNO(perf_event_open(&a, 0, 99, -1, 0), EINVAL);
	EXPECT_ERRNO(perf_event_open(&a, 0, -1, 63, 0), EBADF);
	EXPECT_ERRNO(perf_event_open(&a, 0, -1, -1, 1 << 20), EINVAL);
#undef REFUSED
}

/* Whatever a program writes into the control page, the kernel goes on, and other rings are whole.
 */
TEST(c10_hostile_control_page)
{
	static const uint64_t values[] = {0,     1,     7,          4096,
					  -1ull, -8ull, 1ull << 63, 0x5555555555555555};
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CONTEXT_SWITCHES);
	const size_t n = sizeof(values) / sizeof(values[0]);
	struct recorder hostile;
	unsigned samples = 0;
	struct sample s;

	if (!EXPECT(recorder_open(&recorder, &attr, 0, 0, 16)) ||
	    !EXPECT(recorder_open(&hostile, &attr, 0, 0, 1)))
		return;
	for (size_t i = 0; i < n; i++) {
		hostile.page->data_tail = values[i];
		sleep_ms(1);
		hostile.page->data_head = values[i];
		hostile.page->data_size = values[i];
		hostile.page->data_offset = values[i];
		sleep_ms(1);
	}
	recorder_close(&hostile);
	while (recorder_next_sample(&recorder, getpid(), &record, &s))
		samples++;
	EXPECT_EQ(samples, 2 * n);
	recorder_close(&recorder);
}

static void open_and_close(void *arg)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CONTEXT_SWITCHES);

	(void)arg;
	attr.inherit = 1;
	if (!EXPECT(recorder_open(&recorder, &attr, 0, 0, 8)))
		return;
	in_child(switch_three_times);
	recorder_close(&recorder);
}

TEST(perf_closing_leaks_nothing)
{
	leaves_nothing("a recording", open_and_close, NULL, 50);
}

/* Under SAN=1 the kernel tells if it takes such an address for a structure's. */
TEST(perf_attr_may_lie_anywhere)
{
	struct perf_event_attr attr = counting_event(PERF_COUNT_SW_DUMMY);
	uint32_t size = 1, told;
	uint8_t room[sizeof(attr) + 8];

	for (int shift = 0; shift < 8; shift++) {
		int fd;

		memcpy(room + shift, &attr, sizeof(attr));
		fd = perf_event_open((void *)(room + shift), 0, -1, -1, 0);
		if (EXPECT(fd >= 0))
			close(fd);
		memcpy(room + shift + offsetof(struct perf_event_attr, size), &size, sizeof(size));
		EXPECT_ERRNO(perf_event_open((void *)(room + shift), 0, -1, -1, 0), E2BIG);
		memcpy(&told, room + shift + offsetof(struct perf_event_attr, size), sizeof(told));
		EXPECT_EQ(told, sizeof(attr));
		EXPECT_ERRNO(perf_event_open((void *)(uintptr_t) - (shift + 1), 0, -1, -1, 0),
			     EFAULT);
	}
}
