/* SPDX-License-Identifier: MIT */
/*
 * I/O APICs (Intel 82093AA data sheet): device line "GSI n" becomes vector VECTOR_IRQ_BASE + n of
 * the boot processor.
 */
#include <hotregs/acpi.h>
#include <hotregs/cpu.h>
#include <hotregs/device.h>
#include <hotregs/irq.h>
#include <hotregs/mm.h>
#include <hotregs/printk.h>

#include <arch/io.h>
#include <asm/vectors.h>

#include "lapic.h"

/* An index register selects what the window shows. */
#define IOAPIC_INDEX   0x00
#define IOAPIC_WINDOW  0x10
#define REG_VERSION    0x01
#define REG_PIN(n)     (0x10 + 2 * (n)) /* low half; the high half is next */
#define PIN_ACTIVE_LOW BIT(13)
#define PIN_LEVEL      BIT(15)
#define PIN_MASKED     BIT(16)

#define NR_ISA_IRQS 16

static struct {
	volatile u8 *regs;
	u32 gsi_base, nr_pins;
} ioapics[ACPI_MAX_IOAPICS];

static struct spinlock lock = SPINLOCK_INIT; /* index and window are two accesses */

static u32 read_reg(unsigned i, u32 reg)
{
	mmio_write32(ioapics[i].regs + IOAPIC_INDEX, reg);
	return mmio_read32(ioapics[i].regs + IOAPIC_WINDOW);
}

static void write_reg(unsigned i, u32 reg, u32 value)
{
	mmio_write32(ioapics[i].regs + IOAPIC_INDEX, reg);
	mmio_write32(ioapics[i].regs + IOAPIC_WINDOW, value);
}

/* Trigger mode and polarity: the tables' word, else edge and high for ISA, level and low for PCI.
 */
static u32 pin_mode(unsigned gsi)
{
	for (unsigned i = 0; i < acpi_info.nr_overrides; i++) {
		const struct acpi_override *o = &acpi_info.override[i];

		if (o->gsi == gsi)
			return (o->active_low ? PIN_ACTIVE_LOW : 0) | (o->level ? PIN_LEVEL : 0);
	}
	return gsi < NR_ISA_IRQS ? 0 : PIN_ACTIVE_LOW | PIN_LEVEL;
}

/* Writes the pin of @gsi, if there is one; any CPU, any context but NMI. */
static void set_pin(unsigned gsi, u32 masked)
{
	unsigned long flags = spin_lock_irqsave(&lock);

	for (unsigned i = 0; i < acpi_info.nr_ioapics; i++) {
		u32 pin = gsi - ioapics[i].gsi_base;

		if (pin >= ioapics[i].nr_pins)
			continue;
		/* The destination is in place before the low half unmasks. */
		if (!masked)
			write_reg(i, REG_PIN(pin) + 1, cpus[0].arch.apic_id << 24);
		write_reg(i, REG_PIN(pin), masked | pin_mode(gsi) | (VECTOR_IRQ_BASE + gsi));
	}
	spin_unlock_irqrestore(&lock, flags);
}

static void ioapic_unmask(unsigned irq)
{
	set_pin(irq, 0);
}

static void ioapic_mask(unsigned irq)
{
	set_pin(irq, PIN_MASKED);
}

static struct irq_chip ioapic_chip = {
    .name = "ioapic",
    .unmask = ioapic_unmask,
    .mask = ioapic_mask,
    .start_cpu = lapic_start_cpu, /* a processor's own part of the interrupt system */
};

static void ioapic_init(void)
{
	for (unsigned i = 0; i < acpi_info.nr_ioapics; i++) {
		ioapics[i].regs = ioremap(acpi_info.ioapic[i].base, 0x20);
		if (!ioapics[i].regs)
			panic("no memory to map an I/O APIC");
		ioapics[i].gsi_base = acpi_info.ioapic[i].gsi_base;
		ioapics[i].nr_pins = (read_reg(i, REG_VERSION) >> 16 & 0xff) + 1;
		for (u32 pin = 0; pin < ioapics[i].nr_pins; pin++)
			write_reg(i, REG_PIN(pin), PIN_MASKED);
		ioapic_chip.nr_irqs =
		    MAX(ioapic_chip.nr_irqs, ioapics[i].gsi_base + ioapics[i].nr_pins);
		printk("ioapic: interrupts %u-%u\n", ioapics[i].gsi_base,
		       ioapics[i].gsi_base + ioapics[i].nr_pins - 1);
	}
	if (acpi_info.nr_ioapics == 0)
		printk("ioapic: none in the ACPI tables: devices cannot interrupt\n");
	irq_set_chip(&ioapic_chip);
}
INITCALL(1, ioapic_init);
