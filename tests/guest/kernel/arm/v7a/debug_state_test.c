/* SPDX-License-Identifier: MIT */
/*
 * What firmware left in the debug and performance registers must not be armed when interrupts are
 * first unmasked; and registers that a processor lacks are survived.
 */
#include <hotregs/breakpoint.h>
#include <hotregs/cpu.h>
#include <hotregs/string.h>

#include <arch/irq.h>
#include <asm/cp15.h>
#include <asm/cpu.h>

#include "../../ktest.h"

/* Numbers 0 of their kinds, and what else must be poisoned (ARM DDI 0406C, C11.11 and C12.8). */
#define DBGBVR0    "p14, 0, %0, c0, c0, 4"
#define DBGBCR0    "p14, 0, %0, c0, c0, 5"
#define DBGWVR0    "p14, 0, %0, c0, c0, 6"
#define DBGWCR0    "p14, 0, %0, c0, c0, 7"
#define PMCNTENSET "p15, 0, %0, c9, c12, 1"
#define PMINTENSET "p15, 0, %0, c9, c14, 1"

#define MDBGEN       BIT(15)
#define BCR_ANYWHERE 0x1e7  /* enabled, in all modes, all four bytes */
#define WCR_ANYWHERE 0x1fff /* enabled, in all modes, loads and stores, all eight bytes */
#define PMCR_E       BIT(0)
#define CYCLES       BIT(31)

static int watched;

static noinline void executed(void)
{
	WRITE_ONCE(watched, 1);
}

static void expect_clear(void)
{
	EXPECT_EQ(cp_read(DBGBCR0), 0);
	EXPECT_EQ(cp_read(DBGWCR0), 0);
	EXPECT_EQ(cp_read(DBGBVR0), 0);
	EXPECT_EQ(cp_read(PMCR) & PMCR_E, 0);
	EXPECT_EQ(cp_read(PMCNTENSET), 0);
	EXPECT_EQ(cp_read(PMINTENSET), 0);
	EXPECT_EQ(cp_read(PMOVSR), 0);
	EXPECT_EQ(cp_read(PMUSERENR), 0);
}

/* The benchmark of this image counts cycles: tests come first, and leave all clear. */
KTEST(arm_poisoned_debug_state_is_cleared)
{
	unsigned long flags = irq_save();

	cp_write(DBGBVR0, (u32)executed);
	cp_write(DBGBCR0, BCR_ANYWHERE);
	cp_write(DBGWVR0, (u32)&watched & ~7);
	cp_write(DBGWCR0, WCR_ANYWHERE);
	cp_write(PMCNTENSET, CYCLES | 1);
	cp_write(PMINTENSET, CYCLES | 1);
	cp_write(PMUSERENR, 1);
	cp_write(PMCR, PMCR_E);
	synchronize_context();
	EXPECT(cp_read(DBGBCR0) & 1);
	EXPECT(cp_read(PMCNTENSET) & CYCLES);
	cp_write(DBGDSCREXT, cp_read(DBGDSCREXT) | MDBGEN);
	arch_clear_debug_state();
	executed(); /* a breakpoint or watchpoint left armed would panic here */
	irq_restore(flags);
	expect_clear();
}

/* As a debugger may leave one behind, while the kernel runs. */
KTEST(arm_a_slot_that_nobody_has_turned_on_strikes_once)
{
	u32 before = breakpoint_strays();
	unsigned long flags;

	if (!bp_pool_size(BP_DATA)) {
		ktest_skip("no watchpoints");
		return;
	}
	flags = irq_save();
	cp_write(DBGWVR0, (u32)&watched & ~7);
	cp_write(DBGWCR0, WCR_ANYWHERE);
	synchronize_context();
	executed();
	EXPECT_EQ(cp_read(DBGWCR0), 0);
	executed();
	irq_restore(flags);
	EXPECT_EQ(watched, 1);
	EXPECT_EQ(breakpoint_strays(), before + 1);
}

static void undefined(void)
{
	watched = 2;
	__asm__ volatile("udf #1");
	watched++;
}

static void defined(void)
{
	watched = 4;
}

KTEST(arm_undefined_instructions_can_be_tried)
{
	unsigned long flags = irq_save();

	EXPECT(!cpu_try(undefined));
	EXPECT_EQ(watched, 3);
	EXPECT(cpu_try(defined));
	EXPECT_EQ(watched, 4);
	irq_restore(flags);
}
