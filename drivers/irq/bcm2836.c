/* SPDX-License-Identifier: MIT */
/*
 * The BCM2836's two interrupt controllers: the local one of the four processors ("QA7", rev 3.4),
 * which has timers and mailboxes, and below it the one of the older BCM2835 for devices (BCM2835
 * ARM Peripherals, chapter 7), which interrupts the first processor. A mailbox is how processors
 * interrupt each other and themselves.
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
#include <asm/start.h>

/* Local controller ("QA7", chapter 4), for each processor. */
#define LOCAL_GPU_ROUTING     0x0c /* 0: device interrupts go to processor 0, as IRQ */
#define LOCAL_TIMER(cpu)      (0x40 + 4 * (cpu))
#define LOCAL_MAILBOX(cpu)    (0x50 + 4 * (cpu))
#define LOCAL_IRQ_SOURCE(cpu) (0x60 + 4 * (cpu))
#define LOCAL_SET_MAIL(cpu)   (0x80 + 16 * (cpu)) /* of mailbox 0 */
#define LOCAL_CLEAR_MAIL(cpu) (0xc0 + 16 * (cpu))
#define LOCAL_SET_START(cpu)  (0x8c + 16 * (cpu)) /* mailbox 3: where it starts */
#define LOCAL_SIZE            0x100

#define TIMER_VIRTUAL    BIT(3)
#define MAILBOX_0        BIT(0)
#define SOURCE_VIRTUAL   BIT(3)
#define SOURCE_MAILBOX_0 BIT(4)
#define SOURCE_GPU       BIT(8)
#define MAIL_IRQ_WORK    BIT(0)
#define MAIL_IPI         BIT(1)

/* Device controller (7.5): 64 interrupts of the VideoCore's side, and 8 of the ARM's own. */
#define GPU_PENDING(n) (0x04 + 4 * (n))
#define GPU_FIQ        0x0c
#define GPU_ENABLE(n)  (0x10 + 4 * (n))
#define GPU_DISABLE(n) (0x1c + 4 * (n))
#define ARM_DISABLE    0x24
#define GPU_SIZE       0x28
#define NR_GPU_IRQS    64

#define NR_PROCESSORS 4

static volatile u8 *local, *gpu;

/* The calling processor's number in this controller. */
static unsigned own_number(void)
{
	return this_cpu()->arch.mpidr & (NR_PROCESSORS - 1);
}

static u32 read_local(unsigned reg)
{
	return mmio_read32(local + reg);
}

static void write_local(unsigned reg, u32 value)
{
	mmio_write32(local + reg, value);
}

/* Serves the first device that asks; of those that are enabled, which alone are pending. */
static void dispatch_gpu(void)
{
	for (unsigned n = 0; n < NR_GPU_IRQS / 32; n++) {
		u32 pending = mmio_read32(gpu + GPU_PENDING(n));

		if (pending) {
			irq_dispatch(32 * n + __builtin_ctz(pending));
			return;
		}
	}
}

static void dispatch_mail(unsigned cpu)
{
	u32 mail = read_local(LOCAL_CLEAR_MAIL(cpu));

	/* Before looking at what it is about: that may ask again. */
	write_local(LOCAL_CLEAR_MAIL(cpu), mail);
	complete_accesses();
	if (mail & MAIL_IRQ_WORK)
		irq_work_run();
	if (mail & MAIL_IPI)
		smp_interrupt();
}

void arm_irq_dispatch(struct pt_regs *regs)
{
	unsigned cpu = own_number();
	u32 source = read_local(LOCAL_IRQ_SOURCE(cpu));

	if (source & SOURCE_VIRTUAL) {
		arm_timer_interrupt(regs);
	} else if (source & SOURCE_MAILBOX_0) {
		dispatch_mail(cpu);
	} else if (source & SOURCE_GPU) {
		dispatch_gpu();
	}
}

void arch_raise_irq_work(void)
{
	/* Too early: bcm2836_init() makes up for it. */
	if (likely(local))
		write_local(LOCAL_SET_MAIL(own_number()), MAIL_IRQ_WORK);
}

void arch_send_ipi(struct cpu *cpu)
{
	complete_accesses(); /* or it would come before what it is about */
	write_local(LOCAL_SET_MAIL(cpu->arch.mpidr & (NR_PROCESSORS - 1)), MAIL_IPI);
}

void arm_timer_unmask(void)
{
	write_local(LOCAL_TIMER(own_number()), TIMER_VIRTUAL);
}

static void bcm2836_unmask(unsigned irq)
{
	mmio_write32(gpu + GPU_ENABLE(irq / 32), BIT(irq % 32));
}

static void bcm2836_mask(unsigned irq)
{
	mmio_write32(gpu + GPU_DISABLE(irq / 32), BIT(irq % 32));
}

/* Bank and number in it (Linux' binding brcm,bcm2835-armctrl-ic); bank 0 is the ARM's own. */
int irq_line(const u32 *cells, unsigned n)
{
	if (n != 2 || cells[0] < 1 || cells[0] > 2 || cells[1] >= 32)
		return -EINVAL;
	return 32 * (cells[0] - 1) + cells[1];
}

static volatile u8 *map(const char *compatible, size_t size)
{
	struct board_device dev = {0};
	volatile u8 *regs;

	if (!board_next_device(&dev, compatible) || dev.reg[0].size < size)
		panic("the board has no interrupt controller %s", compatible);
	regs = ioremap(dev.reg[0].start, size);
	if (!regs)
		panic("no memory to map the interrupt controller %s", compatible);
	return regs;
}

/*
 * The loader left the other processors in a loop that looks into their mailbox: where an emulator
 * runs all four they would take most of its time. So they sleep with ours, until they are started.
 */
static void park_others(unsigned cpu)
{
	for (unsigned other = 0; other < NR_PROCESSORS; other++)
		if (other != cpu)
			write_local(LOCAL_SET_START(other),
				    (unsigned long)boot_park - KERNEL_IMAGE_BASE);
	send_event();
}

static void wake(unsigned n)
{
	write_local(LOCAL_MAILBOX(n), MAILBOX_0);
	write_local(LOCAL_SET_MAIL(n), MAIL_IPI);
}

/* The calling processor's own part; what asked for a self-interrupt before is made up for. */
static void bcm2836_start_cpu(void)
{
	unsigned cpu = own_number();

	write_local(LOCAL_TIMER(cpu), 0);
	write_local(LOCAL_CLEAR_MAIL(cpu), UINT32_MAX);
	write_local(LOCAL_MAILBOX(cpu), MAILBOX_0);
	if (this_cpu()->irq_work)
		arch_raise_irq_work();
}

static void bcm2836_init(void)
{
	static const struct irq_chip chip = {
	    .name = "bcm2836",
	    .nr_irqs = NR_GPU_IRQS,
	    .unmask = bcm2836_unmask,
	    .mask = bcm2836_mask,
	    .start_cpu = bcm2836_start_cpu,
	};
	static const struct arm_parked parked = {.nr = NR_PROCESSORS, .wake = wake};

	gpu = map("brcm,bcm2836-armctrl-ic", GPU_SIZE);
	local = map("brcm,bcm2836-l1-intc", LOCAL_SIZE);
	for (unsigned n = 0; n < NR_GPU_IRQS / 32; n++)
		mmio_write32(gpu + GPU_DISABLE(n), UINT32_MAX);
	mmio_write32(gpu + ARM_DISABLE, UINT32_MAX);
	mmio_write32(gpu + GPU_FIQ, 0);

	write_local(LOCAL_GPU_ROUTING, 0);
	bcm2836_start_cpu();
	irq_set_chip(&chip);
	park_others(own_number());
	arm_set_parked(&parked);
	printk("bcm2836: %u device interrupts\n", NR_GPU_IRQS);
}
INITCALL(1, bcm2836_init);
