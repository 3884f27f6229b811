/* SPDX-License-Identifier: MIT */
/*
 * The generic interrupt controller, of whichever version the board has (gicv2.c, gicv3.c). Its
 * shared interrupts are the kernel's device lines, software-generated ones interrupt CPUs, the
 * timer has a private one.
 */
#include "gic.h"

#include <hotregs/board.h>
#include <hotregs/cpu.h>
#include <hotregs/printk.h>

#include <arch/cache.h>
#include <arch/irq.h>
#include <arch/smp.h>

unsigned gic_timer_id = 27; /* the virtual timer's by Arm's BSA, 3.8.2; the tree may differ */

static const struct gic *controller;
static unsigned nr_lines;

void arm_irq_dispatch(struct pt_regs *regs)
{
	controller->dispatch(regs);
}

void arch_raise_irq_work(void)
{
	/* Too early: gic_found() makes up for it. */
	if (likely(controller))
		controller->interrupt_self(SGI_IRQ_WORK);
}

void arch_send_ipi(struct cpu *cpu)
{
	complete_accesses(); /* or it would come before what it is about */
	controller->interrupt(cpu, SGI_IPI);
}

void arm_timer_unmask(void)
{
	if (!controller)
		panic("the device tree names no interrupt controller that this kernel knows");
	controller->unmask_private(gic_timer_id);
}

/* Type, number and trigger (Linux' binding arm,gic): shared, and level-sensitive and high only. */
int irq_line(const u32 *cells, unsigned n)
{
	if (n != 3 || cells[0] != 0 || cells[1] >= nr_lines || (cells[2] & 0xf) != 4)
		return -EINVAL;
	return cells[1];
}

/* The virtual timer is the third of the four that the tree lists. */
static void find_timer(const char *compatible)
{
	struct board_device timer = {0};
	u32 cells[FDT_MAX_CELLS];

	if (board_next_device(&timer, compatible) && boot_fdt &&
	    fdt_interrupt(boot_fdt, &timer.node, 2, cells) == 3 && cells[0] == 1 &&
	    cells[1] < FIRST_SPI - FIRST_PPI)
		gic_timer_id = FIRST_PPI + cells[1];
}

void gic_cpu_started(void)
{
	if (this_cpu()->irq_work)
		arch_raise_irq_work();
}

void gic_found(const struct gic *gic, const struct irq_chip *chip)
{
	find_timer("arm,armv8-timer");
	find_timer("arm,armv7-timer");
	nr_lines = chip->nr_irqs;
	controller = gic;
	irq_set_chip(chip);
	printk("%s: %u device interrupts\n", chip->name, chip->nr_irqs);
	gic_cpu_started();
}
