/* SPDX-License-Identifier: MIT */
/*
 * Breakpoints in each slot of the processor, of each type, length and alignment, against each
 * access of the kernel's and each instruction: what they watch strikes once, what lies beside it
 * does not.
 */
#include <hotregs/cpu.h>
#include <hotregs/printk.h>
#include <hotregs/task.h>

#include "../watched.h"
#include "strikes.h"

#define WINDOW 40 /* bytes, of which some in the middle are watched */
#define MIDDLE 16

static u8 window[WINDOW] __aligned(64);

/* Accesses of every size, aligned as programs' are, all over the window. */
static bool try_accesses(const struct watched *w, u32 kinds)
{
	bool ok = true;

	for (unsigned size = 1; size <= ACCESS_MAX; size *= 2) {
		for (u8 *at = window; at < window + WINDOW; at += size) {
			for (u32 kind = HW_BREAKPOINT_R; kind <= HW_BREAKPOINT_W; kind++) {
				told.n = 0;
				access_data(at, size, kind == HW_BREAKPOINT_W);
				ok &= EXPECT_EQ(told.n, (kinds & kind) && touches(w, at, size));
			}
		}
	}
	return ok;
}

/* In the @slot-th of @slots; where what it watches takes more than are left, it is refused. */
static bool try_range(struct breakpoint *bp, unsigned slot, unsigned slots, u32 type,
		      unsigned offset, unsigned len)
{
	struct watched w = watched_by((unsigned long)&window[MIDDLE + offset], len);
	bool fits = slot + w.slots <= slots, ok;

	ok = EXPECT_EQ(try_bp(bp, type, (unsigned long)&window[MIDDLE + offset], len),
		       fits ? 0 : -ENOSPC);
	if (ok && fits) {
		ok &= EXPECT(is_in_slot(bp, slot)) & try_accesses(&w, type);
		close_bp(bp);
	}
	if (!ok)
		printk("# slot %u, type %u, %u bytes at offset %u\n", slot, type, len, offset);
	return ok;
}

/* All ranges, or but those of a power of two that are aligned. */
static bool try_ranges(struct task *task, s32 cpu, unsigned slot, unsigned slots, u32 type,
		       bool all)
{
	for (unsigned len = 1; len <= ACCESS_MAX; len += all ? 1 : len) {
		for (unsigned offset = 0; offset < ACCESS_MAX; offset += all ? 1 : len) {
			struct breakpoint bp = {.task = task, .cpu = cpu};

			if (!try_range(&bp, slot, slots, type, offset, len))
				return false;
		}
	}
	return true;
}

static void try_data(struct task *task, s32 cpu, bool all)
{
	struct breakpoint others[BP_SLOTS];
	unsigned slots;

	if (no_breakpoints())
		return;
	slots = slots_of(HW_BREAKPOINT_W);
	for (unsigned slot = 0; slot < slots; slot++) {
		bool ok = true;

		open_others(others, slot, HW_BREAKPOINT_W, task, cpu);
		for (u32 type = FIRST_ACCESS_TYPE; ok && type <= HW_BREAKPOINT_RW; type++)
			ok = try_ranges(task, cpu, slot, slots, type, all);
		close_others(others, slot);
	}
	EXPECT_EQ(breakpoint_slots_used(), 0);
}

KTEST(breakpoint_data_of_a_task)
{
	try_data(current, -1, true);
}

KTEST(breakpoint_data_of_a_cpu)
{
	try_data(NULL, this_cpu()->id, false);
}

KTEST(breakpoint_data_of_a_task_on_a_cpu)
{
	try_data(current, this_cpu()->id, false);
}

KTEST(breakpoint_data_of_everybody)
{
	try_data(NULL, -1, false);
}

/* Before it is executed, and not before those beside it. */
static void try_instructions(unsigned slot, unsigned watched, unsigned len)
{
	struct breakpoint bp = {.task = current, .cpu = -1};

	if (!open_bp(&bp, HW_BREAKPOINT_X, instruction(watched), len))
		return;
	EXPECT(is_in_slot(&bp, slot));
	for (unsigned i = 0; i < INSTRUCTIONS; i++) {
		told.n = 0;
		told.before_access = false;
		execute(i);
		if (!EXPECT_EQ(told.n, i == watched))
			printk("# slot %u, instruction %u of length %u\n", slot, watched, len);
		if (i != watched)
			continue;
		EXPECT_EQ(told.ip, instruction_address(i));
		EXPECT(told.before_access);
	}
	close_bp(&bp);
	told.n = 0;
	execute(watched);
	EXPECT_EQ(told.n, 0);
}

KTEST(breakpoint_instruction_in_each_slot)
{
	struct breakpoint others[BP_SLOTS];

	if (no_breakpoints())
		return;
	for (unsigned slot = 0; slot < slots_of(HW_BREAKPOINT_X); slot++) {
		open_others(others, slot, HW_BREAKPOINT_X, current, -1);
		for (unsigned i = 0; i < INSTRUCTIONS; i++)
			for (unsigned len = 0; len <= ACCESS_MAX; len++)
				if (may_be_long(i, len))
					try_instructions(slot, i, len);
		close_others(others, slot);
	}
	EXPECT_EQ(breakpoint_slots_used(), 0);
}
