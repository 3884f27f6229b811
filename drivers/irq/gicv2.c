/* SPDX-License-Identifier: MIT */
/*
 * Generic interrupt controller, version 2 (Arm IHI 0048B).
 *
 * Groups: with the Security Extensions each world sees its own group alone, and bit 0 of both
 * control registers enables that; without them all is Group 0, which is signalled as IRQ unless
 * FIQEn is set. So the same writes do wherever the kernel runs; the boot code has made all
 * interrupts Group 1 if it left the Secure state.
 */
#include "gic.h"

#include <hotregs/board.h>
#include <hotregs/cpu.h>
#include <hotregs/device.h>
#include <hotregs/mm.h>
#include <hotregs/printk.h>

#include <arch/io.h>

/* Distributor (4.1.2). Register n of a row has 32 interrupts, or four in a byte each. */
#define GICD_CTLR         0x000
#define GICD_TYPER        0x004
#define GICD_IGROUPR(n)   (0x080 + 4 * (n))
#define GICD_ISENABLER(n) (0x100 + 4 * (n))
#define GICD_ICENABLER(n) (0x180 + 4 * (n))
#define GICD_ICPENDR(n)   (0x280 + 4 * (n))
#define GICD_ICACTIVER(n) (0x380 + 4 * (n))
#define GICD_IPRIORITY(n) (0x400 + 4 * (n))
#define GICD_ITARGETS(n)  (0x800 + 4 * (n))
#define GICD_ICFGR(n)     (0xc00 + 4 * (n)) /* two bits each; the upper one: edge-triggered */
#define GICD_SGIR         0xf00
#define SGIR_SELF         (2U << 24)
#define SGIR_LIST(mask)   ((u32)(mask) << 16)

/* CPU interface (4.1.3). */
#define GICC_CTLR 0x00
#define GICC_PMR  0x04
#define GICC_IAR  0x0c
#define GICC_EOIR 0x10

#define CTLR_ENABLE BIT(0)
#define IAR_ID_MASK 0x3ff

#define REG_SIZE 0x1000

static volatile u8 *dist, *cpu_interface;
static u8 targets[MAX_CPUS]; /* the bit that a CPU is in masks of targets */

static u32 read_dist(unsigned reg)
{
	return mmio_read32(dist + reg);
}

static void write_dist(unsigned reg, u32 value)
{
	mmio_write32(dist + reg, value);
}

static void gicv2_dispatch(struct pt_regs *regs)
{
	u32 iar = mmio_read32(cpu_interface + GICC_IAR);

	/* The whole word: that of a software-generated one tells who sent it (4.4.5). */
	if (gic_handle(iar & IAR_ID_MASK, regs))
		mmio_write32(cpu_interface + GICC_EOIR, iar);
}

static void gicv2_interrupt_self(unsigned sgi)
{
	write_dist(GICD_SGIR, SGIR_SELF | sgi);
}

static void gicv2_interrupt(const struct cpu *cpu, unsigned sgi)
{
	write_dist(GICD_SGIR, SGIR_LIST(targets[cpu->id]) | sgi);
}

static void gicv2_unmask_private(unsigned id)
{
	write_dist(GICD_ISENABLER(0), BIT(id));
}

static void gicv2_unmask(unsigned irq)
{
	unsigned id = FIRST_SPI + irq;

	write_dist(GICD_ISENABLER(id / 32), BIT(id % 32));
}

static void gicv2_mask(unsigned irq)
{
	unsigned id = FIRST_SPI + irq;

	write_dist(GICD_ICENABLER(id / 32), BIT(id % 32));
}

static void gicv2_start_cpu(void);

static struct irq_chip gicv2_chip = {
    .name = "gicv2",
    .unmask = gicv2_unmask,
    .mask = gicv2_mask,
    .start_cpu = gicv2_start_cpu,
};

static const struct gic gicv2 = {
    .dispatch = gicv2_dispatch,
    .unmask_private = gicv2_unmask_private,
    .interrupt_self = gicv2_interrupt_self,
    .interrupt = gicv2_interrupt,
};

/* The interrupts of a row's register: off, and nothing left of what the firmware did with them. */
static void reset_row(unsigned n)
{
	write_dist(GICD_ICENABLER(n), UINT32_MAX);
	write_dist(GICD_ICPENDR(n), UINT32_MAX);
	write_dist(GICD_ICACTIVER(n), UINT32_MAX);
	write_dist(GICD_IGROUPR(n), 0);
	for (unsigned i = 8 * n; i < 8 * n + 8; i++)
		write_dist(GICD_IPRIORITY(i), PRIORITY);
}

/* Shared interrupts go to the calling CPU, whose mask its private ones tell (4.3.12). */
static void reset_shared(unsigned rows)
{
	u32 self = read_dist(GICD_ITARGETS(0));

	for (unsigned n = 1; n < rows; n++) {
		reset_row(n);
		for (unsigned i = 8 * n; i < 8 * n + 8; i++)
			write_dist(GICD_ITARGETS(i), self);
		write_dist(GICD_ICFGR(2 * n), 0);
		write_dist(GICD_ICFGR(2 * n + 1), 0);
	}
}

/* The calling CPU's own registers: private interrupts, and the interface. */
static void gicv2_start_cpu(void)
{
	targets[this_cpu()->id] = read_dist(GICD_ITARGETS(0));
	reset_row(0);
	write_dist(GICD_ISENABLER(0), BIT(SGI_IRQ_WORK) | BIT(SGI_IPI));
	mmio_write32(cpu_interface + GICC_PMR, PRIORITY_ANY);
	mmio_write32(cpu_interface + GICC_CTLR, CTLR_ENABLE);
	gic_cpu_started();
}

static bool find_gic(struct board_device *gic)
{
	static const char *const names[] = {"arm,cortex-a15-gic", "arm,cortex-a7-gic",
					    "arm,gic-400"};

	for (unsigned i = 0; i < ARRAY_SIZE(names); i++) {
		*gic = (struct board_device){0};
		if (board_next_device(gic, names[i]))
			return gic->reg[0].size && gic->reg[1].size;
	}
	return false;
}

static void gicv2_init(void)
{
	struct board_device gic;
	unsigned rows;

	if (!find_gic(&gic))
		return;
	cpu_interface = ioremap(gic.reg[1].start, REG_SIZE);
	dist = ioremap(gic.reg[0].start, REG_SIZE);
	if (!dist || !cpu_interface)
		panic("no memory to map the interrupt controller");

	write_dist(GICD_CTLR, 0);
	rows = (read_dist(GICD_TYPER) & 0x1f) + 1;
	gicv2_chip.nr_irqs = 32 * (rows - 1);
	reset_shared(rows);
	write_dist(GICD_CTLR, CTLR_ENABLE);
	gicv2_start_cpu();
	gic_found(&gicv2, &gicv2_chip);
}
INITCALL(1, gicv2_init);
