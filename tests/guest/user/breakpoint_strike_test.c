/* SPDX-License-Identifier: MIT */
/*
 * Strikes in a program: many in a row, each counted and gone on from, and sampled by their period;
 * and several events that one instruction strikes, by one kind of breakpoint and by both.
 */
#include <unistd.h>

#include "../watched.h"
#include "strikes.h"

/* Long storms last longer. */
#define STRIKES (100000ULL * ktap_scale)

static uint64_t cell __attribute__((aligned(8)));
static uint8_t *const bytes = (uint8_t *)&cell;

/* --- Many --- */

/* Where a loop goes on, and where it goes round. */
TEST(breakpoint_storm_of_instructions)
{
	const char *const at[] = {(const char *)count_down, count_down_branch};

	if (no_breakpoints())
		return;
	for (unsigned i = 0; i < 2; i++) {
		int fd = count_on_self(HW_BREAKPOINT_X, at[i], sizeof(long));

		count_down(STRIKES);
		EXPECT_EQ(value(fd), STRIKES);
		close(fd);
	}
}

TEST(breakpoint_storm_of_data)
{
	int fd;

	if (no_breakpoints())
		return;
	fd = count_on_self(HW_BREAKPOINT_RW, bytes, 4);
	for (uint64_t i = 0; i < STRIKES; i++)
		access_data(bytes, 4, i % 2);
	EXPECT_EQ(value(fd), STRIKES);
	close(fd);
}

/* Exactly so many samples as there are periods. */
static void expect_samples(uint32_t type, volatile const void *addr)
{
	struct perf_event_attr attr = breakpoint(type, addr, 1);
	static struct record record;
	struct recorder r;
	unsigned n = 0;

	attr.sample_period = 100;
	attr.sample_type = SAMPLE_TYPE & ~PERF_SAMPLE_CALLCHAIN;
	if (!EXPECT(recorder_open(&r, &attr, 0, -1, 8)))
		return;
	for (int i = 0; i < 10000; i++)
		store_word(bytes);
	while (recorder_next(&r, &record))
		n += record.header.type == PERF_RECORD_SAMPLE;
	EXPECT_EQ(n, 100);
	EXPECT_EQ(value(r.fd), 10000);
	recorder_close(&r);
}

TEST(breakpoint_loses_no_strike)
{
	if (no_breakpoints())
		return;
	expect_samples(HW_BREAKPOINT_X, (void *)(uintptr_t)store_word);
	expect_samples(HW_BREAKPOINT_W, bytes);
}

/* --- Several at once --- */

static void expect_values(const int fd[3], uint64_t first, uint64_t second, uint64_t third)
{
	EXPECT_EQ(value(fd[0]), first);
	EXPECT_EQ(value(fd[1]), second);
	EXPECT_EQ(value(fd[2]), third);
}

/* The caller's, this CPU's, and the caller's on this CPU. */
static void open_scopes(int fd[3], uint32_t type, volatile const void *addr)
{
	struct perf_event_attr attr = breakpoint(type, addr, 1);

	fd[0] = perf_event_open(&attr, 0, -1, -1, 0);
	fd[1] = perf_event_open(&attr, -1, 0, -1, 0);
	fd[2] = perf_event_open(&attr, 0, 0, -1, 0);
	EXPECT(fd[0] >= 0 && fd[1] >= 0 && fd[2] >= 0);
}

/* Whom an emulator may report as one. */
TEST(breakpoint_equal_ones_all_strike)
{
	int x[3], w[3];

	if (no_breakpoints())
		return;
	open_scopes(x, HW_BREAKPOINT_X, (void *)(uintptr_t)store_word);
	for (unsigned n = 1; n <= 10; n++) {
		store_word(bytes);
		expect_values(x, n, n, n);
	}
	close_all(x, 3);
	open_scopes(w, HW_BREAKPOINT_W, bytes);
	for (unsigned n = 1; n <= 10; n++) {
		store_word(bytes);
		expect_values(w, n, n, n);
	}
	close_all(w, 3);
	EXPECT_EQ(slots_used(), 0);
}

/* Each by those accesses that touch it: all of them, or two, or one. */
TEST(breakpoint_overlapping_ones_all_strike)
{
	int fd[3];

	if (no_breakpoints())
		return;
	if (reports_one_slot()) {
		ktap_skip("this emulator reports one of several slots");
		return;
	}
	for (unsigned i = 0; i < 3; i++)
		fd[i] = count_on_self(HW_BREAKPOINT_RW, bytes + i, 2);
	access_data(bytes, 8, true);
	expect_values(fd, 1, 1, 1);
	access_data(bytes + 2, 2, false);
	expect_values(fd, 1, 2, 2);
	access_data(bytes + 3, 1, true);
	expect_values(fd, 1, 2, 3);
	access_data(bytes, 1, true);
	access_data(bytes + 4, 4, false);
	expect_values(fd, 2, 2, 3);
	close_all(fd, 3);
}

/* An instruction that is watched stores to data that are. */
TEST(breakpoint_instruction_and_its_data)
{
	int x, w;

	if (no_breakpoints())
		return;
	x = count_on_self(HW_BREAKPOINT_X, (void *)(uintptr_t)store_word, sizeof(long));
	w = count_on_self(HW_BREAKPOINT_W, bytes, 1);
	for (unsigned n = 1; n <= 1000; n++) {
		*bytes = 0xff;
		store_word(bytes);
		EXPECT_EQ(value(x), n);
		EXPECT_EQ(value(w), 2 * n);
		EXPECT(*bytes != 0xff);
	}
	store_word(bytes + 4);
	EXPECT_EQ(value(x), 1001);
	EXPECT_EQ(value(w), 2000);
	close(x);
	close(w);
}
