/* SPDX-License-Identifier: MIT */
/* ARMv7-A part of arch/irq.h: CPSR.I (ARM DDI 0406C, B1.3.3). CPSR.F, and so FIQ, stays as it is.
 */
#pragma once

#include <arch/cache.h>
#include <asm/psr.h>

static inline unsigned long irq_flags(void)
{
	unsigned long flags;

	__asm__ volatile("mrs %0, cpsr" : "=r"(flags)::"memory");
	return flags;
}

static inline bool irqs_enabled(void)
{
	return !(irq_flags() & CPSR_I);
}

static inline void irq_enable(void)
{
	__asm__ volatile("cpsie i" ::: "memory");
}

static inline void irq_disable(void)
{
	__asm__ volatile("cpsid i" ::: "memory");
}

static inline unsigned long irq_save(void)
{
	unsigned long flags = irq_flags();

	irq_disable();
	return flags;
}

/* The mode is the same in both, and the other masks do not change in between. */
static inline void irq_restore(unsigned long flags)
{
	__asm__ volatile("msr cpsr_c, %0" ::"r"(flags) : "memory");
}

/* A masked interrupt ends WFI too (B1.8.14), so one that comes early is not slept through. */
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
