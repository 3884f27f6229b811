/* SPDX-License-Identifier: MIT */
/* Architecture contract: masking interrupts on the calling CPU. */
#pragma once

#include <hotregs/types.h>

/* Disables interrupts; returns the previous state for irq_restore(). ARM masks I only, never F. */
static inline unsigned long irq_save(void);
static inline void irq_restore(unsigned long flags);
static inline void irq_enable(void);
static inline void irq_disable(void);
static inline bool irqs_enabled(void);

/* Enables interrupts and waits for one, without a gap in which one could be missed. */
static inline void irq_enable_and_wait(void);

/* A hint inside a spin loop. */
static inline void cpu_relax(void);

/* Interrupts this CPU so that irq_work_run() is called soon. NMI-safe. */
void arch_raise_irq_work(void);

#include <asm/irq.h>
