/* SPDX-License-Identifier: MIT */
/* A PC's PCI host bridge: configuration mechanism #1 (PCI Local Bus 3.0, 3.2.2.3.2). */
#include <hotregs/device.h>
#include <hotregs/pci.h>
#include <hotregs/printk.h>
#include <hotregs/spinlock.h>

#include <arch/io.h>

#define CONFIG_ADDRESS 0xcf8
#define CONFIG_DATA    0xcfc
#define CONFIG_ENABLE  BIT(31)

/* Address and data belong together. */
static struct spinlock lock = SPINLOCK_INIT;

static u16 select(const struct pci_device *dev, unsigned offset)
{
	outl(CONFIG_ADDRESS, CONFIG_ENABLE | dev->bus << 16 | dev->slot << 11 | dev->function << 8 |
				 (offset & ~3U));
	return CONFIG_DATA + (offset & 3);
}

static u32 ports_read(const struct pci_device *dev, unsigned offset, unsigned size)
{
	unsigned long flags = spin_lock_irqsave(&lock);
	u16 port = select(dev, offset);
	u32 value = size == 1 ? inb(port) : size == 2 ? inw(port) : inl(port);

	spin_unlock_irqrestore(&lock, flags);
	return value;
}

static void ports_write(const struct pci_device *dev, unsigned offset, unsigned size, u32 value)
{
	unsigned long flags = spin_lock_irqsave(&lock);
	u16 port = select(dev, offset);

	if (size == 1)
		outb(port, value);
	else if (size == 2)
		outw(port, value);
	else
		outl(port, value);
	spin_unlock_irqrestore(&lock, flags);
}

static void pci_ports_start(void)
{
	static const struct pci_access ports = {ports_read, ports_write};
	int err;

	/* The address register keeps what is written; ports that nobody decodes do not. */
	outl(CONFIG_ADDRESS, CONFIG_ENABLE);
	if (inl(CONFIG_ADDRESS) != CONFIG_ENABLE)
		return;
	err = pci_scan(&ports);
	if (err)
		printk("pci: not all devices were found (error %d)\n", -err);
}
INITCALL(3, pci_ports_start);
