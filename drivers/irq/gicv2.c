/* SPDX-License-Identifier: MIT */
/*
 * Generic interrupt controller, version 2 (Arm IHI 0048B). Its shared interrupts are the kernel's
 * device lines, a software-generated one interrupts its own CPU for irq_work, the timer has a
 * private one.
 *
 * Groups: with the Security Extensions each world sees its own group alone, and bit 0 of both
 * control registers enables that; without them all is Group 0, which is signalled as IRQ unless
 * FIQEn is set. So the same writes do wherever the kernel runs; the boot code has made all
 * interrupts Group 1 if it left the Secure state.
 */
#include <hotregs/board.h>
#include <hotregs/cpu.h>
#include <hotregs/device.h>
#include <hotregs/irq.h>
#include <hotregs/mm.h>
#include <hotregs/printk.h>
#include <hotregs/smp.h>

#include <arch/cache.h>
#include <arch/io.h>
#include <arch/irq.h>
#include <arch/smp.h>
#include <asm/interrupts.h>

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

#define CTLR_ENABLE  BIT(0)
#define PRIORITY     0xa0a0a0a0 /* the same for all, and one that either world may give */
#define PRIORITY_ANY 0xf0

#define SGI_IRQ_WORK  0
#define SGI_IPI       1
#define FIRST_PPI     16
#define FIRST_SPI     32
#define FIRST_SPECIAL 1020 /* 1023: none is pending */
#define IAR_ID_MASK   0x3ff

#define REG_SIZE 0x1000

static volatile u8 *dist, *cpu_interface;
static u8 targets[MAX_CPUS];   /* the bit that a CPU is in masks of targets */
static unsigned timer_id = 27; /* the virtual timer's by Arm's BSA, 3.8.2; the tree may differ */

static u32 read_dist(unsigned reg)
{
	return mmio_read32(dist + reg);
}

static void write_dist(unsigned reg, u32 value)
{
	mmio_write32(dist + reg, value);
}

void arm_irq_dispatch(struct pt_regs *regs)
{
	u32 iar = mmio_read32(cpu_interface + GICC_IAR), id = iar & IAR_ID_MASK;

	if (id == timer_id)
		arm_timer_interrupt(regs);
	else if (id == SGI_IRQ_WORK)
		irq_work_run();
	else if (id == SGI_IPI)
		smp_interrupt();
	else if (id >= FIRST_SPECIAL)
		return;
	else if (id >= FIRST_SPI)
		irq_dispatch(id - FIRST_SPI);
	/* The whole word: that of a software-generated one tells who sent it (4.4.5). */
	mmio_write32(cpu_interface + GICC_EOIR, iar);
}

void arch_raise_irq_work(void)
{
	/* Too early: gicv2_init() makes up for it. */
	if (likely(dist))
		write_dist(GICD_SGIR, SGIR_SELF | SGI_IRQ_WORK);
}

void arch_send_ipi(struct cpu *cpu)
{
	complete_accesses(); /* or it would come before what it is about */
	write_dist(GICD_SGIR, SGIR_LIST(targets[cpu->id]) | SGI_IPI);
}

void arm_timer_unmask(void)
{
	write_dist(GICD_ISENABLER(0), BIT(timer_id));
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

/* Type, number and trigger (Linux' binding arm,gic): shared, and level-sensitive and high only. */
int irq_line(const u32 *cells, unsigned n)
{
	if (n != 3 || cells[0] != 0 || cells[1] >= gicv2_chip.nr_irqs || (cells[2] & 0xf) != 4)
		return -EINVAL;
	return cells[1];
}

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

/*
 * The calling CPU's own registers: private interrupts, and the interface. What asked for a
 * self-interrupt before is made up for.
 */
static void gicv2_start_cpu(void)
{
	targets[this_cpu()->id] = read_dist(GICD_ITARGETS(0));
	reset_row(0);
	write_dist(GICD_ISENABLER(0), BIT(SGI_IRQ_WORK) | BIT(SGI_IPI));
	mmio_write32(cpu_interface + GICC_PMR, PRIORITY_ANY);
	mmio_write32(cpu_interface + GICC_CTLR, CTLR_ENABLE);
	if (this_cpu()->irq_work)
		arch_raise_irq_work();
}

/* The virtual timer is the third of the four that the tree lists. */
static void find_timer(void)
{
	struct board_device timer = {0};
	u32 cells[FDT_MAX_CELLS];

	if (board_next_device(&timer, "arm,armv7-timer") && boot_fdt &&
	    fdt_interrupt(boot_fdt, &timer.node, 2, cells) == 3 && cells[0] == 1 &&
	    cells[1] < FIRST_SPI - FIRST_PPI)
		timer_id = FIRST_PPI + cells[1];
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
		panic("the device tree names no GICv2 with its two sets of registers");
	find_timer();
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
	irq_set_chip(&gicv2_chip);
	printk("gicv2: %u device interrupts\n", gicv2_chip.nr_irqs);
}
INITCALL(1, gicv2_init);
