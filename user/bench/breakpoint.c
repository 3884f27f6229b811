/* SPDX-License-Identifier: MIT */
/*
 * Breakpoints: one that is hit and counted, step over it included, and one that takes a sample with
 * the user chain; opening one, whoever else has some; and a switch between tasks that have four
 * each which nobody hits.
 */
#include "bench.h"

#include <errno.h>
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>
#include <raw_syscall.h>
#include <signal.h>
#include <stdio.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <uapi/futex.h>
#include <unistd.h>

#define HITS        200
#define USER_FRAMES 16
#define OPENS       20
#define SLOTS       4
#define RING_PAGES  64
#define PAGE        4096

static uint64_t watched[SLOTS];

static struct perf_event_attr attr_of(uint32_t type, const volatile void *addr, uint64_t len)
{
	return (struct perf_event_attr){
	    .type = PERF_TYPE_BREAKPOINT,
	    .size = PERF_ATTR_SIZE_VER5,
	    .bp_type = type,
	    .bp_addr = (uintptr_t)addr,
	    .bp_len = len,
	};
}

static int event_open(const struct perf_event_attr *attr, pid_t pid)
{
	return raw_syscall6(SYS_perf_event_open, (long)attr, pid, -1, -1, 0, 0);
}

/* --- Hits --- */

static int hit_fd;

static NOINLINE void be_hit(void)
{
	__asm__ volatile("");
}

static NOINLINE uint64_t call_here(unsigned n)
{
	uint64_t start = clock_instructions();

	for (unsigned i = 0; i < n; i++)
		be_hit();
	return clock_instructions() - start;
}

/* Below so many other calls, for the chain. */
static NOINLINE uint64_t call_many(int depth, unsigned n)
{
	uint64_t took = depth > 0 ? call_many(depth - 1, n) : call_here(n);

	__asm__ volatile("" : "+r"(took));
	return took;
}

static double hits_at(int depth)
{
	uint64_t before, after, took, without;

	ioctl(hit_fd, PERF_EVENT_IOC_DISABLE, 0);
	without = call_many(depth, HITS);
	if (read(hit_fd, &before, sizeof(before)) != sizeof(before))
		return bench_failed("the event cannot be read");
	ioctl(hit_fd, PERF_EVENT_IOC_ENABLE, 0);
	took = call_many(depth, HITS);
	if (read(hit_fd, &after, sizeof(after)) != sizeof(after) || after - before != HITS)
		return bench_failed("%d hits, but %u counted", HITS, (unsigned)(after - before));
	return (took - without) / (double)HITS;
}

static double counted_batch(void)
{
	return hits_at(0);
}

/* --- Samples --- */

static struct perf_event_mmap_page *ring;
static uint64_t frames; /* of the user chain in the last sample */
static int depth;

/* Takes all out of the ring: samples hold IP, TID, TIME, CPU and the chain with its one marker. */
static void empty_ring(void)
{
	const uint8_t *data = (const uint8_t *)ring + PAGE;
	uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);

	frames = *(const uint64_t *)(data + (ring->data_tail + 40) % (RING_PAGES * PAGE)) - 1;
	__atomic_store_n(&ring->data_tail, head, __ATOMIC_RELEASE);
}

static double sample_batch(void)
{
	double cost = hits_at(depth);

	empty_ring();
	return cost;
}

/* --- The rows of hits --- */

static bool counted_row(const struct perf_event_attr *attr)
{
	bool ok;

	hit_fd = event_open(attr, 0);
	ok = hit_fd >= 0 && bench_row("breakpoint hit, counted", counted_batch);
	close(hit_fd);
	return ok;
}

/* With as many frames as other rows of chains have. */
static bool sample_rows(void)
{
	double trial;

	depth = 0;
	if (!bench_median("breakpoint hit, trial", sample_batch, &trial))
		return false;
	if (frames > USER_FRAMES)
		return bench_failed("a user chain of %u frames", (unsigned)frames) > 0;
	depth = USER_FRAMES - frames;
	return bench_row("breakpoint hit, sample and chain", sample_batch) &&
	       (frames == USER_FRAMES || bench_failed("not %d user frames", USER_FRAMES) > 0);
}

static bool sampled_row(struct perf_event_attr *attr)
{
	bool ok;

	attr->sample_period = 1;
	attr->sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
			    PERF_SAMPLE_CALLCHAIN;
	attr->watermark = 1;
	attr->wakeup_watermark = RING_PAGES * PAGE; /* nobody waits */
	hit_fd = event_open(attr, 0);
	ring = mmap(NULL, (1 + RING_PAGES) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, hit_fd, 0);
	ok = ring != MAP_FAILED ? sample_rows() : bench_failed("no ring") > 0;
	if (ring != MAP_FAILED)
		munmap(ring, (1 + RING_PAGES) * PAGE);
	close(hit_fd);
	return ok;
}

/* --- SIGTRAP --- */

static volatile unsigned traps;

static void on_trap(int sig)
{
	(void)sig;
	traps++;
}

static double sigtrap_batch(void)
{
	unsigned before = traps;
	uint64_t start = clock_instructions(), took;

	for (unsigned i = 0; i < HITS; i++)
		be_hit();
	took = clock_instructions() - start;
	if (traps - before != HITS)
		return bench_failed("%d hits, but %u traps", HITS, traps - before);
	return took / (double)HITS;
}

/* Hit, handled, and back to the instruction, which is executed then. */
static bool sigtrap_row(void)
{
	struct perf_event_attr attr = attr_of(HW_BREAKPOINT_X, be_hit, sizeof(long));
	bool ok;

	attr.size = sizeof(attr);
	attr.sample_period = 1;
	attr.exclude_kernel = attr.remove_on_exec = attr.sigtrap = 1;
	signal(SIGTRAP, on_trap);
	hit_fd = event_open(&attr, 0);
	ok = hit_fd >= 0 && bench_row("sigtrap round trip", sigtrap_batch);
	close(hit_fd);
	return ok;
}

/* --- Opening --- */

static double open_batch(void)
{
	const struct perf_event_attr attr = attr_of(HW_BREAKPOINT_W, &watched[0], 8);
	uint64_t start = clock_instructions();

	for (unsigned i = 0; i < OPENS; i++) {
		int fd = event_open(&attr, 0);

		if (fd < 0 || raw_syscall3(SYS_close, fd, 0, 0) < 0)
			return bench_failed("perf_event_open failed");
	}
	return (clock_instructions() - start) / (double)OPENS;
}

/* A child that all its threads inherit a breakpoint from. */
static bool watch_inherited(void)
{
	struct perf_event_attr attr = attr_of(HW_BREAKPOINT_W, &watched[1], 8);

	attr.inherit = 1;
	return event_open(&attr, 0) >= 0;
}

/* All that wait here have one stack, where nothing is that they need: it would be much memory. */
static void wait_for_ever(void)
{
	static const uint32_t never;

	for (;;)
		raw_syscall6(SYS_futex, (long)&never, UAPI_FUTEX_WAIT | UAPI_FUTEX_PRIVATE, 0, 0, 0,
			     0);
}

static bool add_task(void)
{
	static uint64_t stack[512] __attribute__((aligned(16)));
	static uint32_t tid; /* 0: this is the first one */

	if (!tid && !watch_inherited())
		return false;
	return raw_syscall6(SYS_thread_create, (long)wait_for_ever, 0, (long)(stack + 512 - 1), 0,
			    (long)&tid, 0) > 0;
}

static bool open_rows(void)
{
	static const unsigned numbers[] = {0, 1024, 10000};
	bool ok = true;

	for (unsigned i = 0; ok && i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		pid_t crowd = numbers[i] ? bench_child(numbers[i] - 1, add_task) : 0;
		char name[64];

		if (numbers[i] && crowd <= 0)
			return bench_failed("there is no room for %u tasks", numbers[i]) > 0;
		snprintf(name, sizeof(name), "breakpoint open+close, %u tasks", numbers[i]);
		ok = bench_row(name, open_batch);
		bench_end(&crowd, 1);
	}
	return ok;
}

/* --- Switches --- */

static double without; /* a switch when there is no breakpoint */

static double base_batch(void)
{
	uint64_t switches;

	return switch_batch(yield_many, 0, &switches);
}

static double added_batch(void)
{
	double cost = base_batch();

	if (cost < 0)
		return -1;
	return cost > without ? cost - without : 0;
}

/* Both of the tasks that take turns have them, as a child inherits them. */
static bool switch_row(void)
{
	int fd[SLOTS], partner = partner_start(0);
	bool ok = partner > 0 && bench_median("switch without event", base_batch, &without);

	partner_end(partner);
	for (unsigned i = 0; i < SLOTS; i++) {
		struct perf_event_attr attr = attr_of(HW_BREAKPOINT_W, &watched[i], 8);

		attr.inherit = 1;
		fd[i] = event_open(&attr, 0);
		ok = ok && fd[i] >= 0;
	}
	partner = partner_start(0);
	ok = ok && partner > 0 && bench_row("switch, 4 breakpoints not hit, added", added_batch);
	partner_end(partner);
	for (unsigned i = 0; i < SLOTS; i++)
		close(fd[i]);
	return ok;
}

/* False, with a message: there are none. */
static bool has_breakpoints(const struct perf_event_attr *attr)
{
	int fd = event_open(attr, 0);

	if (fd == -EOPNOTSUPP)
		fputs("bench: this machine has no breakpoints\n", stderr);
	else
		close(fd);
	return fd != -EOPNOTSUPP;
}

bool bench_breakpoints(void)
{
	struct perf_event_attr attr = attr_of(HW_BREAKPOINT_X, be_hit, sizeof(long));

	if (!has_breakpoints(&attr))
		return true;
	return counted_row(&attr) && sampled_row(&attr) && sigtrap_row() && switch_row();
}

bool bench_crowd(void)
{
	const struct perf_event_attr attr = attr_of(HW_BREAKPOINT_W, &watched[0], 8);

	return !has_breakpoints(&attr) || open_rows();
}
