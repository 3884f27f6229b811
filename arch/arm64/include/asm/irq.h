/* SPDX-License-Identifier: MIT */
/* AArch64 part of arch/irq.h: PSTATE.I (Arm ARM DDI 0487, C5.2.2, DAIF). The others stay as they
 * are.
 */
#pragma once

#include <arch/cache.h>
#include <asm/pstate.h>
#include <asm/sysreg.h>

static inline bool irqs_enabled(void)
{
	return !(sysreg_read(DAIF) & PSTATE_I);
}

static inline void irq_enable(void)
{
	__asm__ volatile("msr daifclr, #2" ::: "memory");
}

static inline void irq_disable(void)
{
	__asm__ volatile("msr daifset, #2" ::: "memory");
}

static inline unsigned long irq_save(void)
{
	unsigned long flags = sysreg_read(DAIF);

	irq_disable();
	return flags;
}

/* The other masks do not change in between. */
static inline void irq_restore(unsigned long flags)
{
	sysreg_write(DAIF, flags);
}

/* A masked interrupt ends WFI too (D1.6.2), so one that comes early is not slept through. */
static inline void irq_enable_and_wait(void)
{
	irq_disable();
	complete_accesses();
	__asm__ volatile("wfi" ::: "memory");
	irq_enable();
}

static inline void cpu_relax(void)
{
	__asm__ volatile("yield" ::: "memory");
}
