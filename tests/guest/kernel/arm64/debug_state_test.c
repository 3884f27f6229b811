/* SPDX-License-Identifier: MIT */
/* What firmware may have left armed is off once a processor is set up. */
#include <hotregs/cpu.h>

#include <arch/irq.h>
#include <asm/debugreg.h>

#include "../ktest.h"

static u64 dbgbcr0(void)
{
	return sysreg_read(DBGBCR0_EL1);
}

KTEST(arm64_poisoned_debug_state_is_cleared)
{
	unsigned long flags = irq_save();

	/* At an address where nothing is executed, and nothing accessed. */
	dbgbvr_write(0, 0xffffffffff000000);
	dbgbcr_write(0, BAS_A64 << DBGCR_BAS_AT | DBGCR_ALL | DBGCR_E);
	dbgwvr_write(0, 0xffffffffff000000);
	dbgwcr_write(0, 0xffU << DBGCR_BAS_AT | LSC_STORE << DBGWCR_LSC_AT | DBGCR_ALL | DBGCR_E);
	sysreg_write(PMCNTENSET_EL0, BIT(31));
	sysreg_write(PMINTENSET_EL1, BIT(31));
	sysreg_write(PMCR_EL0, 1);
	sysreg_write(PMUSERENR_EL0, 1);
	synchronize_context();
	EXPECT(dbgbcr0() & DBGCR_E);
	arch_clear_debug_state();
	EXPECT(!(dbgbcr0() & DBGCR_E));
	EXPECT(!(sysreg_read(DBGWCR0_EL1) & DBGCR_E));
	EXPECT(!(sysreg_read(PMCR_EL0) & 1));
	EXPECT_EQ(sysreg_read(PMCNTENSET_EL0), 0);
	EXPECT_EQ(sysreg_read(PMINTENSET_EL1), 0);
	EXPECT_EQ(sysreg_read(PMUSERENR_EL0), 0);
	EXPECT(sysreg_read(MDSCR_EL1) & MDSCR_MDE);
	EXPECT(!(sysreg_read(OSLSR_EL1) & OSLSR_LOCKED));
	irq_restore(flags);
}
