/* SPDX-License-Identifier: MIT */
/*
 * Steps over instructions that have struck, as ARMv7-A's and AArch64's debug_test.c have them in
 * common: exclusive accesses, signals in between, reads beside writes. Who includes it has the
 * code: add_exclusively() from add_begins to its last instruction, add_ends, and store_there().
 */
#pragma once

#include <linux/hw_breakpoint.h>
#include <signal.h>
#include <sys/mman.h>
#include <unistd.h>

#include "ktap.h"
#include "samples.h"

extern uint8_t add_begins[], add_ends[];
uint32_t add_exclusively(uint32_t *word, uint32_t what); /* what was there */

extern uint8_t store_at[];
void store_there(uint32_t *at, uint32_t what);

static int count(uint32_t type, const void *addr, uint64_t len)
{
	struct perf_event_attr attr = {.type = PERF_TYPE_BREAKPOINT,
				       .size = PERF_ATTR_SIZE_VER5,
				       .bp_type = type,
				       .bp_addr = (uintptr_t)addr,
				       .bp_len = len};

	return perf_event_open(&attr, 0, -1, -1, 0);
}

static uint64_t value(int fd)
{
	uint64_t n = -1;

	EXPECT_EQ(read(fd, &n, sizeof(n)), sizeof(n));
	close(fd);
	return n;
}

/* As a library's lock does it; the load or the store strikes, and the exchange comes about. */
TEST(arm_steps_leave_exclusive_accesses_whole)
{
	static uint32_t word;
	int fd = count(HW_BREAKPOINT_RW, &word, 4);

	if (!EXPECT(fd >= 0))
		return;
	for (uint32_t i = 0; i < 100; i++) {
		EXPECT_EQ(__atomic_fetch_add(&word, 1, __ATOMIC_RELAXED), i);
		uint32_t other = 1000;

		/* Left by the branch. */
		EXPECT(!__atomic_compare_exchange_n(&word, &other, 7, false, __ATOMIC_RELAXED,
						    __ATOMIC_RELAXED));
	}
	/* Loads strike; the stores are stepped over with them. */
	EXPECT_EQ(value(fd), 200);
	fd = count(HW_BREAKPOINT_W, &word, 4);
	for (uint32_t i = 0; i < 100; i++)
		__atomic_fetch_add(&word, 1, __ATOMIC_SEQ_CST);
	EXPECT_EQ(value(fd), 100);
	EXPECT_EQ(__atomic_load_n(&word, __ATOMIC_RELAXED), 200);
}

/* Each of its instructions strikes once a call, and the sequence comes about. */
TEST(arm_steps_leave_a_sequence_that_they_are_in)
{
	static uint32_t word;

	for (uint8_t *at = add_begins; at <= add_ends; at += 4) {
		int fd = count(HW_BREAKPOINT_X, at, 4);

		if (!EXPECT(fd >= 0))
			return;
		word = 0;
		for (uint32_t i = 0; i < 100; i++)
			EXPECT_EQ(add_exclusively(&word, 3), 3 * i);
		EXPECT_EQ(word, 300);
		EXPECT_EQ(value(fd), 100);
	}
}

static uint32_t target;
static volatile unsigned signals;
static uint32_t *page;

static void on_fault(int sig)
{
	(void)sig;
	signals++;
	store_there(&target, 9);
	mmap(page, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

/* A fault and its signal between the strike and the instruction, which the handler executes, too.
 */
TEST(arm_steps_survive_signals)
{
	int fd;

	page = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (!EXPECT(page != MAP_FAILED))
		return;
	signals = 0;
	signal(SIGSEGV, on_fault);
	fd = count(HW_BREAKPOINT_X, store_at, 4);
	EXPECT(fd >= 0);
	store_there(page, 5);
	EXPECT_EQ(*page, 5);
	EXPECT_EQ(target, 9);
	EXPECT_EQ(signals, 1);
	signal(SIGSEGV, SIG_DFL);
	EXPECT_EQ(value(fd), 2);
	munmap(page, 4096);
}

TEST(arm_reads_alone_are_told_from_writes)
{
	int r = count(HW_BREAKPOINT_R, &target, 4), w = count(HW_BREAKPOINT_W, &target, 4);

	if (!EXPECT(r >= 0 && w >= 0))
		return;
	for (int i = 0; i < 10; i++)
		*(volatile uint32_t *)&target = 1;
	for (int i = 0; i < 7; i++)
		(void)*(volatile uint32_t *)&target;
	EXPECT_EQ(value(r), 7);
	EXPECT_EQ(value(w), 10);
}
