/* SPDX-License-Identifier: MIT */
/*
 * arch/x86_64/breakpoint.c on a model of the debug registers, from the Intel SDM vol. 3, 17.2:
 * every length at every alignment, every slot, and what is refused.
 */
#include <stdio.h>
#include <string.h>

#include "host.h"

#include "../../arch/x86_64/breakpoint.c"

/* --- The model --- */

static struct {
	unsigned long addr[4], dr6, dr7;
	unsigned writes;
} cpu_model;

unsigned long host_dr_read(unsigned n)
{
	return n < 4 ? cpu_model.addr[n] : n == 6 ? cpu_model.dr6 : cpu_model.dr7;
}

static bool model_on(unsigned n)
{
	return cpu_model.dr7 >> 2 * n & 3;
}

/* A slot that is on never changes its address. */
void host_dr_write(unsigned n, unsigned long value)
{
	cpu_model.writes++;
	if (n < 4) {
		assert_false(model_on(n));
		cpu_model.addr[n] = value;
		return;
	}
	assert_int_equal(value >> 32, 0); /* #GP */
	if (n == 6) {
		cpu_model.dr6 = value;
		return;
	}
	assert_int_equal(value & 0xdc00, 0x400);
	cpu_model.dr7 = value;
}

/* By 17.2.4, 17.2.5 and table 17-1: does slot @n see an access of one byte, or a fetch, at @addr?
 */
static bool model_hits(unsigned n, unsigned long addr, bool fetch, bool write)
{
	unsigned control = cpu_model.dr7 >> (16 + 4 * n) & 15;
	unsigned long size = control >> 2 == 2 ? 8 : (control >> 2) + 1;

	if (!model_on(n))
		return false;
	if (fetch)
		return control == 0 && addr == cpu_model.addr[n];
	if ((control & 3) == 1 ? !write : (control & 3) != 3)
		return false;
	return (addr & -size) == (cpu_model.addr[n] & -size);
}

static int set_up(void **state)
{
	memset(&cpu_model, 0, sizeof(cpu_model));
	cpu_model.dr7 = DR7_IDLE;
	cpus[0] = (struct cpu){.arch.dr7 = DR7_IDLE};
	return 0;
}

/* --- Forms --- */

#define BASE 0x601000UL

static struct bp_parts parse(u32 type, unsigned long addr, unsigned long len)
{
	const struct perf_event_attr attr = {.bp_type = type, .bp_addr = addr, .bp_len = len};
	struct bp_parts parts;
	const char *why = "";

	if (bp_parse(&attr, &parts, &why))
		fail_msg("type %u, %lu bytes at 0x%lx: %s", type, len, addr, why);
	assert_in_range(parts.nr, 1, 2);
	for (unsigned i = 0; i < parts.nr; i++)
		assert_int_equal(bp_check(&parts.form[i], &why), 0);
	return parts;
}

/* The fewest bytes that one or two aligned blocks around [first, last] have, by trying all. */
static unsigned long fewest(unsigned long first, unsigned long last)
{
	unsigned long least = -1UL;

	for (unsigned long s = 1; s <= 8; s *= 2) {
		unsigned long low = first & -s, low_end = low + s - 1;

		if (low_end >= last)
			least = MIN(least, s);
		for (unsigned long t = 1; t <= 8; t *= 2) {
			unsigned long high = last & -t;

			if (low_end < last && high <= low_end + 1)
				least = MIN(least, high + t - MIN(low, high));
		}
	}
	return least;
}

static bool watched(const struct bp_parts *parts, unsigned long addr)
{
	for (unsigned i = 0; i < parts->nr; i++) {
		struct bp_range range = bp_range(&parts->form[i]);

		if (addr >= range.first && addr <= range.last)
			return true;
	}
	return false;
}

static void every_range_is_watched_by_the_fewest_bytes(void **state)
{
	for (unsigned offset = 0; offset < 16; offset++) {
		for (unsigned len = 1; len <= 8; len++) {
			unsigned long first = BASE + offset, last = first + len - 1, n = 0;
			struct bp_parts parts = parse(HW_BREAKPOINT_W, first, len);

			for (unsigned long addr = BASE - 16; addr < BASE + 48; addr++) {
				bool in = watched(&parts, addr);

				n += in;
				if (addr >= first && addr <= last)
					assert_true(in);
			}
			assert_int_equal(n, fewest(first, last));
			if (len <= 3)
				assert_int_equal(n, len);
			/* What is aligned takes one slot, and is exact. */
			if ((len & (len - 1)) == 0 && offset % len == 0) {
				assert_int_equal(parts.nr, 1);
				assert_int_equal(n, len);
			}
		}
	}
}

static void each_slot_watches_what_its_form_says(void **state)
{
	static const u32 types[] = {HW_BREAKPOINT_X, HW_BREAKPOINT_W, HW_BREAKPOINT_RW};

	for (unsigned slot = 0; slot < BP_SLOTS; slot++) {
		for (unsigned t = 0; t < ARRAY_SIZE(types); t++) {
			for (unsigned len = 1; len <= 8; len *= 2) {
				struct bp_parts parts = parse(types[t], BASE + 8, len);
				struct bp_bank bank = {};
				bool exec = types[t] == HW_BREAKPOINT_X;

				set_up(NULL);
				bp_install(&bank, 0, slot, &parts.form[0]);
				bp_exchange(NULL, &bank);
				assert_int_equal(cpu_model.dr7, cpus[0].arch.dr7);
				for (unsigned long a = BASE; a < BASE + 32; a++) {
					bool in = a - (BASE + 8) < len;

					assert_int_equal(model_hits(slot, a, true, false),
							 exec && a == BASE + 8);
					assert_int_equal(model_hits(slot, a, false, true),
							 !exec && in);
					assert_int_equal(model_hits(slot, a, false, false),
							 types[t] == HW_BREAKPOINT_RW && in);
				}
				bp_exchange(&bank, NULL);
				assert_int_equal(cpu_model.dr7, DR7_IDLE);
			}
		}
	}
}

/* As a switch does it: one bank goes, another comes, a third one stays. */
static void exchange_leaves_others_alone(void **state)
{
	struct bp_parts w = parse(HW_BREAKPOINT_W, BASE, 4),
			x = parse(HW_BREAKPOINT_X, BASE + 100, 0);
	struct bp_bank own = {}, from = {}, to = {};
	unsigned writes;

	bp_install(&own, 0, 3, &w.form[0]);
	bp_install(&from, 0, 0, &w.form[0]);
	bp_install(&from, 0, 1, &x.form[0]);
	bp_install(&to, 0, 0, &x.form[0]);
	bp_exchange(NULL, &own);
	bp_exchange(NULL, &from);
	assert_true(model_hits(0, BASE, false, true) && model_hits(1, BASE + 100, true, false));
	writes = cpu_model.writes;
	bp_exchange(&from, &to);
	assert_int_equal(cpu_model.writes - writes, 3);
	assert_true(model_hits(0, BASE + 100, true, false));
	assert_false(model_on(1));
	assert_true(model_hits(3, BASE, false, true));
	bp_exchange(&to, NULL);
	assert_true(model_hits(3, BASE, false, true));
	bp_exchange(&own, NULL);
	assert_int_equal(cpu_model.dr7, DR7_IDLE);
}

static void reset_clears_what_was_armed(void **state)
{
	cpu_model.dr6 = 0xffff4ff1;
	cpu_model.dr7 = 0xffff07ff;
	bp_reset_cpu();
	assert_int_equal(cpu_model.dr6, 0xffff0ff0);
	assert_int_equal(cpu_model.dr7, 0x400);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(cpu_model.addr[i], 0);
}

/* --- What is refused --- */

static void expect_refusal(u32 type, unsigned long addr, u64 len, const char *reason)
{
	const struct perf_event_attr attr = {.bp_type = type, .bp_addr = addr, .bp_len = len};
	struct bp_parts parts;
	const char *why = NULL;

	if (bp_parse(&attr, &parts, &why) != -EINVAL)
		fail_msg("type %u, %llu bytes at 0x%lx: not refused", type, len, addr);
	if (!strstr(why, reason))
		fail_msg("type %u, %llu bytes at 0x%lx: %s", type, len, addr, why);
}

static void what_no_slot_can_watch_is_refused(void **state)
{
	expect_refusal(HW_BREAKPOINT_R, BASE, 4, "reads");
	expect_refusal(HW_BREAKPOINT_EMPTY, BASE, 4, "neither");
	expect_refusal(HW_BREAKPOINT_X | HW_BREAKPOINT_W, BASE, 1, "neither");
	expect_refusal(8, BASE, 4, "neither");
	expect_refusal(HW_BREAKPOINT_W, BASE, 0, "1 to 8");
	expect_refusal(HW_BREAKPOINT_W, BASE, 9, "1 to 8");
	expect_refusal(HW_BREAKPOINT_RW, BASE, 1ULL << 32 | 4, "1 to 8");
	expect_refusal(HW_BREAKPOINT_X, BASE, 9, "longer");
	/* The magic length of other systems, and none. */
	for (unsigned len = 0; len <= 8; len++)
		assert_int_equal(parse(HW_BREAKPOINT_X, BASE + 1, len).form[0].addr, BASE + 1);
}

static void whole_ranges_are_checked(void **state)
{
	const unsigned long canonical = 0xffff800000000000UL;

	for (unsigned len = 1; len <= 8; len++) {
		for (unsigned long before = 0; before < 16; before++) {
			unsigned long at = USER_END - before;

			/* The end of user space; the hole; the end of all addresses. */
			if (before >= len)
				parse(HW_BREAKPOINT_W, at, len);
			else
				expect_refusal(HW_BREAKPOINT_W, at, len, "canonical");
			at = canonical - before;
			if (!before)
				parse(HW_BREAKPOINT_W, at, len);
			else
				expect_refusal(HW_BREAKPOINT_W, at, len, "canonical");
			at = -before;
			if (before >= len || !before)
				parse(HW_BREAKPOINT_RW, at, len);
			else
				expect_refusal(HW_BREAKPOINT_RW, at, len, "end of addresses");
		}
	}
	expect_refusal(HW_BREAKPOINT_X, USER_END, 0, "canonical");
	expect_refusal(HW_BREAKPOINT_X, canonical - 1, 0, "canonical");
	expect_refusal(HW_BREAKPOINT_W, 0x8000000000000000UL, 8, "canonical");
}

/* Those who have DR7's bits from somewhere else. */
static void raw_forms_are_checked(void **state)
{
	for (u32 control = 0; control < 32; control++) {
		for (unsigned long addr = BASE; addr < BASE + 8; addr++) {
			const struct bp_form form = {addr, control};
			unsigned long size = size_of_len[control >> 2 & 3];
			const char *why = NULL;
			bool ok = control < 16 && (control & 3) != DR7_IO &&
				  (control & 3 || !(control >> 2)) && addr % size == 0;

			assert_int_equal(bp_check(&form, &why), ok ? 0 : -EINVAL);
			assert_int_equal(!why, ok);
		}
	}
}

static void forms_are_described(void **state)
{
	char buf[BP_DESCRIPTION_MAX];

	bp_describe(&parse(HW_BREAKPOINT_RW, BASE, 8).form[0], buf);
	assert_string_equal(buf, "access of 8 bytes at 0x601000");
	bp_describe(&parse(HW_BREAKPOINT_X, -1UL, 0).form[0], buf);
	assert_string_equal(buf, "execution at 0xffffffffffffffff");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(every_range_is_watched_by_the_fewest_bytes, set_up),
	    cmocka_unit_test_setup(each_slot_watches_what_its_form_says, set_up),
	    cmocka_unit_test_setup(exchange_leaves_others_alone, set_up),
	    cmocka_unit_test_setup(reset_clears_what_was_armed, set_up),
	    cmocka_unit_test(what_no_slot_can_watch_is_refused),
	    cmocka_unit_test(whole_ranges_are_checked),
	    cmocka_unit_test(raw_forms_are_checked),
	    cmocka_unit_test(forms_are_described),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
