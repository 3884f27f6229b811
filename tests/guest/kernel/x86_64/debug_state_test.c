/* SPDX-License-Identifier: MIT */
/* What firmware left in the debug registers must not be armed when interrupts are first unmasked.
 */
#include <hotregs/cpu.h>

#include <asm/cpu.h>
#include <asm/debugreg.h>
#include <asm/traps.h>

#include "../ktest.h"

#define READ_DR(n)                                                  \
	({                                                          \
		unsigned long _v;                                   \
		__asm__ volatile("movq %%db" #n ", %0" : "=r"(_v)); \
		_v;                                                 \
	})
#define WRITE_DR(n, v) __asm__ volatile("movq %0, %%db" #n ::"r"((unsigned long)(v)))

#define DR7_FIXED 0x400      /* bit 10 reads as one (Intel SDM vol. 3, 17.2.4) */
#define DR6_CLEAR 0xffff0ff0 /* what a cleared DR6 reads as (17.2.3) */

static int watched;

KTEST(x86_debug_state_is_clear_at_boot)
{
	EXPECT_EQ(READ_DR(7), DR7_FIXED);
	EXPECT_EQ(READ_DR(6), DR6_CLEAR);
	EXPECT_EQ(READ_DR(0), 0);
	EXPECT_EQ(READ_DR(3), 0);
}

KTEST(x86_poisoned_debug_registers_are_cleared)
{
	unsigned long flags = irq_save();

	WRITE_DR(0, &watched);
	WRITE_DR(3, &watched);
	WRITE_DR(6, 0xffff4ff1);                  /* BS and B0 stuck from before */
	WRITE_DR(7, DR7_FIXED | 0x3UL | 0xd0000); /* slot 0 armed: writes of 4 bytes */
	arch_clear_debug_state();
	WRITE_ONCE(watched, 1); /* a breakpoint left armed would panic here */
	irq_restore(flags);
	EXPECT_EQ(READ_DR(7), DR7_FIXED);
	EXPECT_EQ(READ_DR(6), DR6_CLEAR);
	EXPECT_EQ(READ_DR(0), 0);
	EXPECT_EQ(READ_DR(3), 0);
}

static noinline int read_watched(void)
{
	return READ_ONCE(watched);
}

/* As the first CPU begins: armed, and locked (DR7.GD), where nobody can be told. */
KTEST(x86_debug_state_that_strikes_at_boot)
{
	unsigned long flags = irq_save();
	int value;

	idt_set_entry(VECTOR_DEBUG, debug_ignored);
	WRITE_DR(0, &watched);
	WRITE_DR(1, read_watched);
	/* Slot 0: accesses of 4 bytes; slot 1: that instruction. */
	WRITE_DR(7, DR7_FIXED | DR7_ON(0) | DR7_ON(1) | 0xfUL << DR7_CONTROL(0) | DR7_GD);
	WRITE_ONCE(watched, 2);
	value = read_watched();
	arch_clear_debug_state();
	idt_set_entry(VECTOR_DEBUG, trap_stubs + 16 * VECTOR_DEBUG);
	irq_restore(flags);
	EXPECT_EQ(value, 2);
	EXPECT_EQ(READ_DR(7), DR7_FIXED);
	EXPECT_EQ(READ_DR(6), DR6_CLEAR);
	EXPECT_EQ(READ_DR(0), 0);
	EXPECT_EQ(READ_DR(1), 0);
}
