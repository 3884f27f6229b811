/* SPDX-License-Identifier: MIT */
/*
 * arch/arm64/breakpoint.c on a model of the debug registers, from Arm ARM DDI 0487, D2.8, D2.10 and
 * D17.3: every length at every alignment, masks, every slot, and what is refused.
 */
#include <string.h>

#include "host.h"

#include "../../arch/arm/common/breakpoint.c"
#include "../../arch/arm64/breakpoint.c"

/* --- The model --- */

static struct {
	u64 bvr[16], bcr[16], wvr[16], wcr[16], reg[NR_HOST_SYSREGS];
} model;

static void write_value(u64 *value, const u64 *control, unsigned n, u64 to)
{
	assert_true(n < 16);
	assert_false(control[n] & 1); /* one that is on would strike at either address */
	value[n] = to;
}

void dbgbvr_write(unsigned n, u64 value)
{
	write_value(model.bvr, model.bcr, n, value);
}

void dbgwvr_write(unsigned n, u64 value)
{
	write_value(model.wvr, model.wcr, n, value);
}

void dbgbcr_write(unsigned n, u64 value)
{
	assert_true(n < 16);
	model.bcr[n] = value;
}

void dbgwcr_write(unsigned n, u64 value)
{
	assert_true(n < 16);
	model.wcr[n] = value;
}

u64 sysreg_read(enum host_sysreg reg)
{
	return model.reg[reg];
}

/* Behind a lock nothing else may be touched. */
void sysreg_write(enum host_sysreg reg, u64 value)
{
	if (reg != OSLAR_EL1 && reg != OSDLR_EL1)
		assert_int_equal(model.reg[OSLAR_EL1] | model.reg[OSDLR_EL1], 0);
	model.reg[reg] = value;
}

/* D17.3.11: does watchpoint @n see an access of one byte? */
static bool sees(unsigned n, u64 addr, bool store)
{
	u64 c = model.wcr[n], mask = c >> 24 & 0x1f, low = mask ? (1ULL << mask) - 1 : 7;

	if (!(c & 1) || !(c >> 3 & (store ? 2 : 1)))
		return false;
	if (mask)
		assert_true(mask >= 3 && (c >> 5 & 0xff) == 0xff && !(model.wvr[n] & low));
	return (addr & ~low) == (model.wvr[n] & ~7ULL & ~low) && (mask || c >> 5 >> (addr & 7) & 1);
}

/* --- Tests --- */

static int setup(void **state)
{
	memset(&model, 0, sizeof(model));
	host_cpu->arch.debug = (struct arm_debug){};
	model.reg[ID_AA64DFR0_EL1] = 0x10305106; /* a Cortex-A57: six and four slots */
	arm_breakpoints = (struct arm_breakpoints){.slots = {5, 4}, .step_slot = 5, .width = 8};
	return 0;
}

static int parse(u32 type, u64 addr, u64 len, struct bp_parts *parts)
{
	const struct perf_event_attr attr = {.bp_type = type, .bp_addr = addr, .bp_len = len};
	const char *why = NULL;
	int err = bp_parse(&attr, parts, &why);

	assert_int_equal(!!err, !!why);
	return err;
}

static void load(struct bp_bank *bank, const struct bp_parts *parts)
{
	*bank = (struct bp_bank){};
	for (unsigned i = 0; i < parts->nr; i++)
		bp_install(bank, BP_DATA, i, &parts->form[i]);
	bp_exchange(NULL, bank);
}

static void watched_bytes_are_exact(void **state)
{
	for (unsigned at = 0; at < 16; at++) {
		for (unsigned len = 1; len <= 8; len++) {
			const u64 first = 0x400000 + at;
			struct bp_parts parts;
			struct bp_bank bank;
			const char *why;

			assert_int_equal(parse(HW_BREAKPOINT_W, first, len, &parts), 0);
			for (unsigned i = 0; i < parts.nr; i++)
				assert_int_equal(bp_check(&parts.form[i], &why), 0);
			load(&bank, &parts);
			for (u64 a = 0x3ffff0; a < 0x400030; a++) {
				assert_int_equal(sees(0, a, true) || sees(1, a, true),
						 a >= first && a < first + len);
				assert_false(sees(0, a, false) || sees(1, a, false));
			}
			bp_exchange(&bank, NULL);
			assert_false((model.wcr[0] | model.wcr[1]) & 1);
		}
	}
}

/* Raw forms alone have more than eight bytes. */
static void masks_are_forms(void **state)
{
	const u32 control = DBGCR_E | DBGCR_ALL | LSC_STORE << DBGWCR_LSC_AT;
	const char *why;

	for (u32 mask = 0; mask < 32; mask++) {
		const u64 at = 0x7000UL << 32;
		struct bp_form form = {at, control | 0xffU << 5 | mask << DBGCR_MASK_AT, BP_DATA};
		struct bp_parts parts = {{form}, 1};
		struct bp_bank bank;

		assert_int_equal(bp_check(&form, &why), mask == 1 || mask == 2 ? -EINVAL : 0);
		if (mask < 3)
			continue;
		load(&bank, &parts);
		assert_true(sees(0, at, true) && sees(0, at + BIT(mask) - 1, true));
		assert_false(sees(0, at - 1, true) || sees(0, at + BIT(mask), true));
		assert_int_equal(bp_range(&form).last, at + BIT(mask) - 1);
		bp_exchange(&bank, NULL);
		form.addr += BIT(mask) / 2; /* its own bits are not clear */
		assert_int_equal(bp_check(&form, &why), -EINVAL);
		form = (struct bp_form){at, control | 0x7fU << 5 | mask << DBGCR_MASK_AT, BP_DATA};
		assert_int_equal(bp_check(&form, &why), -EINVAL);
	}
}

static void what_can_not_be_is_refused(void **state)
{
	static const struct {
		u32 type;
		u64 addr, len;
		int err;
	} rows[] = {
	    {HW_BREAKPOINT_X, 0x400000, 8, 0},
	    {HW_BREAKPOINT_X, 0x400000, 4, 0},
	    {HW_BREAKPOINT_X, 0x400002, 8, -EINVAL},
	    {HW_BREAKPOINT_X, 0x400001, 4, -EINVAL},
	    {HW_BREAKPOINT_X, 0x400000, 9, -EINVAL},
	    {HW_BREAKPOINT_W, 0x400000, 0, -EINVAL},
	    {HW_BREAKPOINT_W, 0x400000, 9, -EINVAL},
	    {HW_BREAKPOINT_W | HW_BREAKPOINT_X, 0x400000, 4, -EINVAL},
	    {0, 0x400000, 4, -EINVAL},
	    {HW_BREAKPOINT_W, 0x7fffffffeffc, 8, -EINVAL}, /* half beyond user space */
	    {HW_BREAKPOINT_W, 0x7ffffffff000, 4, -EINVAL}, /* between the halves */
	    {HW_BREAKPOINT_W, 0xfffefffffffffff8, 8, -EINVAL},
	    {HW_BREAKPOINT_W, 0xffff800000000000, 8, 0},
	    {HW_BREAKPOINT_W, ~0ULL, 1, 0},
	    {HW_BREAKPOINT_W, ~0ULL, 2, -EINVAL}, /* wraps */
	};
	struct bp_parts parts;

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++)
		if (parse(rows[i].type, rows[i].addr, rows[i].len, &parts) != rows[i].err)
			fail_msg("row %zu", i);
	arm_breakpoints.slots[BP_DATA] = 0;
	arm_breakpoints.why = "none";
	assert_int_equal(parse(HW_BREAKPOINT_W, 0x400000, 4, &parts), -EOPNOTSUPP);
}

static void everything_is_off_after_reset(void **state)
{
	memset(model.bcr, 0xff, sizeof(model.bcr));
	memset(model.wcr, 0xff, sizeof(model.wcr));
	model.reg[OSLAR_EL1] = model.reg[OSDLR_EL1] = 1;
	model.reg[MDSCR_EL1] = MDSCR_SS | BIT(14);
	bp_reset_cpu();
	for (unsigned i = 0; i < 6; i++)
		assert_int_equal(model.bcr[i], 0);
	for (unsigned i = 0; i < 4; i++)
		assert_int_equal(model.wcr[i], 0);
	assert_int_equal(model.reg[OSLAR_EL1] | model.reg[OSDLR_EL1], 0);
	/* An external debugger's bit stays. */
	assert_int_equal(model.reg[MDSCR_EL1], MDSCR_TDCC | MDSCR_KDE | MDSCR_MDE | BIT(14));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(watched_bytes_are_exact, setup),
	    cmocka_unit_test_setup(masks_are_forms, setup),
	    cmocka_unit_test_setup(what_can_not_be_is_refused, setup),
	    cmocka_unit_test_setup(everything_is_off_after_reset, setup),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
