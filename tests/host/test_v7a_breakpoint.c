/* SPDX-License-Identifier: MIT */
/*
 * arch/arm/v7a/breakpoint.c on a model of the debug registers, from ARM DDI 0406C, C3.3, C3.4 and
 * C11.11: every length at every alignment, every slot, four and eight byte-select bits, and what is
 * refused.
 */
#include <stdio.h>
#include <string.h>

#include "host.h"

#include "../../arch/arm/common/breakpoint.c"
#include "../../arch/arm/v7a/breakpoint.c"

/* --- The model --- */

static struct {
	u32 bvr[16], bcr[16], wvr[16], wcr[16], cp[HOST_CP];
	unsigned width, writes, put_off;
	bool locked_away;
} model;

static void write_value(u32 *value, const u32 *control, unsigned n, u32 to)
{
	assert_true(n < 16);
	assert_false(control[n] & 1); /* one that is on would strike at either address */
	value[n] = to;
	model.writes++;
}

void dbgbvr_write(unsigned n, u32 value)
{
	write_value(model.bvr, model.bcr, n, value);
}

void dbgwvr_write(unsigned n, u32 value)
{
	write_value(model.wvr, model.wcr, n, value);
}

void dbgbcr_write(unsigned n, u32 value)
{
	assert_true(n < 16);
	model.bcr[n] = value;
	model.writes++;
}

void dbgwcr_write(unsigned n, u32 value)
{
	assert_true(n < 16);
	model.wcr[n] = value;
	model.writes++;
}

u32 cp_read(enum host_cp reg)
{
	return model.cp[reg];
}

/* Behind a lock nothing else may be touched. */
void cp_write(enum host_cp reg, u32 value)
{
	if (reg != DBGOSLAR && reg != DBGOSDLR)
		assert_int_equal(model.cp[DBGOSLAR] | model.cp[DBGOSDLR], 0);
	model.cp[reg] = value;
}

bool cpu_try(void (*fn)(void))
{
	if (!model.locked_away)
		fn();
	return !model.locked_away;
}

void step_put_off(struct arm_debug *debug)
{
	model.put_off++;
	debug->step.on = false;
}

/* C11.11.44: does watchpoint @n see an access of one byte? C11.11.2: a fetch? */
static bool model_accesses(unsigned n, u32 addr, bool store)
{
	u32 wcr = model.wcr[n], block = model.width, mask = wcr >> 24 & 31;

	if (!(wcr & 1) || !(wcr >> 3 & (store ? 2 : 1)))
		return false;
	if (mask)
		return addr >> mask == model.wvr[n] >> mask;
	return (addr & -block) == model.wvr[n] && wcr >> 5 & 1U << (addr & (block - 1));
}

static bool model_fetches(unsigned n, u32 addr, bool thumb)
{
	u32 bas = model.bcr[n] >> 5 & 15;

	if (!(model.bcr[n] & 1) || (addr & ~3U) != model.bvr[n])
		return false;
	return thumb ? (bas >> (addr & 2) & 3) == 3 : bas == 15;
}

static void set_width(unsigned width)
{
	memset(&model, 0, sizeof(model));
	model.width = width;
	cpus[0] = (struct cpu){};
	arm_breakpoints = (struct arm_breakpoints){{5, 4}, 5, width, true, "none here"};
}

static int set_up(void **state)
{
	set_width(8);
	return 0;
}

/* --- Forms --- */

#define BASE 0x30000UL

static struct bp_parts parse(u32 type, u64 addr, u64 len)
{
	const struct perf_event_attr attr = {.bp_type = type, .bp_addr = addr, .bp_len = len};
	struct bp_parts parts;
	const char *why = "";

	if (bp_parse(&attr, &parts, &why))
		fail_msg("type %u, %llu bytes at 0x%llx: %s", type, len, addr, why);
	assert_in_range(parts.nr, 1, 2);
	for (unsigned i = 0; i < parts.nr; i++)
		if (bp_check(&parts.form[i], &why))
			fail_msg("type %u, %llu bytes at 0x%llx: %s", type, len, addr, why);
	return parts;
}

static void load(const struct bp_parts *parts)
{
	struct bp_bank bank = {};

	for (unsigned i = 0; i < parts->nr; i++)
		bp_install(&bank, bp_pool(&parts->form[i]), i, &parts->form[i]);
	bp_exchange(NULL, &bank);
}

static bool in_a_range(const struct bp_parts *parts, unsigned long addr)
{
	for (unsigned i = 0; i < parts->nr; i++) {
		struct bp_range range = bp_range(&parts->form[i]);

		if (addr >= range.first && addr <= range.last)
			return true;
	}
	return false;
}

/* How many bytes are watched, these among them; ranges say the same as registers do. */
static unsigned watched(u32 type, unsigned long first, unsigned len)
{
	struct bp_parts parts = parse(type, first, len);
	unsigned n = 0;

	load(&parts);
	for (unsigned long addr = BASE - 32; addr < BASE + 64; addr++) {
		bool in = addr - first < len;
		bool loads = model_accesses(0, addr, false) || model_accesses(1, addr, false);
		bool stores = model_accesses(0, addr, true) || model_accesses(1, addr, true);

		assert_int_equal(loads || stores, in_a_range(&parts, addr));
		if (in) {
			assert_int_equal(loads, type & HW_BREAKPOINT_R ? 1 : 0);
			assert_int_equal(stores, type & HW_BREAKPOINT_W ? 1 : 0);
		}
		n += loads || stores;
	}
	return n;
}

static void every_range_is_watched_exactly(void **state)
{
	for (u32 type = HW_BREAKPOINT_R; type <= HW_BREAKPOINT_RW; type++) {
		for (unsigned offset = 0; offset < 16; offset++) {
			for (unsigned len = 1; len <= 8; len++) {
				set_width(8);
				assert_int_equal(watched(type, BASE + offset, len), len);
				/* In one aligned block it takes one slot. */
				assert_int_equal(parse(type, BASE + offset, len).nr,
						 offset % 8 + len <= 8 ? 1 : 2);
			}
		}
	}
}

/* Four bits: exact but for what is in three words, where the doubleword among them is whole. */
static void four_bits_watch_the_fewest_bytes(void **state)
{
	for (unsigned offset = 0; offset < 16; offset++) {
		for (unsigned len = 1; len <= 8; len++) {
			unsigned words = (offset % 4 + len + 3) / 4, n, expected = len;

			set_width(4);
			n = watched(HW_BREAKPOINT_W, BASE + offset, len);
			if (words == 3)
				expected =
				    offset % 8 < 4 ? 8 + offset % 4 + len - 8 : 4 - offset % 4 + 8;
			assert_int_equal(n, expected);
			assert_int_equal(parse(HW_BREAKPOINT_W, BASE + offset, len).nr,
					 words == 1 || (len == 8 && offset % 8 == 0) ? 1 : 2);
		}
	}
}

static void instructions_are_arm_or_thumb(void **state)
{
	static const struct {
		u32 offset, len, at;
		bool thumb;
	} cases[] = {
	    {0, 4, 0, false}, {0, 0, 0, false}, {0, 8, 0, false}, {0, 2, 0, true},
	    {1, 4, 0, true},  {2, 2, 2, true},  {2, 4, 2, true},  {3, 0, 2, true},
	};

	for (unsigned slot = 0; slot < BP_SLOTS; slot++) {
		for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
			struct bp_parts parts =
			    parse(HW_BREAKPOINT_X, BASE + cases[i].offset, cases[i].len);
			struct bp_bank bank = {};

			set_width(8);
			bp_install(&bank, BP_EXEC, slot, &parts.form[0]);
			bp_exchange(NULL, &bank);
			for (u32 addr = BASE - 8; addr < BASE + 16; addr += cases[i].thumb ? 2 : 4)
				assert_int_equal(model_fetches(slot, addr, cases[i].thumb),
						 addr == BASE + cases[i].at);
			assert_int_equal(bp_range(&parts.form[0]).first, BASE + cases[i].at);
		}
	}
}

/* --- Registers --- */

/* As a switch does it: one bank goes, another comes, a third one stays. */
static void exchange_leaves_others_alone(void **state)
{
	struct bp_parts w = parse(HW_BREAKPOINT_W, BASE, 4),
			x = parse(HW_BREAKPOINT_X, BASE + 100, 0);
	struct bp_bank own = {}, from = {}, to = {};
	unsigned writes;

	bp_install(&own, BP_DATA, 3, &w.form[0]);
	bp_install(&from, BP_DATA, 0, &w.form[0]);
	bp_install(&from, BP_EXEC, 0, &x.form[0]);
	bp_install(&to, BP_DATA, 1, &w.form[0]);
	bp_exchange(NULL, &own);
	bp_exchange(NULL, &from);
	assert_true(model_accesses(0, BASE, true) && model_fetches(0, BASE + 100, false));
	writes = model.writes;
	bp_exchange(&from, &to);
	assert_int_equal(model.writes - writes, 4);
	assert_false(model_accesses(0, BASE, true) || model_fetches(0, BASE + 100, false));
	assert_true(model_accesses(1, BASE, true) && model_accesses(3, BASE, true));
	assert_int_equal(cpus[0].arch.debug.loaded.on[BP_DATA], 0xa);
	assert_int_equal(cpus[0].arch.debug.loaded.on[BP_EXEC], 0);
	bp_exchange(&to, NULL);
	bp_exchange(&own, NULL);
	assert_int_equal(model.wcr[1] | model.wcr[3], 0);
	assert_int_equal(model.put_off, 0);
}

static void exchange_puts_a_step_off(void **state)
{
	cpus[0].arch.debug.step.on = true;
	bp_exchange(NULL, NULL);
	assert_int_equal(model.put_off, 1);
}

static void reset_opens_locks_and_clears_all(void **state)
{
	static const u32 didrs[] = {0x3515f005, 0x35130000, 0xff150000};

	for (unsigned i = 0; i < ARRAY_SIZE(didrs); i++) {
		set_width(8);
		memset(model.bcr, 0xff, sizeof(model.bcr));
		memset(model.wcr, 0xff, sizeof(model.wcr));
		model.cp[DBGDIDR] = didrs[i];
		model.cp[DBGOSLAR] = DBGOSLAR_KEY;
		model.cp[DBGOSDLR] = DBGDIDR_VERSION(didrs[i]) >= DEBUG_V7_1;
		bp_reset_cpu();
		for (unsigned n = 0; n < 16; n++) {
			assert_int_equal(!model.bcr[n], n <= (didrs[i] >> 24 & 15));
			assert_int_equal(!model.wcr[n], n <= didrs[i] >> 28);
		}
		assert_int_equal(model.cp[DBGDSCREXT], DBGDSCR_MDBGEN | DBGDSCR_UDCCDIS);
	}
	/* Registers that only memory has; and none at all. */
	set_width(8);
	model.cp[DBGDIDR] = 0x35141000;
	bp_reset_cpu();
	model.locked_away = true;
	bp_reset_cpu();
	assert_int_equal(model.writes, 0);
}

/* --- What is refused --- */

static void expect_refusal(u32 type, u64 addr, u64 len, int err, const char *reason)
{
	const struct perf_event_attr attr = {.bp_type = type, .bp_addr = addr, .bp_len = len};
	struct bp_parts parts;
	const char *why = NULL;

	if (bp_parse(&attr, &parts, &why) != err)
		fail_msg("type %u, %llu bytes at 0x%llx: not refused", type, len, addr);
	if (!strstr(why, reason))
		fail_msg("type %u, %llu bytes at 0x%llx: %s", type, len, addr, why);
}

static void what_no_slot_can_watch_is_refused(void **state)
{
	expect_refusal(HW_BREAKPOINT_EMPTY, BASE, 4, -EINVAL, "neither");
	expect_refusal(HW_BREAKPOINT_X | HW_BREAKPOINT_W, BASE, 1, -EINVAL, "neither");
	expect_refusal(8, BASE, 4, -EINVAL, "neither");
	expect_refusal(HW_BREAKPOINT_W, BASE, 0, -EINVAL, "1 to 8");
	expect_refusal(HW_BREAKPOINT_R, BASE, 9, -EINVAL, "1 to 8");
	expect_refusal(HW_BREAKPOINT_RW, BASE, 1ULL << 32 | 4, -EINVAL, "1 to 8");
	expect_refusal(HW_BREAKPOINT_X, BASE, 9, -EINVAL, "longer");
	expect_refusal(HW_BREAKPOINT_X, 1ULL << 32, 4, -EINVAL, "end of addresses");
	arm_breakpoints.slots[BP_EXEC] = 0;
	expect_refusal(HW_BREAKPOINT_X, BASE, 4, -EOPNOTSUPP, "none here");
	parse(HW_BREAKPOINT_W, BASE, 4);
	arm_breakpoints.slots[BP_DATA] = 0;
	expect_refusal(HW_BREAKPOINT_W, BASE, 4, -EOPNOTSUPP, "none here");
}

static void whole_ranges_are_checked(void **state)
{
	for (unsigned len = 1; len <= 8; len++) {
		for (u32 before = 0; before < 16; before++) {
			u64 end = 1ULL << 32;

			if (before >= len || !before)
				parse(HW_BREAKPOINT_W, USER_END - before, len);
			else
				expect_refusal(HW_BREAKPOINT_W, USER_END - before, len, -EINVAL,
					       "user space");
			if (before >= len)
				parse(HW_BREAKPOINT_R, end - before, len);
			else
				expect_refusal(HW_BREAKPOINT_R, end - before, len, -EINVAL,
					       "end of addresses");
		}
	}
	arm_breakpoints.kernel = false;
	parse(HW_BREAKPOINT_W, USER_END - 4, 4);
	expect_refusal(HW_BREAKPOINT_W, USER_END, 4, -EINVAL, "Secure");
	expect_refusal(HW_BREAKPOINT_X, USER_END, 4, -EINVAL, "Secure");
}

/* What bits of DBGBCR there may be, by trying all; and those of DBGWCR that say what is watched. */
static void raw_forms_are_checked(void **state)
{
	const char *why;

	for (u32 bits = 0; bits < 1U << 24; bits += bits < 1U << 9 ? 1 : 1U << 9) {
		u32 bas = bits >> 5 & 15;
		bool ok = bits < 1U << 9 && bits & 1 && bits & 6 && !(bits & 0x18) &&
			  (bas == 15 || bas == 3 || bas == 12);

		for (u32 offset = 0; offset < 4; offset++)
			assert_int_equal(
			    bp_check(&(struct bp_form){BASE + offset, bits, BP_EXEC}, &why),
			    ok && !offset ? 0 : -EINVAL);
	}
	for (unsigned width = 4; width <= 8; width += 4) {
		set_width(width);
		for (u32 bits = 0; bits < 1U << 13; bits++) {
			u32 bas = bits >> 5, run = bas ? bas >> __builtin_ctz(bas) : 0;
			bool ok = bits & 1 && bits & 6 && bits & 0x18 && bas &&
				  !(run & (run + 1)) && bas < 1U << width;

			for (u32 offset = 0; offset < 8; offset++)
				assert_int_equal(
				    bp_check(&(struct bp_form){BASE + offset, bits, BP_DATA}, &why),
				    ok && offset % width == 0 ? 0 : -EINVAL);
		}
	}
	assert_int_equal(bp_check(&(struct bp_form){BASE, 0x3001fff, BP_DATA}, &why), 0);
	assert_int_equal(bp_check(&(struct bp_form){BASE, 0x3000fff, BP_DATA}, &why), -EINVAL);
	assert_int_equal(bp_check(&(struct bp_form){BASE, 0x4001fff, BP_DATA}, &why), -EINVAL);
	assert_int_equal(bp_check(&(struct bp_form){BASE, 0x1fff, 2}, &why), -EINVAL);
}

static void forms_are_described(void **state)
{
	char buf[BP_DESCRIPTION_MAX];

	bp_describe(&parse(HW_BREAKPOINT_RW, BASE + 1, 3).form[0], buf);
	assert_string_equal(buf, "access of 3 bytes at 0x30001");
	bp_describe(&parse(HW_BREAKPOINT_R, BASE, 8).form[0], buf);
	assert_string_equal(buf, "read of 8 bytes at 0x30000");
	bp_describe(&parse(HW_BREAKPOINT_X, BASE + 2, 2).form[0], buf);
	assert_string_equal(buf, "execution at 0x30002 (Thumb)");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(every_range_is_watched_exactly, set_up),
	    cmocka_unit_test_setup(four_bits_watch_the_fewest_bytes, set_up),
	    cmocka_unit_test_setup(instructions_are_arm_or_thumb, set_up),
	    cmocka_unit_test_setup(exchange_leaves_others_alone, set_up),
	    cmocka_unit_test_setup(exchange_puts_a_step_off, set_up),
	    cmocka_unit_test_setup(reset_opens_locks_and_clears_all, set_up),
	    cmocka_unit_test_setup(what_no_slot_can_watch_is_refused, set_up),
	    cmocka_unit_test_setup(whole_ranges_are_checked, set_up),
	    cmocka_unit_test_setup(raw_forms_are_checked, set_up),
	    cmocka_unit_test_setup(forms_are_described, set_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
