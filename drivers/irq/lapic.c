/* SPDX-License-Identifier: MIT */
/*
 * The local APIC in its memory-mapped mode (Intel SDM vol. 3, chapter 10): acknowledges interrupts,
 * and interrupts its own CPU for irq_work and the others.
 */
#include <hotregs/acpi.h>
#include <hotregs/cpu.h>
#include <hotregs/device.h>
#include <hotregs/mm.h>
#include <hotregs/printk.h>

#include <arch/irq.h>
#include <arch/smp.h>
#include <asm/lapic.h>
#include <asm/msr.h>
#include <asm/vectors.h>

#include "lapic.h"

#define APIC_BASE_X2APIC  BIT(10)
#define APIC_BASE_ENABLE  BIT(11)
#define APIC_BASE_ADDRESS 0x000ffffffffff000UL

#define SVR_ENABLE BIT(8)
#define TPR_CLASS  0x10 /* keeps vectors below 32, which are exceptions', from being interrupts */

#define ICR_PENDING BIT(12)
#define ICR_ASSERT  BIT(14)
#define ICR_SELF    BIT(18)

volatile u8 *lapic_base;
static phys_addr_t lapic_phys;

void lapic_eoi(void)
{
	lapic_write(LAPIC_EOI, 0);
}

/*
 * The interrupt command register is idle before a command is written (10.6.1). It has two halves,
 * and the lower one sends. An NMI may strike between idle and sent, or between the halves: what it
 * sends is to itself, which leaves the upper half as it is, and idle again before it returns.
 * Everybody else has interrupts off, and is not interrupted by anybody else.
 */
static void wait_until_idle(void)
{
	while (lapic_read(LAPIC_ICR) & ICR_PENDING)
		cpu_relax();
}

void arch_raise_irq_work(void)
{
	/* Too early: lapic_init() makes up for it. */
	if (unlikely(!lapic_base))
		return;
	wait_until_idle();
	lapic_write(LAPIC_ICR, ICR_SELF | ICR_ASSERT | VECTOR_IRQ_WORK);
	if (unlikely(in_nmi()))
		wait_until_idle();
}

void lapic_send(u32 apic_id, u32 command)
{
	unsigned long flags = irq_save();

	wait_until_idle();
	lapic_write(LAPIC_ICR_HIGH, apic_id << 24);
	lapic_write(LAPIC_ICR, ICR_ASSERT | command);
	irq_restore(flags);
}

void arch_send_ipi(struct cpu *cpu)
{
	lapic_send(cpu->arch.apic_id, LAPIC_ICR_FIXED | VECTOR_IPI);
}

/* Masks every local source (10.5.1), some of which only newer versions have. */
static void mask_sources(void)
{
	u32 max_lvt = lapic_read(LAPIC_VERSION) >> 16 & 0xff;

	lapic_write(LAPIC_LVT_TIMER, LAPIC_LVT_MASKED);
	lapic_write(LAPIC_LVT_LINT0, LAPIC_LVT_MASKED);
	lapic_write(LAPIC_LVT_LINT1, LAPIC_LVT_MASKED);
	lapic_write(LAPIC_LVT_ERROR, LAPIC_LVT_MASKED);
	if (max_lvt >= 4)
		lapic_write(LAPIC_LVT_PERF, LAPIC_LVT_MASKED);
	if (max_lvt >= 5)
		lapic_write(LAPIC_LVT_THERMAL, LAPIC_LVT_MASKED);
	if (max_lvt >= 6)
		lapic_write(LAPIC_LVT_CMCI, LAPIC_LVT_MASKED);
	lapic_write(LAPIC_INITIAL_COUNT, 0);
}

/* Ends what the firmware was serving, which would keep lower vectors from us for ever. */
static void end_pending(void)
{
	for (unsigned i = 0; i < 8; i++) {
		u32 in_service = lapic_read(LAPIC_ISR + 16 * i);

		for (; in_service; in_service &= in_service - 1)
			lapic_eoi();
	}
	/* The first write latches the errors so far, the second clears them (10.5.3). */
	lapic_write(LAPIC_ESR, 0);
	lapic_write(LAPIC_ESR, 0);
}

/* Switches the calling CPU's on, and makes it its own. Interrupts off, or its sources are. */
static void enable(void)
{
	/* Sources can be written only while it is enabled (10.4.7.2). */
	lapic_write(LAPIC_TPR, TPR_CLASS);
	lapic_write(LAPIC_SVR, SVR_ENABLE | VECTOR_SPURIOUS);
	mask_sources();
	end_pending();
	this_cpu()->arch.apic_id = lapic_read(LAPIC_ID) >> 24;
}

/* Sees to the mode of the calling CPU's; returns where its registers are. */
static phys_addr_t find_registers(void)
{
	u64 msr = rdmsr(MSR_APIC_BASE);

	/* Leaving this mode takes switching the APIC off, which some emulators make final. */
	if (msr & APIC_BASE_X2APIC)
		panic(
		    "the local APIC is in x2APIC mode; give the processor none (-cpu ...,-x2apic)");
	if (!(msr & APIC_BASE_ENABLE))
		wrmsr(MSR_APIC_BASE, msr | APIC_BASE_ENABLE);
	return msr & APIC_BASE_ADDRESS;
}

void lapic_start_cpu(void)
{
	if (find_registers() != lapic_phys)
		panic("the local APICs of two processors are not at the same address");
	enable();
}

static void lapic_init(void)
{
	lapic_phys = find_registers();
	lapic_base = ioremap(lapic_phys, 0x400);
	if (!lapic_base)
		panic("no memory to map the local APIC");
	enable();
	printk("lapic: id %u, processors: %u\n", this_cpu()->arch.apic_id,
	       MAX(acpi_info.nr_cpus, 1U));
	if (this_cpu()->irq_work)
		arch_raise_irq_work();
}
INITCALL(1, lapic_init);
