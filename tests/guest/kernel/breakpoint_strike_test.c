/* SPDX-License-Identifier: MIT */
/*
 * Strikes in the kernel: many in a row, each counted and gone on from, where it was or elsewhere;
 * several owners whom one instruction strikes, by one kind of breakpoint and by both; and nobody's.
 */
#include <hotregs/cpu.h>
#include <hotregs/perf_event.h>
#include <hotregs/task.h>
#include <hotregs/wait.h>

#include "../watched.h"
#include "strikes.h"

/* "strikes=" on the command line; the slow tests want more. */
#define STRIKES 100000

static u64 cell __aligned(8);
static u8 *const bytes = (u8 *)&cell;

static struct breakpoint ours(void)
{
	return (struct breakpoint){.task = current, .cpu = -1};
}

/* --- Many --- */

/* Where a loop goes on, and where it goes round. */
KTEST(breakpoint_instructions_go_on)
{
	const char *const at[] = {(const char *)count_down, count_down_branch};
	u64 many = ktest_number("strikes", STRIKES);

	if (no_breakpoints())
		return;
	for (unsigned i = 0; i < ARRAY_SIZE(at); i++) {
		struct breakpoint bp = ours();

		if (!open_bp(&bp, HW_BREAKPOINT_X, (unsigned long)at[i], 0))
			return;
		WRITE_ONCE(told.n, 0);
		count_down(many);
		EXPECT_EQ(told.n, many);
		EXPECT_EQ(told.ip, (unsigned long)at[i]);
		close_bp(&bp);
	}
}

KTEST(breakpoint_data_go_on)
{
	struct breakpoint bp = ours();
	u64 many = ktest_number("strikes", STRIKES);

	if (no_breakpoints() || !open_bp(&bp, HW_BREAKPOINT_RW, (unsigned long)bytes, 4))
		return;
	WRITE_ONCE(told.n, 0);
	for (u64 i = 0; i < many; i++)
		access_data(bytes, 4, i % 2);
	EXPECT_EQ(told.n, many);
	close_bp(&bp);
}

/* --- Elsewhere --- */

static void go_to_next(struct breakpoint *bp, const struct bp_hit *hit)
{
	note_strike(bp, hit);
	regs_set_ip(hit->regs, instruction_address(1));
}

/* Where a handler has sent it, the next one strikes: it is another instruction. */
KTEST(breakpoint_strikes_where_a_handler_has_sent_it)
{
	struct breakpoint first = ours(), second = ours();

	if (no_breakpoints() || !open_bp(&first, HW_BREAKPOINT_X, instruction(0), 0) ||
	    !open_bp(&second, HW_BREAKPOINT_X, instruction(1), 0))
		return;
	first.hit = go_to_next;
	for (u32 n = 1; n <= 10; n++) {
		WRITE_ONCE(told.n, 0);
		execute(0);
		EXPECT_EQ(told.n, 2);
		EXPECT_EQ(told.ip, instruction_address(1));
	}
	close_bp(&first);
	close_bp(&second);
}

/* --- Several at once --- */

static void count_own(struct breakpoint *bp, const struct bp_hit *hit)
{
	++*(u32 *)bp->context;
}

/* Three of different scopes: the task's, the CPU's, and everybody's. Each is told of its own. */
#define SCOPES 3
static struct {
	struct breakpoint bp[SCOPES];
	u32 n[SCOPES];
} several;

static bool open_several(u32 type, const unsigned long addr[SCOPES], unsigned long len)
{
	for (unsigned i = 0; i < SCOPES; i++) {
		several.n[i] = 0;
		several.bp[i] = (struct breakpoint){.task = i == 0 ? current : NULL,
						    .cpu = i == 1 ? (s32)this_cpu()->id : -1,
						    .hit = count_own,
						    .context = &several.n[i]};
		if (!open_bp(&several.bp[i], type, addr[i], len))
			return false;
	}
	return true;
}

static void expect_several(u32 first, u32 second, u32 third)
{
	EXPECT_EQ(several.n[0], first);
	EXPECT_EQ(several.n[1], second);
	EXPECT_EQ(several.n[2], third);
}

static void close_several(void)
{
	for (unsigned i = 0; i < SCOPES; i++)
		close_bp(&several.bp[i]);
	EXPECT_EQ(breakpoint_slots_used(), 0);
}

static void all_strike(u32 type, unsigned long addr, unsigned long len)
{
	const unsigned long all[] = {addr, addr, addr};

	if (no_breakpoints() || !open_several(type, all, len))
		return;
	for (u32 n = 1; n <= 10; n++) {
		store_word(bytes);
		expect_several(n, n, n);
	}
	breakpoint_disable(&several.bp[1]);
	store_word(bytes);
	expect_several(11, 10, 11);
	close_several();
	store_word(bytes);
	expect_several(11, 10, 11);
}

/* Whom an emulator may report as one. */
KTEST(breakpoint_equal_ones_all_strike)
{
	all_strike(HW_BREAKPOINT_W, (unsigned long)bytes, 4);
}

KTEST(breakpoint_equal_instructions_all_strike)
{
	all_strike(HW_BREAKPOINT_X, (unsigned long)store_word, 0);
}

/* Each by those accesses that touch it: all of them, or two, or one. */
KTEST(breakpoint_overlapping_ones_all_strike)
{
	const unsigned long addr = (unsigned long)bytes, all[] = {addr, addr + 2, addr + 3};

	if (no_breakpoints())
		return;
	if (reports_one_slot()) {
		ktest_skip("this emulator reports one of several slots");
		return;
	}
	if (!open_several(HW_BREAKPOINT_W, all, 2))
		return;
	access_data(bytes, 8, true);
	expect_several(1, 1, 1);
	access_data(bytes + 2, 2, true);
	expect_several(1, 2, 2);
	access_data(bytes + 4, 4, true);
	expect_several(1, 2, 3);
	access_data(bytes, 1, true);
	access_data(bytes + 1, 1, true);
	expect_several(3, 2, 3);
	close_several();
}

/* An instruction that is watched stores to data that are. */
KTEST(breakpoint_instruction_and_its_data)
{
	struct breakpoint x = ours(), w = ours();

	if (no_breakpoints() || !open_bp(&x, HW_BREAKPOINT_X, (unsigned long)store_word, 0) ||
	    !open_bp(&w, HW_BREAKPOINT_W, (unsigned long)bytes, 1))
		return;
	for (u32 n = 1; n <= 1000; n++) {
		WRITE_ONCE(*bytes, 0xff);
		WRITE_ONCE(told.n, 0);
		store_word(bytes);
		EXPECT_EQ(told.n, 2);
		EXPECT(*bytes != 0xff);
	}
	store_word(bytes + 4);
	EXPECT_EQ(told.n, 3);
	close_bp(&x);
	close_bp(&w);
}

/* A sampler's own look at memory is nobody's access: here, of one with a handler. */
static void look_at_memory(struct perf_event *event, struct perf_sample_data *data,
			   struct pt_regs *regs)
{
	store_word(bytes);
	++*(u32 *)perf_event_context(event);
}

KTEST(breakpoint_samplers_are_not_heard)
{
	const struct perf_event_attr attr = {.type = PERF_TYPE_SOFTWARE,
					     .size = PERF_ATTR_SIZE_VER5,
					     .config = PERF_COUNT_SW_CONTEXT_SWITCHES,
					     .sample_period = 1};
	struct breakpoint w = ours();
	struct perf_event *event;
	u32 samples = 0;

	if (no_breakpoints() || !open_bp(&w, HW_BREAKPOINT_W, (unsigned long)bytes, 4))
		return;
	event =
	    perf_event_create_kernel_counter(&attr, this_cpu()->id, NULL, look_at_memory, &samples);
	if (EXPECT(!IS_ERR(event))) {
		WRITE_ONCE(told.n, 0);
		for (u32 n = 0; n < 10; n++)
			sleep_ns(1000000);
		perf_event_release(event);
		EXPECT(samples >= 10);
		EXPECT_EQ(told.n, 0);
	}
	store_word(bytes);
	EXPECT_EQ(told.n, 1);
	close_bp(&w);
}

/* --- Nobody's --- */

/* A slot that is on and has no owner, and one beside it that has. */
static void stray_of(u32 type, unsigned long addr)
{
	struct breakpoint own = ours(), bp = ours();
	u32 before = breakpoint_strays();
	struct bp_bank bank = {};
	unsigned long flags;

	/* Only its form is of interest. */
	if (!open_bp(&bp, type, addr, 1))
		return;
	close_bp(&bp);
	if (!open_bp(&own, HW_BREAKPOINT_W, (unsigned long)&bytes[4], 1))
		return;
	bp_install(&bank, bp_pool(&bp.parts.form[0]), 1, &bp.parts.form[0]);
	flags = irq_save();
	bp_exchange(NULL, &bank);
	WRITE_ONCE(told.n, 0);
	for (u32 n = 1; n <= 10; n++) {
		WRITE_ONCE(*bytes, 0xff);
		store_word(bytes);
		EXPECT(*bytes != 0xff);
	}
	bp_exchange(&bank, NULL);
	irq_restore(flags);
	EXPECT_EQ(breakpoint_strays() - before, type == HW_BREAKPOINT_X ? 10 : 20);
	EXPECT_EQ(told.n, 0);
	store_word(bytes + 4);
	EXPECT_EQ(told.n, 1);
	close_bp(&own);
}

KTEST(breakpoint_strays_are_told_nobody)
{
	if (no_breakpoints())
		return;
	stray_of(HW_BREAKPOINT_W, (unsigned long)bytes);
	stray_of(HW_BREAKPOINT_X, (unsigned long)store_word);
}
