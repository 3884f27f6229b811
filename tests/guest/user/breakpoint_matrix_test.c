/* SPDX-License-Identifier: MIT */
/*
 * Breakpoint events in each slot of the processor, of each type, length and alignment, against each
 * access of the program's, the kernel's for it, and each instruction: what they watch counts once,
 * what lies beside it does not.
 */
#include <unistd.h>

#include "../watched.h"
#include "strikes.h"

#define WINDOW 40 /* bytes, of which some in the middle are watched */
#define MIDDLE 16

static unsigned char window[WINDOW] __attribute__((aligned(64)));
static unsigned char elsewhere;

static int pipes[2]; /* what the kernel reads and writes for the program, byte by byte */

/* The kernel's own access for the program, of one byte. */
static void access_by_kernel(unsigned char *at, bool write_it)
{
	unsigned char other = 0;

	EXPECT_EQ(write(pipes[1], write_it ? &other : at, 1), 1);
	EXPECT_EQ(read(pipes[0], write_it ? at : &other, 1), 1);
}

/* Accesses of every size, aligned as programs' are, all over the window. */
static bool try_accesses(int fd, const struct watched *w, uint32_t kinds, bool by_kernel)
{
	unsigned largest = by_kernel ? 1 : ACCESS_MAX;
	uint64_t before = value(fd), now;
	bool ok = true;

	for (unsigned size = 1; size <= largest; size *= 2) {
		for (unsigned char *at = window; at < window + WINDOW; at += size) {
			for (uint32_t kind = HW_BREAKPOINT_R; kind <= HW_BREAKPOINT_W; kind++) {
				if (by_kernel)
					access_by_kernel(at, kind == HW_BREAKPOINT_W);
				else
					access_data(at, size, kind == HW_BREAKPOINT_W);
				now = value(fd);
				ok &=
				    EXPECT_EQ(now - before, (kinds & kind) && touches(w, at, size));
				before = now;
			}
		}
	}
	return ok;
}

/* In the @slot-th of @slots; where what it watches takes more than are left, it is refused. */
static bool try_range(unsigned slot, unsigned slots, uint32_t type, unsigned offset, unsigned len)
{
	struct watched w = watched_by((uintptr_t)&window[MIDDLE + offset], len);
	bool fits = slot + w.slots <= slots, ok;
	int fd;

	errno = 0;
	fd = count_on_self(type, &window[MIDDLE + offset], len);
	ok = fits ? EXPECT(fd >= 0) : EXPECT(fd == -1 && errno == ENOSPC);
	if (ok && fits)
		ok = try_accesses(fd, &w, type, false) & try_accesses(fd, &w, type, true);
	close(fd);
	if (!ok)
		printf("# slot %u, type %u, %u bytes at offset %u\n", slot, (unsigned)type, len,
		       offset);
	return ok;
}

static bool try_slot(unsigned slot, unsigned slots)
{
	for (uint32_t type = FIRST_ACCESS_TYPE; type <= HW_BREAKPOINT_RW; type++)
		for (unsigned len = 1; len <= ACCESS_MAX; len++)
			for (unsigned offset = 0; offset < ACCESS_MAX; offset++)
				if (!try_range(slot, slots, type, offset, len))
					return false;
	return true;
}

TEST(breakpoint_data_in_each_slot)
{
	int others[SLOTS_MAX];
	unsigned slots;
	bool ok;

	if (no_breakpoints())
		return;
	ok = EXPECT_EQ(pipe(pipes), 0);
	slots = fill_slots(others, HW_BREAKPOINT_W, &elsewhere);
	/* Whoever is opened first is in the first one. */
	for (unsigned slot = slots; slot--;) {
		close(others[slot]);
		ok = ok && try_slot(slot, slots);
	}
	close(pipes[0]);
	close(pipes[1]);
}

static void try_instructions(unsigned slot, unsigned watched, unsigned len)
{
	int fd = count_on_self(HW_BREAKPOINT_X, (void *)instruction(watched), len);
	uint64_t before = 0, now;

	if (!EXPECT(fd >= 0))
		return;
	for (unsigned i = 0; i < INSTRUCTIONS; i++) {
		execute(i);
		now = value(fd);
		if (!EXPECT_EQ(now - before, i == watched))
			printf("# slot %u, instruction %u of length %u\n", slot, watched, len);
		before = now;
	}
	close(fd);
}

static void nobody_calls(void)
{
}

TEST(breakpoint_instruction_in_each_slot)
{
	int others[SLOTS_MAX];

	if (no_breakpoints())
		return;
	for (unsigned slot = fill_slots(others, HW_BREAKPOINT_X, nobody_calls); slot--;) {
		close(others[slot]);
		for (unsigned i = 0; i < INSTRUCTIONS; i++)
			for (unsigned len = 0; len <= ACCESS_MAX; len++)
				if (may_be_long(i, len))
					try_instructions(slot, i, len);
	}
}
