/* SPDX-License-Identifier: MIT */
/* Address spaces as a program changes them: mappings that replace others, and what they leave. */
#include <linux/perf_event.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ktap.h"
#include "samples.h"

#define PAGE 4096UL
#define RW   (PROT_READ | PROT_WRITE)

/* Each step needs page tables of its own. */
#if UINTPTR_MAX > UINT32_MAX
#define TABLES_STEP (1UL << 30)
#else
#define TABLES_STEP (4UL << 20)
#endif

static char *map(void *addr, size_t size, int flags)
{
	return mmap(addr, size, RW, MAP_PRIVATE | MAP_ANONYMOUS | flags, -1, 0);
}

/* Addresses that need @n times page tables which no test has needed before. */
static char *fresh_addresses(unsigned n)
{
	static uintptr_t next = 0x20000000;
	char *base = (char *)next;

	next += n * TABLES_STEP;
	return base;
}

/* How many kB of free memory a second run of @body takes; the first takes its code into memory. */
static long memory_lost(void (*body)(void))
{
	long before = 0, after = 0;

	for (int i = 0; i < 2; i++) {
		before = free_memory_kb();
		body();
		after = free_memory_kb();
	}
	return before - after;
}

static void map_touch_unmap(void)
{
	char *base = fresh_addresses(60);

	for (unsigned i = 0; i < 60; i++) {
		char *at = base + i * TABLES_STEP, *p = map(at, PAGE, MAP_FIXED);

		if (!EXPECT(p == at))
			return;
		p[0] = 1;
		EXPECT_EQ(munmap(p, PAGE), 0);
	}
}

/* While the program still runs. */
TEST(memory_page_tables_go_with_what_they_map)
{
	EXPECT_EQ(memory_lost(map_touch_unmap), 0);
}

/* Many areas in many tables, taken away at once or from either end. */
static void map_many(void)
{
	for (int order = 0; order < 3; order++) {
		char *base = fresh_addresses(40);

		for (unsigned i = 0; i < 40; i++)
			if (EXPECT(map(base + i * TABLES_STEP, PAGE, MAP_FIXED) != MAP_FAILED))
				base[i * TABLES_STEP] = 1;
		for (unsigned i = 0; i < 40 && order; i++)
			munmap(base + (order == 1 ? i : 39 - i) * TABLES_STEP, PAGE);
		EXPECT_EQ(munmap(base, 40 * TABLES_STEP), 0);
	}
}

TEST(memory_page_tables_of_large_ranges_go)
{
	EXPECT_EQ(memory_lost(map_many), 0);
}

/* A neighbour keeps the tables it is in. */
TEST(memory_page_tables_in_use_stay)
{
	char *low = map(fresh_addresses(2), PAGE, MAP_FIXED), *high = low + TABLES_STEP - PAGE;

	EXPECT(map(high, 2 * PAGE, MAP_FIXED) == high);
	low[0] = 1;
	high[0] = 2;
	high[PAGE] = 3;
	EXPECT_EQ(munmap(low, PAGE), 0);
	EXPECT_EQ(high[0], 2);
	EXPECT(map(low, PAGE, MAP_FIXED) == low);
	EXPECT_EQ(low[0], 0);
	EXPECT_EQ(munmap(high, PAGE), 0);
	EXPECT_EQ(high[PAGE], 3);
	EXPECT_EQ(munmap(low, TABLES_STEP + PAGE), 0);
}

/* The stack's lowest address, from /proc/self/maps. */
static char *stack_bottom(void)
{
	FILE *f = fopen("/proc/self/maps", "r");
	char line[160], *bottom = NULL;

	while (f && fgets(line, sizeof(line), f))
		if (strstr(line, "[stack]"))
			bottom = (char *)(uintptr_t)strtoull(line, NULL, 16);
	if (f)
		fclose(f);
	return bottom;
}

/* Up to the stack, whose guard page is in the way; whatever lies there, a thread's stack perhaps,
 * only the child loses. */
static void replace_beside_the_stack(void)
{
	char *stack = stack_bottom(), *p = map(stack - 4 * PAGE, 3 * PAGE, MAP_FIXED);

	if (p != stack - 4 * PAGE)
		_exit(1);
	memset(p, 7, 3 * PAGE);
	if (map(p + PAGE, 3 * PAGE, MAP_FIXED) != MAP_FAILED || errno != ENOMEM)
		_exit(2);
	_exit(p[PAGE] != 7 || p[2 * PAGE] != 7);
}

/* A mapping that can not be changes nothing of what is there. */
TEST(memory_fixed_replaces_all_or_nothing)
{
	char *p;

	EXPECT_EQ(in_child(replace_beside_the_stack), 0);
	/* More than there is. */
	p = map(fresh_addresses(1), PAGE, MAP_FIXED);
	p[0] = 7;
	EXPECT(map(p, 1UL << 30, MAP_FIXED) == MAP_FAILED);
	EXPECT_EQ(errno, ENOMEM);
	EXPECT_EQ(p[0], 7);
	EXPECT_EQ(munmap(p, PAGE), 0);
}

/* A stack can be cut in two and at its lower end, and the rest goes on as before. */
static void replace_in_stack(void)
{
	char *stack = stack_bottom(), *p = stack + 8 * PAGE;

	stack[0] = 1;
	p[0] = p[4 * PAGE] = 2;
	if (map(p, 4 * PAGE, MAP_FIXED) != p || p[0] || p[4 * PAGE] != 2 || stack[0] != 1)
		_exit(1);
	p[0] = 3;
	if (map(stack - PAGE, 4 * PAGE, MAP_FIXED) != stack - PAGE || stack[0] || p[0] != 3)
		_exit(2);
	_exit(0);
}

TEST(memory_fixed_in_the_stack)
{
	EXPECT_EQ(in_child(replace_in_stack), 0);
}

/* --- The kernel's memory for rings --- */

static int ring_event(void)
{
	struct perf_event_attr attr = software_event(PERF_COUNT_SW_CONTEXT_SWITCHES);

	return perf_event_open(&attr, 0, -1, -1, 0);
}

static void *map_ring(int fd, size_t pages)
{
	return mmap(NULL, (1 + pages) * PAGE, RW, MAP_SHARED, fd, 0);
}

static void map_huge_rings(void)
{
	int fd = ring_event();

	EXPECT(map_ring(fd, 1UL << 18) == MAP_FAILED); /* 1 GiB */
	EXPECT_EQ(errno, EPERM);
#if UINTPTR_MAX > UINT32_MAX
	EXPECT(map_ring(fd, 1UL << 30) == MAP_FAILED);
	EXPECT_EQ(errno, EPERM);
#endif
	close(fd);
}

TEST(memory_huge_ring_is_refused)
{
	EXPECT_EQ(memory_lost(map_huge_rings), 0);
}

/* Takes rings until no more is given; false when one was refused in an undocumented way. */
static bool take_rings(void)
{
	for (;;) {
		int fd = ring_event();

		if (fd < 0)
			return errno == EMFILE || errno == ENOMEM;
		for (size_t pages = 1UL << 14; map_ring(fd, pages) == MAP_FAILED; pages /= 2) {
			if (errno != EPERM && errno != ENOMEM)
				return false;
			if (!pages)
				return true;
		}
	}
}

/* Takes them, says so by closing @fd, and keeps them. */
static void keep_rings(int fd)
{
	bool right = take_rings();

	if (!right)
		_exit(1);
	close(fd);
	for (;;)
		sleep(1);
}

/* What rings leave is enough for other programs; and it comes back. */
static void rings_and_others(void)
{
	int ends[2], status;
	pid_t taker;
	char c;

	if (pipe(ends) < 0)
		_exit(1);
	taker = fork();
	if (!taker) {
		close(ends[0]);
		keep_rings(ends[1]);
	}
	close(ends[1]);
	if (read(ends[0], &c, 1) || in_child(replace_in_stack))
		_exit(2);
	if (kill(taker, SIGKILL) || waitpid(taker, &status, 0) != taker)
		_exit(3);
	_exit(WIFSIGNALED(status) ? 0 : 4);
}

static void child_with_rings(void)
{
	EXPECT_EQ(in_child(rings_and_others), 0);
}

TEST(memory_rings_leave_room_for_others)
{
	EXPECT_EQ(memory_lost(child_with_rings), 0);
}
