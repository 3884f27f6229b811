/* SPDX-License-Identifier: MIT */
/*
 * Contract C10 for rings: whatever a program writes into one that is its own, in whatever order it
 * maps, shares, redirects and closes, its records are what it loses, and nothing else.
 */
#include <sched.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "../user/ktap.h"
#include "../user/samples.h"
#include "bystander.h"
#include "hostile.h"

static struct bystander bystander;
static struct record record;

static void sleep_ns(long ns)
{
	struct timespec t = {0, ns};

	nanosleep(&t, NULL);
}

static void touch_fresh_page(void)
{
	char *page = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	*(volatile char *)page = 1;
	munmap(page, PAGE);
}

static void spin(unsigned n)
{
	for (volatile unsigned i = 0; i < n; i++)
		;
}

/* All kinds of records: samples of each kind, areas, switches, a process. */
static void be_sampled(void)
{
	touch_fresh_page();
	sched_yield();
	sleep_ns(20000);
	spin(2000);
}

/* Events of all kinds that sample the caller into the ring of the first, which has @pages. */
#define NR_EVENTS 4
struct session {
	int fd[NR_EVENTS];
	struct perf_event_mmap_page *page;
	size_t pages;
};

static int open_event(unsigned i, int group_fd, unsigned long flags)
{
	static const struct {
		uint64_t config, period;
	} kinds[NR_EVENTS] = {{PERF_COUNT_SW_CONTEXT_SWITCHES, 1},
			      {PERF_COUNT_SW_PAGE_FAULTS, 1},
			      {PERF_COUNT_SW_CPU_CLOCK, 10000},
			      {PERF_COUNT_SW_DUMMY, 1}};
	struct perf_event_attr attr = software_event(kinds[i].config);

	attr.sample_period = kinds[i].period;
	attr.mmap = attr.mmap_data = attr.comm = attr.task = attr.context_switch = i == 3;
	attr.sample_id_all = 1;
	return perf_event_open(&attr, 0, -1, group_fd, flags);
}

static void *map_ring(int fd, size_t pages)
{
	void *p = mmap(NULL, (1 + pages) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

	return p == MAP_FAILED ? NULL : p;
}

static bool session_open(struct session *s, size_t pages)
{
	s->pages = pages;
	s->fd[0] = open_event(0, -1, 0);
	s->page = map_ring(s->fd[0], pages);
	if (!EXPECT(s->fd[0] >= 0) || !EXPECT(s->page))
		return false;
	for (unsigned i = 1; i < NR_EVENTS; i++) {
		s->fd[i] = open_event(i, s->fd[0], PERF_FLAG_FD_OUTPUT);
		if (!EXPECT(s->fd[i] >= 0))
			return false;
	}
	return true;
}

static void session_unmap(struct session *s)
{
	if (s->page)
		EXPECT_EQ(munmap(s->page, (1 + s->pages) * PAGE), 0);
	s->page = NULL;
}

static void session_close(struct session *s)
{
	session_unmap(s);
	for (unsigned i = 0; i < NR_EVENTS; i++)
		EXPECT_EQ(close(s->fd[i]), 0);
}

/* --- What is in the pages --- */

static uint64_t odd_position(struct random *r, const struct session *s)
{
	uint64_t size = s->pages * PAGE, head = s->page->data_head;

	switch (random_below(r, 8)) {
	case 0:
		return random_u64(r);
	case 1:
		return random_below(r, 64);
	case 2:
		return -(uint64_t)random_below(r, 64);
	case 3:
		return head - random_below(r, 2 * size);
	case 4:
		return head + random_below(r, 2 * size);
	case 5:
		return head - size + random_below(r, 16);
	case 6:
		return 1ull << random_below(r, 64);
	default:
		return head;
	}
}

static void rewrite(struct random *r, struct session *s)
{
	struct perf_event_mmap_page *page = s->page;
	uint64_t *words = (uint64_t *)page;

	switch (random_below(r, 8)) {
	case 0:
		page->data_head = odd_position(r, s);
		break;
	case 1:
		page->data_size = odd_position(r, s);
		page->data_offset = odd_position(r, s);
		break;
	case 2: /* any field */
		words[random_below(r, PAGE / 8)] = odd_position(r, s);
		break;
	case 3: /* all of them */
		for (unsigned i = 0; i < PAGE / 8; i++)
			words[i] = random_u64(r);
		break;
	case 4: /* the records */
		for (unsigned i = 0; i < s->pages * PAGE / 8; i++)
			words[PAGE / 8 + i] = random_u64(r);
		break;
	default:
		page->data_tail = odd_position(r, s);
	}
}

/* The ring is in order again when its reader is. */
static void expect_ring_works(struct session *s, unsigned seed)
{
	struct recorder reader = {.fd = s->fd[0], .page = s->page, .size = s->pages * PAGE};
	struct sample sample;
	uint64_t id;
	bool found = false;

	/* Whoever seems to have read far more than there is has room, and is told the head. */
	s->page->data_tail = 0x4000000040000000;
	sleep_ns(20000);
	s->page->data_tail = s->page->data_head;
	EXPECT_EQ(ioctl(s->fd[0], PERF_EVENT_IOC_ID, &id), 0);
	sleep_ns(20000);
	while (recorder_next(&reader, &record)) {
		if (record.header.type != PERF_RECORD_SAMPLE)
			continue;
		record_sample(&record, &sample);
		found |= sample.id == id;
	}
	ktap_expect(found, __FILE__, __LINE__, "the ring of seed %u to work again", seed);
}

TEST(c10_hostile_ring_contents)
{
	static const size_t sizes[] = {1, 1, 2, 8};
	bool good = bystander_start(&bystander, NULL);
	struct session session;

	for (unsigned seed = 0; good && seed < 400; seed++) {
		struct random r = {seed};

		if (!session_open(&session, sizes[seed % ARRAY_LENGTH(sizes)]))
			break;
		for (unsigned i = 0; i < 20; i++) {
			rewrite(&r, &session);
			be_sampled();
		}
		expect_ring_works(&session, seed);
		session_close(&session);
		good = bystander_watch(&bystander);
	}
	EXPECT(bystander_end(&bystander) > 400);
}

/* A fresh ring holds nothing of anybody. */
TEST(c10_ring_pages_come_empty)
{
	const size_t words = 8 * PAGE / sizeof(uint64_t);
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_DUMMY);
	struct recorder r;

	for (unsigned round = 0; round < 20; round++) {
		uint64_t *data, dirt = 0;

		if (!EXPECT(recorder_open(&r, &attr, 0, -1, 8)))
			return;
		data = (uint64_t *)((char *)r.page + PAGE);
		for (size_t i = 0; i < words; i++) {
			dirt |= data[i];
			data[i] = 0x5a5a5a5a5a5a5a5a;
		}
		EXPECT_EQ(dirt, 0);
		for (size_t i = 0; i < sizeof(r.page->__reserved); i++)
			dirt |= r.page->__reserved[i];
		EXPECT_EQ(dirt, 0);
		recorder_close(&r);
	}
}

/* --- In which order rings and events go --- */

/* The order number @n of @length things. */
static void permutation(unsigned n, unsigned length, unsigned *order)
{
	for (unsigned i = 0; i < length; i++)
		order[i] = i;
	for (unsigned i = length; i > 1; n /= i, i--) {
		unsigned j = n % i, other = order[i - 1];

		order[i - 1] = order[j];
		order[j] = other;
	}
}

/* Four events with one ring, which are closed and unmapped in one of the orders. */
static void close_in_order(void *arg)
{
	unsigned order[NR_EVENTS + 1];
	struct session s;

	permutation(*(unsigned *)arg, NR_EVENTS + 1, order);
	if (!session_open(&s, 2))
		return;
	for (unsigned i = 0; i <= NR_EVENTS; i++) {
		be_sampled();
		if (order[i] == NR_EVENTS)
			session_unmap(&s);
		else
			EXPECT_EQ(close(s.fd[order[i]]), 0);
	}
	be_sampled();
}

TEST(c10_redirected_events_close_in_all_orders)
{
	bool good = bystander_start(&bystander, NULL);

	for (unsigned n = 0; good && n < 120; n++) {
		char name[32];

		snprintf(name, sizeof(name), "order %u", n);
		good = leaves_nothing(name, close_in_order, &n, 2) && bystander_watch(&bystander);
	}
	bystander_end(&bystander);
}

/* Redirections to and fro, to themselves, to what has no ring, while all are sampled. */
static void redirect(void *arg)
{
	struct random r = {*(unsigned *)arg};
	int fd[NR_EVENTS];
	void *ring[NR_EVENTS] = {0};

	for (unsigned i = 0; i < NR_EVENTS; i++)
		fd[i] = open_event(i, -1, 0);
	for (unsigned i = 0; i < 40; i++) {
		unsigned from = random_below(&r, NR_EVENTS), to = random_below(&r, NR_EVENTS + 1);

		if (random_below(&r, 3)) {
			ioctl(fd[from], PERF_EVENT_IOC_SET_OUTPUT, to < NR_EVENTS ? fd[to] : -1);
		} else if (!ring[from]) {
			ring[from] = map_ring(fd[from], 1);
		} else {
			munmap(ring[from], 2 * PAGE);
			ring[from] = NULL;
		}
		be_sampled();
	}
	for (unsigned i = 0; i < NR_EVENTS; i++) {
		close(fd[i]);
		if (ring[i])
			munmap(ring[i], 2 * PAGE);
	}
}

TEST(c10_redirected_to_and_fro)
{
	bool good = bystander_start(&bystander, NULL);

	for (unsigned seed = 0; good && seed < 50; seed++)
		good =
		    leaves_nothing("redirected", redirect, &seed, 1) && bystander_watch(&bystander);
	bystander_end(&bystander);
}

/* --- A ring of two processes, and of two descriptors --- */

enum { PARENT_RING, CHILD_RING, SECOND_RING, DESCRIPTOR, COPY, NR_HOLDS };

/* A child maps the ring too, and writes to it until it ends. */
static pid_t start_sharer(int fd, int ends[2])
{
	pid_t pid;
	char c;

	fflush(stdout);
	pid = fork();
	if (pid)
		return pid;
	struct session s = {.page = map_ring(fd, 2), .pages = 2};
	struct random r = {getpid()};

	if (!s.page || write(ends[1], "x", 1) != 1)
		_exit(1);
	for (unsigned i = 0; i < 20; i++) {
		rewrite(&r, &s);
		sched_yield();
	}
	/* Or it is killed. */
	_exit(read(ends[0], &c, 1) != 1);
}

/* What is held goes in one of the orders: three mappings, two descriptors. */
static void share_in_order(void *arg)
{
	unsigned order[NR_HOLDS];
	int fd = open_event(0, -1, 0), copy = dup(fd), ends[2];
	void *first = map_ring(fd, 2), *second = map_ring(copy, 2);
	pid_t child;
	char c;

	permutation(*(unsigned *)arg, NR_HOLDS, order);
	if (!EXPECT(first) || !EXPECT(second) || !EXPECT_EQ(pipe(ends), 0))
		return;
	child = start_sharer(fd, ends);
	EXPECT_EQ(read(ends[0], &c, 1), 1);
	for (unsigned i = 0; i < NR_HOLDS; i++) {
		be_sampled();
		switch (order[i]) {
		case PARENT_RING:
			munmap(first, 3 * PAGE);
			break;
		case SECOND_RING:
			munmap(second, 3 * PAGE);
			break;
		case CHILD_RING:
			kill(child, 9);
			waitpid(child, NULL, 0);
			break;
		case DESCRIPTOR:
			close(fd);
			break;
		case COPY:
			close(copy);
		}
	}
	close(ends[0]);
	close(ends[1]);
}

TEST(c10_shared_ring_goes_in_all_orders)
{
	bool good = bystander_start(&bystander, NULL);

	for (unsigned n = 0; good && n < 120; n++) {
		char name[32];

		snprintf(name, sizeof(name), "order %u", n);
		good = leaves_nothing(name, share_in_order, &n, 1) && bystander_watch(&bystander);
	}
	bystander_end(&bystander);
}

/* --- Unmapping and closing while a clock strikes --- */

/* The clock strikes at another place of the system calls each time. */
static void end_while_struck(void *arg)
{
	unsigned n = *(unsigned *)arg;
	struct session s;

	if (!session_open(&s, 1))
		return;
	s.page->data_tail = s.page->data_head;
	spin(n);
	if (n % 2)
		session_unmap(&s);
	session_close(&s);
}

TEST(c10_ring_goes_while_a_clock_strikes)
{
	bool good = bystander_start(&bystander, NULL);

	for (unsigned n = 0; good && n < 1000; n++)
		good = leaves_nothing("struck", end_while_struck, &n, 1) &&
		       bystander_watch(&bystander);
	bystander_end(&bystander);
}
