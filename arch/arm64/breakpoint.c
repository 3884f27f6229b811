// SPDX-License-Identifier: MIT
/*
 * What of the processor's breakpoints is AArch64's own (ARM DDI 0487, D2.8, D17.3): those of
 * instructions, and turning all off that was left armed.
 */
#include "../arm/common/breakpoint.h"

#include <hotregs/cpu.h>

#include <asm/cache.h>
#include <asm/debugreg.h>

int bp_check_exec(const struct bp_form *form, const char **why)
{
	if (form->control & ~(DBGCR_E | DBGCR_ALL | 0xfU << DBGCR_BAS_AT))
		return bp_refuse(why, "links and contexts are not for breakpoints");
	if (DBGBCR_BAS(form->control) != BAS_A64)
		return bp_refuse(why, "not an instruction of A64");
	return form->addr & 3 ? bp_refuse(why, "not aligned") : 0;
}

int bp_parse_exec(unsigned long addr, u64 len, struct bp_parts *parts, const char **why)
{
	if (addr & 3)
		return bp_refuse(why, "instructions are at multiples of four");
	*parts =
	    (struct bp_parts){{{addr, BAS_A64 << DBGCR_BAS_AT | DBGCR_ALL | DBGCR_E, BP_EXEC}}, 1};
	return bp_check_slots(BP_EXEC, why) ?: bp_check_range(addr, addr + 3, why);
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
