// SPDX-License-Identifier: MIT
/*
 * The processor's breakpoints and watchpoints: what they can watch, and telling them (ARM DDI
 * 0406C, C3.3, C3.4 and C11.11). Any range of up to eight bytes is watched exactly, by two slots at
 * most, where DBGWCR.BAS has eight bits.
 */
#include <hotregs/cpu.h>
#include <hotregs/printk.h>
#include <uapi/hw_breakpoint.h>
#include <uapi/perf_event.h>

#include <arch/breakpoint.h>
#include <arch/mmu.h>
#include <asm/cache.h>
#include <asm/debugreg.h>

#include "../common/byte_select.h"

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

static int refuse(const char **why, const char *reason)
{
	*why = reason;
	return -EINVAL;
}

static int check_range(u32 first, u32 last, const char **why)
{
	if (last < first)
		return refuse(why, "the range goes beyond the end of addresses");
	if (last >= USER_END && first < USER_END)
		return refuse(why, "beyond user space");
	if (last >= USER_END && !arm_breakpoints.kernel)
		return refuse(why, "in Secure state nothing strikes in the kernel");
	return 0;
}

static int no_slots(unsigned pool, const char **why)
{
	if (arm_breakpoints.slots[pool])
		return 0;
	*why = arm_breakpoints.why;
	return -EOPNOTSUPP;
}

/* --- Raw forms --- */

static bool is_run(u32 bits)
{
	u32 low = bits & -bits;

	return bits && !((bits + low) & bits);
}

static int check_exec(const struct bp_form *form, const char **why)
{
	u32 bas = DBGBCR_BAS(form->control);

	if (form->control & ~(DBGCR_E | DBGCR_ALL | 0xfU << DBGCR_BAS_AT))
		return refuse(why, "links, contexts, masks and mismatches are not for breakpoints");
	if (bas != BAS_ARM && bas != BAS_THUMB_LOW && bas != BAS_THUMB_HIGH)
		return refuse(why, "neither an ARM nor a Thumb instruction");
	return form->addr & 3 ? refuse(why, "not aligned") : 0;
}

static int check_data(const struct bp_form *form, const char **why)
{
	u32 bas = DBGWCR_BAS(form->control), mask = DBGCR_MASK(form->control);
	unsigned long block = mask ? 8 : arm_breakpoints.width;

	if (form->control & ~(DBGCR_E | DBGCR_ALL | 3U << DBGWCR_LSC_AT | 0xffU << DBGCR_BAS_AT |
			      0x1fU << DBGCR_MASK_AT))
		return refuse(why, "links are not for watchpoints");
	if (!DBGWCR_LSC(form->control))
		return refuse(why, "neither loads nor stores");
	if (!is_run(bas) || bas >> arm_breakpoints.width)
		return refuse(why, "not adjacent bytes of one block");
	/* More would not be one of breakpoint_check()'s ranges of a few bytes; C11.11.44. */
	if (mask && (mask != 3 || bas != BIT(arm_breakpoints.width) - 1))
		return refuse(why, "a mask is for eight bytes, all selected");
	return form->addr & (block - 1) ? refuse(why, "not aligned") : 0;
}

int bp_check(const struct bp_form *form, const char **why)
{
	struct bp_range range;
	int err;

	if (form->pool >= BP_POOLS)
		return refuse(why, "no such slots");
	if (!(form->control & DBGCR_E) || !DBGCR_MODES(form->control))
		return refuse(why, "not enabled");
	err = no_slots(form->pool, why)
		  ?: form->pool == BP_DATA ? check_data(form, why)
					   : check_exec(form, why);
	if (err)
		return err;
	range = bp_range(form);
	return check_range(range.first, range.last, why);
}

/* --- Generic descriptions --- */

/*
 * A Thumb instruction: bit 0 of its address says so, as in a pointer to it; or its place, or its
 * length.
 */
static int parse_exec(u32 addr, u64 len, struct bp_parts *parts, const char **why)
{
	u32 bas = BAS_ARM;

	if (len > BYTE_SELECT_MAX)
		return refuse(why, "longer than an address");
	if (addr & 2)
		bas = BAS_THUMB_HIGH;
	else if (addr & 1 || len == 2)
		bas = BAS_THUMB_LOW;
	addr &= ~1U;
	*parts = (struct bp_parts){
	    {{addr & ~3U, bas << DBGCR_BAS_AT | DBGCR_ALL | DBGCR_E, BP_EXEC}}, 1};
	return no_slots(BP_EXEC, why) ?: check_range(addr, addr + 1, why);
}

static int parse_data(u32 addr, u64 len, u32 lsc, struct bp_parts *parts, const char **why)
{
	struct byte_select part[BYTE_SELECT_PARTS];
	u32 last = addr + (u32)len - 1;
	int err;

	if (!len || len > BYTE_SELECT_MAX)
		return refuse(why, "not 1 to 8 bytes");
	err = no_slots(BP_DATA, why) ?: check_range(addr, last, why);
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
	if (attr->bp_addr != (u32)attr->bp_addr)
		return refuse(why, "the range goes beyond the end of addresses");
	switch (attr->bp_type) {
	case HW_BREAKPOINT_X:
		return parse_exec(attr->bp_addr, attr->bp_len, parts, why);
	case HW_BREAKPOINT_R:
		return parse_data(attr->bp_addr, attr->bp_len, LSC_LOAD, parts, why);
	case HW_BREAKPOINT_W:
		return parse_data(attr->bp_addr, attr->bp_len, LSC_STORE, parts, why);
	case HW_BREAKPOINT_RW:
		return parse_data(attr->bp_addr, attr->bp_len, LSC_LOAD | LSC_STORE, parts, why);
	}
	return refuse(why, "neither data nor an instruction");
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
			 bas_of(form) == BAS_ARM ? "" : " (Thumb)");
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

	if (unlikely(debug->step.on))
		step_put_off(debug);
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

/*
 * The locks first: behind them the other registers may be undefined, or keep what they have. With
 * no slot on, debug exceptions may be taken.
 */
static void clear_debug(void)
{
	u32 didr = cp_read(DBGDIDR), version = DBGDIDR_VERSION(didr);

	if (version == DEBUG_V7_MEMORY)
		return;
	if (version >= DEBUG_V7_1)
		cp_write(DBGOSDLR, 0);
	cp_write(DBGOSLAR, 0);
	synchronize_context();
	cp_write(DBGVCR, 0);
	for (u32 i = 0; i < DBGDIDR_BREAKPOINTS(didr); i++) {
		dbgbcr_write(i, 0);
		dbgbvr_write(i, 0);
	}
	for (u32 i = 0; i < DBGDIDR_WATCHPOINTS(didr); i++) {
		dbgwcr_write(i, 0);
		dbgwvr_write(i, 0);
	}
	cp_write(DBGDSCREXT, cp_read(DBGDSCREXT) | DBGDSCR_UDCCDIS | DBGDSCR_MDBGEN);
	synchronize_context();
}

/* Where these registers are locked away, nothing is armed. */
void bp_reset_cpu(void)
{
	cpu_try(clear_debug);
}
