/* SPDX-License-Identifier: MIT */
/* Host part of arch/irq.h: a variable, so that a test can ask whether calls were balanced. */
#pragma once

extern unsigned long host_irqs_off; /* 1: "disabled" */

static inline unsigned long irq_save(void)
{
	unsigned long flags = host_irqs_off;

	host_irqs_off = 1;
	return flags;
}

static inline void irq_restore(unsigned long flags)
{
	host_irqs_off = flags;
}

static inline void irq_enable(void)
{
	host_irqs_off = 0;
}

static inline void irq_disable(void)
{
	host_irqs_off = 1;
}

static inline bool irqs_enabled(void)
{
	return !host_irqs_off;
}

static inline void irq_enable_and_wait(void)
{
	host_irqs_off = 0;
}

/* Who waits is interrupted. */
void host_relax(void);

static inline void cpu_relax(void)
{
	host_relax();
}
