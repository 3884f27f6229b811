/* SPDX-License-Identifier: MIT */
/*
 * Generic interrupt controller, version 3 and 4 (Arm IHI 0069G), with affinity routing: each CPU
 * has a redistributor for its private interrupts, and system registers in place of an interface.
 * All interrupts are in Group 1; in Non-secure state that is all that can be seen.
 */
#include "gic.h"

#include <hotregs/board.h>
#include <hotregs/cpu.h>
#include <hotregs/device.h>
#include <hotregs/mm.h>
#include <hotregs/printk.h>

#include <arch/cache.h>
#include <arch/io.h>
#include <asm/sysreg.h>

/* Distributor (12.9). Register n of a row has 32 interrupts, four in a byte each, or one. */
#define GICD_CTLR        0x0000
#define CTLR_GROUP1      BIT(1)
#define CTLR_ARE         BIT(4)
#define CTLR_RWP         BIT(31) /* a write is not everywhere yet */
#define GICD_TYPER       0x0004
#define GICD_IROUTER(id) (0x6000 + 8 * (id))

/* Rows that the distributor has for shared interrupts, and redistributors for private ones. */
#define GIC_IGROUPR(n)   (0x080 + 4 * (n))
#define GIC_ISENABLER(n) (0x100 + 4 * (n))
#define GIC_ICENABLER(n) (0x180 + 4 * (n))
#define GIC_ICPENDR(n)   (0x280 + 4 * (n))
#define GIC_ICACTIVER(n) (0x380 + 4 * (n))
#define GIC_IPRIORITY(n) (0x400 + 4 * (n))
#define GIC_ICFGR(n)     (0xc00 + 4 * (n)) /* two bits each; the upper one: edge-triggered */

/* Redistributor (12.11): two frames of 64 KiB, four if it has virtual interrupts. */
#define GICR_TYPER     0x0008
#define TYPER_VLPIS    BIT(1)
#define TYPER_LAST     BIT(4)
#define GICR_WAKER     0x0014
#define WAKER_SLEEP    BIT(1)
#define WAKER_CHILDREN BIT(2) /* asleep */
#define GICR_SGI_FRAME 0x10000
#define FRAMES_SIZE    0x20000UL
#define FRAMES_SIZE_V4 0x40000UL
#define DIST_SIZE      0x10000UL

#define SRE_ENABLE BIT(0) /* ICC_SRE_EL1 (12.2.20) */

static volatile u8 *dist, *redistributors;
static size_t redistributors_size;
static volatile u8 *private_frame[MAX_CPUS]; /* with a CPU's private interrupts */

static void wait_for_writes(void)
{
	while (mmio_read32(dist + GICD_CTLR) & CTLR_RWP)
		;
}

/* Affinities where ICC_SGI1R_EL1 has them (12.2.17), and the bit of level 0 in its list. */
static void send_sgi(u64 mpidr, unsigned sgi)
{
	u64 aff0 = mpidr & 0xff, aff1 = mpidr >> 8 & 0xff, aff2 = mpidr >> 16 & 0xff,
	    aff3 = mpidr >> 32 & 0xff;

	sysreg_write(ICC_SGI1R_EL1, aff3 << 48 | (aff0 >> 4) << 44 | aff2 << 32 | (u64)sgi << 24 |
					aff1 << 16 | 1U << (aff0 & 15));
	synchronize_context();
}

static void gicv3_dispatch(struct pt_regs *regs)
{
	u32 id = sysreg_read(ICC_IAR1_EL1);

	if (gic_handle(id, regs))
		sysreg_write(ICC_EOIR1_EL1, id);
}

static void gicv3_interrupt_self(unsigned sgi)
{
	send_sgi(this_cpu()->arch.mpidr, sgi);
}

static void gicv3_interrupt(const struct cpu *cpu, unsigned sgi)
{
	send_sgi(cpu->arch.mpidr, sgi);
}

static void gicv3_unmask_private(unsigned id)
{
	mmio_write32(private_frame[this_cpu()->id] + GIC_ISENABLER(0), BIT(id));
}

static const struct gic gicv3 = {
    .dispatch = gicv3_dispatch,
    .unmask_private = gicv3_unmask_private,
    .interrupt_self = gicv3_interrupt_self,
    .interrupt = gicv3_interrupt,
};

static void gicv3_unmask(unsigned irq)
{
	unsigned id = FIRST_SPI + irq;

	mmio_write32(dist + GIC_ISENABLER(id / 32), BIT(id % 32));
}

static void gicv3_mask(unsigned irq)
{
	unsigned id = FIRST_SPI + irq;

	mmio_write32(dist + GIC_ICENABLER(id / 32), BIT(id % 32));
}

static void gicv3_start_cpu(void);

static struct irq_chip gicv3_chip = {
    .name = "gicv3",
    .unmask = gicv3_unmask,
    .mask = gicv3_mask,
    .start_cpu = gicv3_start_cpu,
};

/* The interrupts of a row's register: off, and nothing left of what the firmware did with them. */
static void reset_row(volatile u8 *regs, unsigned n)
{
	mmio_write32(regs + GIC_ICENABLER(n), UINT32_MAX);
	mmio_write32(regs + GIC_ICPENDR(n), UINT32_MAX);
	mmio_write32(regs + GIC_ICACTIVER(n), UINT32_MAX);
	mmio_write32(regs + GIC_IGROUPR(n), UINT32_MAX);
	for (unsigned i = 8 * n; i < 8 * n + 8; i++)
		mmio_write32(regs + GIC_IPRIORITY(i), PRIORITY);
}

/* Shared interrupts go to the calling CPU. The register is of 64 bits, and may be written in
 * halves. */
static void reset_shared(unsigned rows)
{
	u64 self = this_cpu()->arch.mpidr;

	for (unsigned n = 1; n < rows; n++) {
		reset_row(dist, n);
		mmio_write32(dist + GIC_ICFGR(2 * n), 0);
		mmio_write32(dist + GIC_ICFGR(2 * n + 1), 0);
	}
	for (unsigned id = FIRST_SPI; id < MIN(32 * rows, (unsigned)FIRST_SPECIAL); id++) {
		mmio_write32(dist + GICD_IROUTER(id), self);
		mmio_write32(dist + GICD_IROUTER(id) + 4, self >> 32);
	}
}

/* The calling CPU's redistributor has its affinity in the upper half of TYPER; NULL: there is none.
 */
static volatile u8 *find_redistributor(void)
{
	u64 mpidr = this_cpu()->arch.mpidr;
	u32 affinity = (mpidr >> 32) << 24 | (mpidr & 0xffffff), type;

	for (size_t at = 0; at + FRAMES_SIZE <= redistributors_size;
	     at += type & TYPER_VLPIS ? FRAMES_SIZE_V4 : FRAMES_SIZE) {
		volatile u8 *r = redistributors + at;

		type = mmio_read32(r + GICR_TYPER);
		if (mmio_read32(r + GICR_TYPER + 4) == affinity)
			return r;
		if (type & TYPER_LAST)
			break;
	}
	return NULL;
}

/* The calling CPU's own: private interrupts, and the system registers. */
static void gicv3_start_cpu(void)
{
	volatile u8 *r = find_redistributor(), *frame;

	if (!r)
		panic("gicv3: cpu %u has no redistributor", this_cpu()->id);
	mmio_write32(r + GICR_WAKER, mmio_read32(r + GICR_WAKER) & ~(u32)WAKER_SLEEP);
	while (mmio_read32(r + GICR_WAKER) & WAKER_CHILDREN)
		;
	frame = r + GICR_SGI_FRAME;
	private_frame[this_cpu()->id] = frame;
	reset_row(frame, 0);
	mmio_write32(frame + GIC_ISENABLER(0), BIT(SGI_IRQ_WORK) | BIT(SGI_IPI));
	sysreg_write(ICC_SRE_EL1, sysreg_read(ICC_SRE_EL1) | SRE_ENABLE);
	synchronize_context();
	sysreg_write(ICC_PMR_EL1, PRIORITY_ANY);
	sysreg_write(ICC_BPR1_EL1, 0);
	sysreg_write(ICC_CTLR_EL1, 0);
	sysreg_write(ICC_IGRPEN1_EL1, 1);
	synchronize_context();
	gic_cpu_started();
}

static void gicv3_init(void)
{
	struct board_device gic = {0};
	unsigned rows;

	if (!board_next_device(&gic, "arm,gic-v3") || !gic.reg[0].size || !gic.reg[1].size)
		return;
	redistributors_size = MIN(gic.reg[1].size, (u64)(2 * MAX_CPUS * FRAMES_SIZE));
	redistributors = ioremap(gic.reg[1].start, redistributors_size);
	dist = ioremap(gic.reg[0].start, DIST_SIZE);
	if (!dist || !redistributors)
		panic("no memory to map the interrupt controller");

	mmio_write32(dist + GICD_CTLR, 0);
	wait_for_writes();
	rows = (mmio_read32(dist + GICD_TYPER) & 0x1f) + 1;
	gicv3_chip.nr_irqs = 32 * (rows - 1);
	mmio_write32(dist + GICD_CTLR, CTLR_ARE);
	wait_for_writes();
	reset_shared(rows);
	mmio_write32(dist + GICD_CTLR, CTLR_ARE | CTLR_GROUP1);
	wait_for_writes();
	gicv3_start_cpu();
	gic_found(&gicv3, &gicv3_chip);
}
INITCALL(1, gicv3_init);
