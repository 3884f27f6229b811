/* SPDX-License-Identifier: MIT */
/*
 * Contracts C4 and C5 for programs: every row of the policy's table, for each source of strikes,
 * counting and sampling, with the default handler and with one of kernel code's own. A source to
 * come is one more line of sources[].
 */
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "../policy.h"
#include "ktap.h"
#include "samples.h"

#define STRIKES 6
#define PAGE    4096

#if defined(__aarch64__)
#define USER_END 0x7ffffffff000
#define REGS     (1ULL << 31 | 1ULL << 32) /* SP, PC */
#elif __SIZEOF_POINTER__ == 8
#define USER_END 0x7ffffffff000
#define REGS     (1 << 7 | 1 << 8) /* SP, IP */
#else
#define USER_END 0x80000000
#define REGS     (1 << 13 | 1 << 15) /* sp, pc */
#endif

/* --- Strikes --- */

static void sleep_often(unsigned n)
{
	while (n--)
		usleep(1000);
}

static char *area;

/* System calls that write to pages which are not there yet. */
static void fault_in_kernel(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		syscall(SYS_getcwd, area + i * PAGE, PAGE);
}

static void fault_in_user(unsigned n)
{
	for (unsigned i = 0; i < n; i++)
		((volatile char *)area)[i * PAGE] = 1;
}

/* System calls that take long: the kernel writes its symbols down. */
static void stay_in_kernel(unsigned n)
{
	while (n--)
		close(open("/proc/kallsyms", O_RDONLY));
}

static void stay_in_user(unsigned n)
{
	for (volatile unsigned i = 0; i < n * 50000; i++)
		;
}

static const struct source {
	const char *name;
	uint64_t config, period;
	void (*strike)(unsigned n);
	bool in_kernel;
	bool exact; /* n strikes, all in one mode; else some in the other one too */
	bool modes; /* does it count what modes are excluded from? */
} sources[] = {
    {"context switch", PERF_COUNT_SW_CONTEXT_SWITCHES, 1, sleep_often, true, true, true},
    {"page fault in the kernel", PERF_COUNT_SW_PAGE_FAULTS, 1, fault_in_kernel, true, true, true},
    {"page fault in user mode", PERF_COUNT_SW_PAGE_FAULTS, 1, fault_in_user, false, true, true},
    {"minor fault in the kernel", PERF_COUNT_SW_PAGE_FAULTS_MIN, 1, fault_in_kernel, true, true,
     true},
    {"minor fault in user mode", PERF_COUNT_SW_PAGE_FAULTS_MIN, 1, fault_in_user, false, true,
     true},
    {"cpu-clock in the kernel", PERF_COUNT_SW_CPU_CLOCK, 100000, stay_in_kernel, true, false,
     false},
    {"cpu-clock in user mode", PERF_COUNT_SW_CPU_CLOCK, 100000, stay_in_user, false, false, false},
    {"task-clock in the kernel", PERF_COUNT_SW_TASK_CLOCK, 100000, stay_in_kernel, true, false,
     false},
    {"task-clock in user mode", PERF_COUNT_SW_TASK_CLOCK, 100000, stay_in_user, false, false,
     false},
};
#define NR_SOURCES (sizeof(sources) / sizeof(sources[0]))

/* Pages that no strike has touched yet. */
static void renew_area(void)
{
	if (area)
		munmap(area, STRIKES * PAGE);
	area =
	    mmap(NULL, STRIKES * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

/* --- What was seen, by either handler --- */

struct result {
	int err; /* of opening */
	uint64_t value;
	unsigned nr;
	struct seen seen[SEEN_MAX];
};

static struct recorder recorder;
static struct record record;
static struct result result;

static struct perf_event_attr attr_of(const struct source *source, const struct policy_row *row,
				      bool sampling)
{
	struct perf_event_attr attr = software_event(source->config);

	attr.sample_type |= PERF_SAMPLE_REGS_INTR;
	attr.sample_regs_intr = REGS;
	attr.sample_period = sampling ? source->period : 0;
	attr.exclude_kernel = row->exclude_kernel;
	attr.exclude_user = row->exclude_user;
	return attr;
}

/* IDENTIFIER IP TID TIME ADDR CPU PERIOD, chain, registers: abi, SP, IP. */
static void parse_sample(const struct record *r, struct seen *seen)
{
	const uint64_t *w = (const uint64_t *)r->body, *regs = w + 8 + w[7];
	uint32_t *part = NULL;

	*seen = (struct seen){.ip = w[1],
			      .addr = w[4],
			      .period = w[6],
			      .reg_sp = regs[1],
			      .reg_ip = regs[2],
			      .user_mode = r->header.misc == PERF_RECORD_MISC_USER};
	EXPECT(r->header.misc == PERF_RECORD_MISC_USER ||
	       r->header.misc == PERF_RECORD_MISC_KERNEL);
	EXPECT(regs[0] != PERF_SAMPLE_REGS_ABI_NONE);
	for (const uint64_t *ip = w + 8; ip < regs; ip++) {
		if (*ip == (uint64_t)PERF_CONTEXT_KERNEL)
			part = &seen->kernel_frames;
		else if (*ip == (uint64_t)PERF_CONTEXT_USER)
			part = &seen->user_frames;
		else if (part)
			++*part;
	}
}

static void run_default(struct perf_event_attr *attr, const struct source *source)
{
	attr->disabled = 1;
	result.err = recorder_open(&recorder, attr, 0, 0, 64) ? 0 : errno;
	if (result.err)
		return;
	renew_area();
	ioctl(recorder.fd, PERF_EVENT_IOC_ENABLE, 0);
	source->strike(STRIKES);
	ioctl(recorder.fd, PERF_EVENT_IOC_DISABLE, 0);
	EXPECT_EQ(read(recorder.fd, &result.value, 8), 8);
	while (result.nr < SEEN_MAX && recorder_next(&recorder, &record))
		if (EXPECT_EQ(record.header.type, PERF_RECORD_SAMPLE))
			parse_sample(&record, &result.seen[result.nr++]);
	recorder_close(&recorder);
}

/* Kernel code's event starts when it is opened: what that strikes is in the result, too. */
static void run_handler(struct perf_event_attr *attr, const struct source *source)
{
	int fd = open("/dev/handler", O_RDONLY);
	ssize_t n;

	renew_area();
	result.err = ioctl(fd, HANDLER_OPEN, attr) < 0 ? errno : 0;
	if (!result.err) {
		source->strike(STRIKES);
		EXPECT_EQ(ioctl(fd, HANDLER_STOP, &result.value), 0);
		n = read(fd, result.seen, sizeof(result.seen));
		EXPECT(n >= 0);
		result.nr = n / sizeof(struct seen);
	}
	close(fd);
}

/* --- What should have been seen --- */

static const char *why; /* the sample is wrong */

static bool right(bool held, const char *what)
{
	if (!held)
		why = what;
	return held;
}

/* A sample that shows the kernel: @view. */
static bool kernel_sample_is_right(const struct seen *s, enum policy_view view)
{
	return right(view == KERNEL_AND_USER || view == KERNEL_ALONE, "the kernel shows") &&
	       right(s->ip >= USER_END && s->reg_ip == s->ip, "IP is not the kernel's") &&
	       right(s->reg_sp >= USER_END, "SP is not the kernel's") &&
	       right(s->kernel_frames, "no kernel chain") &&
	       right(!s->user_frames == (view == KERNEL_ALONE), "the user chain");
}

static bool user_sample_is_right(const struct seen *s)
{
	return right(s->ip < USER_END && s->reg_ip == s->ip, "IP is not the user's") &&
	       right(s->reg_sp < USER_END, "SP is not the user's") &&
	       right(!s->kernel_frames, "a kernel chain") && right(s->user_frames, "no user chain");
}

static bool sample_is_right(const struct source *source, const struct policy_row *row,
			    const struct seen *s)
{
	enum policy_view view = row->sampling;

	if (!right(s->addr < USER_END, "ADDR"))
		return false;
	if (!s->user_mode) {
		/* Sources that strike in both modes: the kernel's part of the table. */
		if (!source->in_kernel && !source->exact)
			view = policy_kernel[row - policy_user].sampling;
		return kernel_sample_is_right(s, view);
	}
	if (source->exact && !right(view == USER_ALONE, "user mode shows"))
		return false;
	return right(!row->exclude_user, "user mode shows") && user_sample_is_right(s);
}

/* The samples that the row says, and no others. */
static void check_samples(const struct source *source, const struct policy_row *row)
{
	unsigned kernel = 0, user = 0;
	uint64_t periods = 0;

	for (unsigned i = 0; i < result.nr; i++) {
		const struct seen *s = &result.seen[i];

		periods += s->period;
		kernel += !s->user_mode;
		user += s->user_mode;
		ktap_expect(sample_is_right(source, row, s), __FILE__, __LINE__,
			    "%s, exclude_kernel %d, exclude_user %d: sample %u, ip %llx: %s",
			    source->name, row->exclude_kernel, row->exclude_user, i,
			    (unsigned long long)s->ip, why);
	}
	EXPECT_EQ(result.value, periods);
	if (source->exact)
		EXPECT_EQ(result.nr, row->sampling == NOTHING ? 0 : STRIKES);
	else if (row->sampling == USER_ALONE)
		EXPECT(user > 1);
	else if (row->sampling != NOTHING)
		EXPECT(kernel > 1);
	if (row->exclude_kernel && row->exclude_user)
		EXPECT_EQ(result.nr, 0);
}

static void check_count(const struct source *source, const struct policy_row *row)
{
	EXPECT_EQ(result.nr, 0);
	if (source->exact)
		EXPECT_EQ(result.value, row->counting ? STRIKES : 0);
	else
		EXPECT(result.value > 0);
}

/* One source, one row: counted and sampled. */
static void check_row(const struct source *source, const struct policy_row *row,
		      void (*run)(struct perf_event_attr *, const struct source *))
{
	bool excludes = row->exclude_kernel || row->exclude_user;

	for (int sampling = 0; sampling < 2; sampling++) {
		struct perf_event_attr attr = attr_of(source, row, sampling);

		memset(&result, 0, sizeof(result));
		run(&attr, source);
		if (!sampling && excludes && !source->modes) {
			EXPECT_EQ(result.err, EOPNOTSUPP);
			continue;
		}
		if (!ktap_expect(!result.err, __FILE__, __LINE__, "%s to open: %d", source->name,
				 result.err))
			continue;
		if (sampling)
			check_samples(source, row);
		else
			check_count(source, row);
	}
}

static void check_table(void (*run)(struct perf_event_attr *, const struct source *))
{
	for (size_t i = 0; i < NR_SOURCES; i++) {
		const struct source *source = &sources[i];

		/* Whatever it needs of code and data is there afterwards. */
		renew_area();
		source->strike(STRIKES);
		for (int row = 0; row < 4; row++)
			check_row(source,
				  source->in_kernel ? &policy_kernel[row] : &policy_user[row], run);
	}
}

TEST(c05_policy_table_default_handler)
{
	check_table(run_default);
}

TEST(c05_policy_table_own_handler)
{
	int fd = open("/dev/handler", O_RDONLY);

	if (fd < 0) {
		ktap_skip("this kernel has no /dev/handler: it is not the test kernel");
		return;
	}
	close(fd);
	check_table(run_handler);
}

/* What is refused leaves the period as it was: only the third fault in the kernel is a sample. */
TEST(c05_refused_strikes_consume_no_period)
{
	static const struct policy_row row = {0, 1, KERNEL_ALONE, 1};
	const struct source *source = &sources[1];
	struct perf_event_attr attr = attr_of(source, &row, true);
	uint64_t value;

	attr.sample_period = 3;
	renew_area();
	fault_in_user(1);
	if (!EXPECT(recorder_open(&recorder, &attr, 0, 0, 4)))
		return;
	for (unsigned kernel = 1; kernel <= 3; kernel++) {
		EXPECT(!recorder_next(&recorder, &record));
		renew_area();
		fault_in_user(STRIKES);
		EXPECT(!recorder_next(&recorder, &record));
		renew_area();
		fault_in_kernel(1);
		EXPECT_EQ(read(recorder.fd, &value, 8), 8);
		EXPECT_EQ(value, kernel);
	}
	EXPECT(recorder_next(&recorder, &record));
	EXPECT(!recorder_next(&recorder, &record));
	recorder_close(&recorder);
}
