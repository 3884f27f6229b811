// SPDX-License-Identifier: MIT
/*
 * What of the processor's breakpoints is ARMv7-A's own (ARM DDI 0406C, C3.3, C11.11): those of
 * instructions, which are ARM's or Thumb's, and turning all off that was left armed.
 */
#include "../common/breakpoint.h"

#include <hotregs/cpu.h>

#include <asm/cache.h>
#include <asm/debugreg.h>

int bp_check_exec(const struct bp_form *form, const char **why)
{
	u32 bas = DBGBCR_BAS(form->control);

	if (form->control & ~(DBGCR_E | DBGCR_ALL | 0xfU << DBGCR_BAS_AT))
		return bp_refuse(why,
				 "links, contexts, masks and mismatches are not for breakpoints");
	if (bas != BAS_ARM && bas != BAS_THUMB_LOW && bas != BAS_THUMB_HIGH)
		return bp_refuse(why, "neither an ARM nor a Thumb instruction");
	return form->addr & 3 ? bp_refuse(why, "not aligned") : 0;
}

/*
 * A Thumb instruction: bit 0 of its address says so, as in a pointer to it; or its place, or its
 * length.
 */
int bp_parse_exec(unsigned long addr, u64 len, struct bp_parts *parts, const char **why)
{
	u32 bas = BAS_ARM;

	if (addr & 2)
		bas = BAS_THUMB_HIGH;
	else if (addr & 1 || len == 2)
		bas = BAS_THUMB_LOW;
	addr &= ~1UL;
	*parts = (struct bp_parts){
	    {{addr & ~3UL, bas << DBGCR_BAS_AT | DBGCR_ALL | DBGCR_E, BP_EXEC}}, 1};
	return bp_check_slots(BP_EXEC, why) ?: bp_check_range(addr, addr + 1, why);
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
