// SPDX-License-Identifier: MIT
/*
 * The processor's breakpoints and watchpoints: what they can watch, and telling them (Arm ARM DDI
 * 0487, D2.8 and D2.10). Any range of up to eight bytes is watched exactly, by two slots at most.
 */
#include <hotregs/cpu.h>
#include <hotregs/printk.h>
#include <uapi/hw_breakpoint.h>
#include <uapi/perf_event.h>

#include <arch/breakpoint.h>
#include <arch/mmu.h>
#include <asm/cache.h>
#include <asm/debugreg.h>

#include "../arm/common/byte_select.h"

#define WIDTH        8                     /* bytes that DBGWCR.BAS has */
#define KERNEL_FIRST 0xffff000000000000ULL /* what TTBR1 shows begins */

struct arm64_breakpoints arm64_breakpoints = {.why = "not looked for yet"};

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

static int check_range(u64 first, u64 last, const char **why)
{
	if (last < first)
		return refuse(why, "the range goes beyond the end of addresses");
	if (last >= USER_END && first < USER_END)
		return refuse(why, "beyond user space");
	if (first >= USER_END && first < KERNEL_FIRST)
		return refuse(why, "between the halves of the address space");
	return 0;
}

static int no_slots(unsigned pool, const char **why)
{
	if (arm64_breakpoints.slots[pool])
		return 0;
	*why = arm64_breakpoints.why;
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
	if (form->control & ~(DBGCR_E | DBGCR_ALL | 0xfU << DBGCR_BAS_AT))
		return refuse(why, "links and contexts are not for breakpoints");
	if (DBGBCR_BAS(form->control) != BAS_A64)
		return refuse(why, "not an instruction of A64");
	return form->addr & 3 ? refuse(why, "not aligned") : 0;
}

/* A mask takes all bytes of the block, and from eight on, its own bits being clear (D17.3.11). */
static int check_data(const struct bp_form *form, const char **why)
{
	u32 bas = DBGWCR_BAS(form->control), mask = DBGCR_MASK(form->control);
	unsigned long block = mask ? BIT(mask) : WIDTH;

	if (form->control & ~(DBGCR_E | DBGCR_ALL | 3U << DBGWCR_LSC_AT | 0xffU << DBGCR_BAS_AT |
			      0x1fU << DBGCR_MASK_AT))
		return refuse(why, "links are not for watchpoints");
	if (!DBGWCR_LSC(form->control))
		return refuse(why, "neither loads nor stores");
	if (!is_run(bas))
		return refuse(why, "not adjacent bytes of one block");
	if (mask && (mask < 3 || bas != 0xff))
		return refuse(why, "a mask is for eight bytes or more, all selected");
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

static int parse_exec(u64 addr, u64 len, struct bp_parts *parts, const char **why)
{
	if (len > sizeof(long))
		return refuse(why, "longer than an address");
	if (addr & 3)
		return refuse(why, "instructions are at multiples of four");
	*parts =
	    (struct bp_parts){{{addr, BAS_A64 << DBGCR_BAS_AT | DBGCR_ALL | DBGCR_E, BP_EXEC}}, 1};
	return no_slots(BP_EXEC, why) ?: check_range(addr, addr + 3, why);
}

static int parse_data(u64 addr, u64 len, u32 lsc, struct bp_parts *parts, const char **why)
{
	struct byte_select part[BYTE_SELECT_PARTS];
	int err;

	if (!len || len > BYTE_SELECT_MAX)
		return refuse(why, "not 1 to 8 bytes");
	err = no_slots(BP_DATA, why) ?: check_range(addr, addr + len - 1, why);
	if (err)
		return err;
	parts->nr = byte_select(addr, addr + len - 1, WIDTH, part);
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
		snprintf(buf, BP_DESCRIPTION_MAX, "execution at 0x%lx", range.first);
}

/* --- Registers --- */

static void turn_off(struct bp_bank *loaded, const struct bp_bank *bank, unsigned pool)
{
	for (u32 on = bank->on[pool]; on; on &= on - 1)
		debugreg_write_control(pool, __builtin_ctz(on), 0);
	loaded->on[pool] &= ~bank->on[pool];
}

/* A slot that is off may change its address; it is noted before it may strike. */
static void turn_on(struct bp_bank *loaded, const struct bp_bank *bank, unsigned pool)
{
	loaded->on[pool] |= bank->on[pool];
	for (u32 on = bank->on[pool]; on; on &= on - 1) {
		unsigned slot = __builtin_ctz(on);

		loaded->value[pool][slot] = bank->value[pool][slot];
		loaded->control[pool][slot] = bank->control[pool][slot];
		debugreg_write_value(pool, slot, bank->value[pool][slot]);
		debugreg_write_control(pool, slot, bank->control[pool][slot]);
	}
}

/* No step is on: whoever enters the kernel puts it off, and the exception itself ends it first. */
void bp_exchange(const struct bp_bank *from, const struct bp_bank *to)
{
	struct bp_bank *loaded = &this_cpu()->arch.debug.loaded;

	if (from) {
		turn_off(loaded, from, BP_EXEC);
		turn_off(loaded, from, BP_DATA);
	}
	if (to) {
		turn_on(loaded, to, BP_EXEC);
		turn_on(loaded, to, BP_DATA);
	}
	synchronize_context();
}

/*
 * The locks first: behind them debug exceptions are not taken (D2.5.2). With no slot on, and
 * PSTATE.D still set, they are enabled.
 */
void bp_reset_cpu(void)
{
	u64 dfr0 = sysreg_read(ID_AA64DFR0_EL1);

	if (DFR0_DOUBLELOCK(dfr0) != 0xf)
		sysreg_write(OSDLR_EL1, 0);
	sysreg_write(OSLAR_EL1, 0);
	synchronize_context();
	for (unsigned i = 0; i < DFR0_BREAKPOINTS(dfr0); i++) {
		dbgbcr_write(i, 0);
		dbgbvr_write(i, 0);
	}
	for (unsigned i = 0; i < DFR0_WATCHPOINTS(dfr0); i++) {
		dbgwcr_write(i, 0);
		dbgwvr_write(i, 0);
	}
	/* The other bits are an external debugger's. */
	sysreg_write(MDSCR_EL1,
		     (sysreg_read(MDSCR_EL1) & ~MDSCR_SS) | MDSCR_TDCC | MDSCR_KDE | MDSCR_MDE);
	synchronize_context();
}
