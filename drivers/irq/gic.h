/* SPDX-License-Identifier: MIT */
/*
 * Between the versions of the generic interrupt controller and what they have in common (gic.c):
 * the numbers of interrupts, and what each does.
 */
#pragma once

#include <hotregs/irq.h>
#include <hotregs/smp.h>

#include <asm/interrupts.h>

#define SGI_IRQ_WORK  0
#define SGI_IPI       1
#define FIRST_PPI     16
#define FIRST_SPI     32
#define FIRST_SPECIAL 1020 /* 1023: none is pending */

#define PRIORITY     0xa0a0a0a0 /* the same for all, and one that either world may give */
#define PRIORITY_ANY 0xf0

struct cpu;

/* What a version does by its own registers. */
struct gic {
	void (*dispatch)(struct pt_regs *regs); /* arm_irq_dispatch() */
	void (*unmask_private)(unsigned id);    /* of the calling CPU */
	void (*interrupt_self)(unsigned sgi);   /* NMI-safe */
	void (*interrupt)(const struct cpu *cpu, unsigned sgi);
};

extern unsigned gic_timer_id;

/* The one that the board has, set up for the calling CPU. Once, by its driver. */
void gic_found(const struct gic *gic, const struct irq_chip *chip);

/* The calling CPU can be interrupted: what asked for a self-interrupt before is made up for. */
void gic_cpu_started(void);

/* Interrupt @id has been acknowledged: what it is there for. False: it is none. */
static inline bool gic_handle(unsigned id, struct pt_regs *regs)
{
	if (id == gic_timer_id)
		arm_timer_interrupt(regs);
	else if (id == SGI_IRQ_WORK)
		irq_work_run();
	else if (id == SGI_IPI)
		smp_interrupt();
	else if (id >= FIRST_SPECIAL)
		return false;
	else if (id >= FIRST_SPI)
		irq_dispatch(id - FIRST_SPI);
	return true;
}
