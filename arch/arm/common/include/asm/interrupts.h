/* SPDX-License-Identifier: MIT */
/*
 * Between the exception entry, the board's root interrupt controller and its timer. One driver of
 * each is linked.
 */
#pragma once

#include <hotregs/types.h>

struct pt_regs;

/*
 * The controller's: serves and ends the interrupt that is pending; another one comes right after.
 * Called by the IRQ entry between irq_enter() and irq_exit(), interrupts off.
 */
void arm_irq_dispatch(struct pt_regs *regs);

/* The controller's: lets the timer interrupt the calling CPU. */
void arm_timer_unmask(void);

/* The timer's: what its interrupt does. Interrupts off. */
void arm_timer_interrupt(struct pt_regs *regs);

/*
 * Processors that came to the boot code by themselves, or were sent there by the controller's
 * driver, and wait in boot_park; numbered by affinity level 0 of their MPIDR, from 0, the boot
 * processor among them. wake() lets an interrupt reach the @n-th. Any context.
 */
struct arm_parked {
	unsigned nr;
	void (*wake)(unsigned n);
};

/* On boards where processors wait so: called once, by the controller's driver. */
void arm_set_parked(const struct arm_parked *parked);
