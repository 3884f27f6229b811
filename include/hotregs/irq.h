/* SPDX-License-Identifier: MIT */
/* Interrupt dispatch and irq_work. */
#pragma once

#include <hotregs/types.h>

struct pt_regs;

#define NR_IRQS 64 /* on x86 the IOAPIC's global system interrupts */

typedef void (*irq_handler_t)(void *ctx);

/* An interrupt controller for device lines. */
struct irq_chip {
	const char *name;
	unsigned nr_irqs; /* lines 0..nr_irqs-1 exist, at most NR_IRQS of them are used */
	void (*unmask)(unsigned irq);
	void (*mask)(unsigned irq);
	/* Sets up the calling processor's own part, one that has just started. Interrupts off. */
	void (*start_cpu)(void);
};

/* The board's controller; called once by its driver. */
void irq_set_chip(const struct irq_chip *chip);

/*
 * Installs @handler for device line @irq and unmasks it. -EBUSY: it has one; -EINVAL: no such line,
 * or no controller. Any context but NMI.
 */
int irq_register(unsigned irq, irq_handler_t handler, void *ctx);

/* Sets up the calling processor, not the first, for interrupts. Interrupts off. */
void irq_start_cpu(void);

/* Runs the handler of device line @irq; called by the architecture between irq_enter/irq_exit. */
void irq_dispatch(unsigned irq);

/* Brackets every maskable interrupt; keep irq_depth right. Interrupts off. */
void irq_enter(void);
void irq_exit(void);

/*
 * Work for interrupt context, queued from anywhere: how the sampling path, which may be an NMI or
 * hold the run-queue lock, wakes somebody.
 */
struct irq_work {
	struct irq_work *next;
	void (*func)(struct irq_work *work);
	u32 pending;
};

/* Queues @work on this CPU unless it is pending already. Any context, NMI-safe, lock-free. */
void irq_work_queue(struct irq_work *work);

/* Runs what is queued; called by the self-interrupt's handler. Interrupts off. */
void irq_work_run(void);
