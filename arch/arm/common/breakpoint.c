// SPDX-License-Identifier: MIT
/*
 * The processor's breakpoints and watchpoints, as far as ARMv7-A and AArch64 have the same: what
 * they can watch, and telling them (ARM DDI 0406C, C3.3, C3.4 and C11.11; ARM DDI 0487, D2.8, D2.10
 * and D17.3). Any range of up to eight bytes is watched exactly, by two slots at most, where
 * DBGWCR.BAS has eight bits.
 */
#include "breakpoint.h"

#include <hotregs/cpu.h>
#include <hotregs/printk.h>
#include <uapi/hw_breakpoint.h>
#include <uapi/perf_event.h>

#include <arch/irq.h>
#include <asm/cache.h>

#include "byte_select.h"

struct arm_breakpoints arm_breakpoints = {.width = 8, .why = "not looked for yet"};

static u32 bas_of(const struct bp_form *form)
{
	return form->pool == BP_DATA ? DBGWCR_BAS(form->control) : DBGBCR_BAS(form->control);
}

bool bp_watches_data(const struct bp_form *form)
{
	return form->pool == BP_DATA;
}

struct bp_range bp_range(const struct bp_form *form)
{
	u32 bas = bas_of(form), mask = DBGCR_MASK(form->control);

	if (mask)
		return (struct bp_range){form->addr, form->addr + BIT(mask) - 1};
	return (struct bp_range){form->addr + __builtin_ctz(bas),
				 form->addr + 31 - __builtin_clz(bas)};
}

/* --- Raw forms --- */

static bool is_run(u32 bits)
{
	u32 low = bits & -bits;

	return bits && !((bits + low) & bits);
}

/* A mask takes all bytes of its block, of eight or more, which is where it begins. */
static int check_data(const struct bp_form *form, const char **why)
{
	u32 bas = DBGWCR_BAS(form->control), mask = DBGCR_MASK(form->control);
	unsigned long block = mask ? BIT(mask) : arm_breakpoints.width;

	if (form->control & ~(DBGCR_E | DBGCR_ALL | 3U << DBGWCR_LSC_AT | 0xffU << DBGCR_BAS_AT |
			      0x1fU << DBGCR_MASK_AT))
		return bp_refuse(why, "links are not for watchpoints");
	if (!DBGWCR_LSC(form->control))
		return bp_refuse(why, "neither loads nor stores");
	if (!is_run(bas) || bas >> arm_breakpoints.width)
		return bp_refuse(why, "not adjacent bytes of one block");
	if (mask && (mask < 3 || mask > BP_MASK_MAX || bas != BIT(arm_breakpoints.width) - 1))
		return bp_refuse(why, "a mask is for eight bytes, or blocks of more, all selected");
	return form->addr & (block - 1) ? bp_refuse(why, "not aligned") : 0;
}

int bp_check(const struct bp_form *form, const char **why)
{
	struct bp_range range;
	int err;

	if (form->pool >= BP_POOLS)
		return bp_refuse(why, "no such slots");
	if (!(form->control & DBGCR_E) || !DBGCR_MODES(form->control))
		return bp_refuse(why, "not enabled");
	err = bp_check_slots(form->pool, why)
		  ?: form->pool == BP_DATA ? check_data(form, why)
					   : bp_check_exec(form, why);
	if (err)
		return err;
	range = bp_range(form);
	return bp_check_range(range.first, range.last, why);
}

/* --- Generic descriptions --- */

static int parse_data(unsigned long addr, u64 len, u32 lsc, struct bp_parts *parts,
		      const char **why)
{
	struct byte_select part[BYTE_SELECT_PARTS];
	unsigned long last = addr + (unsigned long)len - 1;
	int err;

	if (!len || len > BYTE_SELECT_MAX)
		return bp_refuse(why, "not 1 to 8 bytes");
	err = bp_check_slots(BP_DATA, why) ?: bp_check_range(addr, last, why);
	if (err)
		return err;
	parts->nr = byte_select(addr, last, arm_breakpoints.width, part);
	for (unsigned i = 0; i < parts->nr; i++)
		parts->form[i] = (struct bp_form){part[i].addr,
						  (u32)part[i].mask << DBGCR_MASK_AT |
						      (u32)part[i].bytes << DBGCR_BAS_AT |
						      lsc << DBGWCR_LSC_AT | DBGCR_ALL | DBGCR_E,
						  BP_DATA};
	return 0;
}

int bp_parse(const struct perf_event_attr *attr, struct bp_parts *parts, const char **why)
{
	if (attr->bp_addr & ~(u64)BP_ADDRESS)
		return bp_refuse(why, "the range goes beyond the end of addresses");
	switch (attr->bp_type) {
	case HW_BREAKPOINT_X:
		if (attr->bp_len > BYTE_SELECT_MAX)
			return bp_refuse(why, "longer than an address");
		return bp_parse_exec(attr->bp_addr, attr->bp_len, parts, why);
	case HW_BREAKPOINT_R:
		return parse_data(attr->bp_addr, attr->bp_len, LSC_LOAD, parts, why);
	case HW_BREAKPOINT_W:
		return parse_data(attr->bp_addr, attr->bp_len, LSC_STORE, parts, why);
	case HW_BREAKPOINT_RW:
		return parse_data(attr->bp_addr, attr->bp_len, LSC_LOAD | LSC_STORE, parts, why);
	}
	return bp_refuse(why, "neither data nor an instruction");
}

void bp_describe(const struct bp_form *form, char buf[BP_DESCRIPTION_MAX])
{
	static const char *const accesses[] = {"nothing", "read", "write", "access"};
	struct bp_range range = bp_range(form);

	if (bp_watches_data(form))
		snprintf(buf, BP_DESCRIPTION_MAX, "%s of %lu bytes at 0x%lx",
			 accesses[DBGWCR_LSC(form->control)], range.last - range.first + 1,
			 range.first);
	else
		snprintf(buf, BP_DESCRIPTION_MAX, "execution at 0x%lx%s", range.first,
			 bp_state_name(form));
}

/* --- Registers --- */

static void turn_off(struct bp_bank *loaded, const struct bp_bank *bank, unsigned pool)
{
	u32 all = bank->on[pool];

	if (!all)
		return;
	for (u32 on = all; on; on &= on - 1)
		debugreg_write_control(pool, __builtin_ctz(on), 0);
	loaded->on[pool] &= ~all;
}

/* A slot that is off may change its address; it is noted before it may strike. */
static void turn_on(struct bp_bank *loaded, const struct bp_bank *bank, unsigned pool)
{
	u32 all = bank->on[pool];

	if (!all)
		return;
	loaded->on[pool] |= all;
	for (u32 on = all; on; on &= on - 1) {
		unsigned slot = __builtin_ctz(on);

		loaded->value[pool][slot] = bank->value[pool][slot];
		loaded->control[pool][slot] = bank->control[pool][slot];
		debugreg_write_value(pool, slot, bank->value[pool][slot]);
		debugreg_write_control(pool, slot, bank->control[pool][slot]);
	}
}

void bp_exchange(const struct bp_bank *from, const struct bp_bank *to)
{
	struct arm_debug *debug = &this_cpu()->arch.debug;

	debug_leave_step(debug);
	if (from) {
		turn_off(&debug->loaded, from, BP_EXEC);
		turn_off(&debug->loaded, from, BP_DATA);
	}
	if (to) {
		turn_on(&debug->loaded, to, BP_EXEC);
		turn_on(&debug->loaded, to, BP_DATA);
	}
	synchronize_context();
}

/* --- What there is --- */

static noinline void probe_call(u32 *data)
{
	WRITE_ONCE(*data, 1);
}

void bp_strike_once(bool *probing)
{
	const struct perf_event_attr x = {.bp_type = HW_BREAKPOINT_X,
					  .bp_addr = (unsigned long)probe_call,
					  .bp_len = sizeof(long)};
	static u32 data;
	const struct perf_event_attr w = {
	    .bp_type = HW_BREAKPOINT_W, .bp_addr = (unsigned long)&data, .bp_len = sizeof(data)};
	struct bp_bank bank = {};
	struct bp_parts parts;
	unsigned long flags;
	const char *why;

	if (bp_parse(&x, &parts, &why))
		return;
	bp_install(&bank, BP_EXEC, 0, &parts.form[0]);
	if (bp_parse(&w, &parts, &why))
		return;
	bp_install(&bank, BP_DATA, 0, &parts.form[0]);
	flags = irq_save();
	*probing = true;
	bp_exchange(NULL, &bank);
	probe_call(&data);
	bp_exchange(&bank, NULL);
	*probing = false;
	irq_restore(flags);
}
