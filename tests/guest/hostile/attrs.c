/* SPDX-License-Identifier: MIT */
/*
 * Contract C10 for attributes: any is refused with an errno that docs/abi.md has, or opened, and
 * then it is an event like others.
 */
#include <linux/perf_event.h>
#include <sched.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "../user/ktap.h"
#include "../user/samples.h"
#include "hostile.h"

#define NR_ATTRS 20000
#define ROUND    500

static unsigned opened, mapped;

/* A field's value: small, a power of two, a boundary, anything. */
static uint64_t odd_value(struct random *r)
{
	switch (random_below(r, 6)) {
	case 0:
		return random_below(r, 16);
	case 1:
		return 1ull << random_below(r, 64);
	case 2:
		return -(uint64_t)random_below(r, 16);
	case 3:
		return (1ull << random_below(r, 64)) - 1;
	case 4:
		return random_below(r, 100000);
	default:
		return random_u64(r);
	}
}

/* One that would be opened. */
static void make_good(struct random *r, struct perf_event_attr *attr)
{
	static const uint64_t configs[] = {
	    PERF_COUNT_SW_CPU_CLOCK,       PERF_COUNT_SW_TASK_CLOCK,
	    PERF_COUNT_SW_PAGE_FAULTS,     PERF_COUNT_SW_CONTEXT_SWITCHES,
	    PERF_COUNT_SW_PAGE_FAULTS_MIN, PERF_COUNT_SW_DUMMY};

	memset(attr, 0, sizeof(*attr));
	attr->type = PERF_TYPE_SOFTWARE;
	attr->size = sizeof(*attr);
	attr->config = configs[random_below(r, ARRAY_LENGTH(configs))];
	attr->sample_period = random_below(r, 3) ? 10000 + random_below(r, 100000) : 0;
	attr->sample_type = random_u64(r) & (PERF_SAMPLE_IDENTIFIER | 0x1ff);
	attr->sample_type &= ~(uint64_t)PERF_SAMPLE_READ;
	attr->read_format =
	    random_u64(r) & (PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING |
			     PERF_FORMAT_ID | PERF_FORMAT_LOST);
	attr->inherit = random_below(r, 2);
	attr->comm = attr->mmap = attr->task = random_below(r, 2);
	attr->sample_id_all = random_below(r, 2);
}

/* Spoils some of its words. */
static void spoil(struct random *r, struct perf_event_attr *attr)
{
	uint64_t *words = (uint64_t *)attr;

	for (unsigned n = random_below(r, 4); n; n--) {
		unsigned i = random_below(r, sizeof(*attr) / 8);

		words[i] =
		    random_below(r, 2) ? odd_value(r) : words[i] ^ 1ull << random_below(r, 64);
	}
	if (!random_below(r, 8))
		for (unsigned i = 0; i < sizeof(*attr) / 8; i++)
			words[i] = random_u64(r);
	if (!random_below(r, 4))
		attr->size = random_below(r, 2) ? random_below(r, 256) : odd_value(r);
}

static bool documented(int error)
{
	static const int errors[] = {EINVAL, EOPNOTSUPP, ENOENT, E2BIG,  EFAULT, EOVERFLOW,
				     ESRCH,  ENODEV,     EBADF,  ENOMEM, EMFILE, EACCES};

	for (unsigned i = 0; i < ARRAY_LENGTH(errors); i++)
		if (error == errors[i])
			return true;
	return false;
}

/* Bytes that read() returns of an event alone in its group. */
static ssize_t read_size(uint64_t format)
{
	return 8 * (1 + __builtin_popcountll(format));
}

static bool reads_well(int fd, const struct perf_event_attr *attr)
{
	uint64_t words[16], id;
	ssize_t size = read_size(attr->read_format);

	return EXPECT_EQ(read(fd, words, sizeof(words)), size) &&
	       EXPECT_ERRNO(read(fd, words, size - 1), ENOSPC) &&
	       EXPECT_EQ(ioctl(fd, PERF_EVENT_IOC_ID, &id), 0) && EXPECT(id);
}

static bool maps_well(struct random *r, int fd, const struct perf_event_attr *attr, int cpu)
{
	size_t size = (1 + (1u << random_below(r, 3))) * PAGE;
	char *page;
	void *ring =
	    mmap(NULL, size, PROT_READ | (random_below(r, 4) ? PROT_WRITE : 0), MAP_SHARED, fd, 0);

	if (attr->inherit && cpu == -1)
		return EXPECT(ring == MAP_FAILED) && EXPECT_EQ(errno, EINVAL);
	if (!EXPECT(ring != MAP_FAILED))
		return false;
	mapped++;
	/* It is sampled. */
	page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	*(volatile char *)page = 1;
	sched_yield();
	munmap(page, PAGE);
	return EXPECT_EQ(munmap(ring, size), 0);
}

static bool try_attr(unsigned seed)
{
	static const int cpus[] = {-1, -1, -1, -1, 0, 0, 0, 0, 1, -2, 255};
	static const pid_t pids[] = {0, 0, 0, 0, 0, 0, -1, 1, -2, 31111};
	struct random r = {seed};
	/* At the end of a page, or in its middle. */
	static char pages[2 * PAGE] __attribute__((aligned(4096)));
	struct perf_event_attr *attr =
	    (struct perf_event_attr *)(pages + random_below(&r, 2) * 1000);
	int cpu = cpus[random_below(&r, ARRAY_LENGTH(cpus))], fd;
	pid_t pid = pids[random_below(&r, ARRAY_LENGTH(pids))];
	bool good = true;

	make_good(&r, attr);
	if (random_below(&r, 2))
		spoil(&r, attr);
	fd = perf_event_open(attr, pid, cpu, random_below(&r, 20) ? -1 : (int)odd_value(&r),
			     random_below(&r, 10) ? 0 : odd_value(&r));
	if (fd < 0)
		return EXPECT(documented(errno));
	opened++;
	good = reads_well(fd, attr) && maps_well(&r, fd, attr, cpu);
	return EXPECT_EQ(close(fd), 0) && good;
}

static void try_attrs(void *arg)
{
	unsigned first = *(unsigned *)arg;

	for (unsigned seed = first; seed < first + ROUND; seed++) {
		if (!ktap_expect(try_attr(seed), __FILE__, __LINE__,
				 "the attr of seed %u to be well", seed)) {
			*(unsigned *)arg = NR_ATTRS;
			return;
		}
	}
}

TEST(c10_hostile_attrs)
{
	for (unsigned first = 0; first < NR_ATTRS; first += ROUND)
		if (!leaves_nothing("attrs", try_attrs, &first, 1))
			break;
	printf("# %u opened, %u mapped\n", opened, mapped);
	EXPECT(opened > NR_ATTRS / 4);
	EXPECT(mapped > NR_ATTRS / 8);
}
