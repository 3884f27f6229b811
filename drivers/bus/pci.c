/* SPDX-License-Identifier: MIT */
/* PCI: finds the functions, reads their base addresses and capabilities. Any host bridge. */
#include <hotregs/mm.h>
#include <hotregs/pci.h>
#include <hotregs/printk.h>

#define NR_BUSES     256
#define NR_SLOTS     32
#define NR_FUNCTIONS 8
#define NR_BARS      6

#define HEADER_TYPE_MASK   0x7f
#define HEADER_TYPE_BRIDGE 1
#define NO_VENDOR          0xffff /* what reading an absent function gives */

/* Base address registers (PCI Local Bus 3.0, 6.2.5.1). */
#define BAR_IO          BIT(0)
#define BAR_IO_MASK     0x3U
#define BAR_TYPE_MASK   0x6U
#define BAR_TYPE_64     0x4U
#define BAR_MEMORY_MASK 0xfU

/* Capabilities lie in the 192 bytes behind the header, four-byte aligned. */
#define CAPABILITY_START 0x40
#define MAX_CAPABILITIES 48

static const struct pci_access *host;
static struct pci_device *devices;

u32 pci_read(const struct pci_device *dev, unsigned offset, unsigned size)
{
	return host->read(dev, offset, size);
}

void pci_write(const struct pci_device *dev, unsigned offset, unsigned size, u32 value)
{
	host->write(dev, offset, size, value);
}

const struct pci_device *pci_next(const struct pci_device *after)
{
	return after ? after->next : devices;
}

/* Keeps a function that is there: 1, 0 when none is, or -ENOMEM. */
static int add_function(struct pci_device *found, struct pci_device ***tail)
{
	struct pci_device *dev;

	found->vendor = pci_read(found, PCI_VENDOR_ID, 2);
	if (found->vendor == NO_VENDOR)
		return 0;
	found->device = pci_read(found, PCI_DEVICE_ID, 2);
	found->subsystem = pci_read(found, PCI_SUBSYSTEM_ID, 2);
	dev = kzalloc(sizeof(*dev));
	if (!dev)
		return -ENOMEM;
	*dev = *found;
	**tail = dev;
	*tail = &dev->next;
	return 1;
}

/*
 * Adds the functions of one slot and marks the buses behind its bridges. Buses are scanned in
 * rising order and one behind a bridge has a higher number, so that a bridge that is not
 * configured, or wrongly, leads nowhere.
 */
static int scan_slot(u8 bus, u8 slot, u8 *buses, struct pci_device ***tail)
{
	unsigned functions = 1, header;

	for (unsigned function = 0; function < functions; function++) {
		struct pci_device dev = {.bus = bus, .slot = slot, .function = function};
		int found = add_function(&dev, tail);

		if (found < 0)
			return found;
		if (!found)
			continue;
		header = pci_read(&dev, PCI_HEADER_TYPE, 1);
		if (header & PCI_HEADER_MULTI)
			functions = NR_FUNCTIONS;
		if ((header & HEADER_TYPE_MASK) == HEADER_TYPE_BRIDGE) {
			u8 secondary = pci_read(&dev, PCI_SECONDARY_BUS, 1);

			buses[secondary / 8] |= BIT(secondary % 8);
		}
	}
	return 0;
}

int pci_scan(const struct pci_access *access)
{
	u8 buses[NR_BUSES / 8] = {1};
	struct pci_device **tail = &devices;
	unsigned count = 0;

	host = access;
	for (unsigned bus = 0; bus < NR_BUSES; bus++) {
		if (!(buses[bus / 8] & BIT(bus % 8)))
			continue;
		for (unsigned slot = 0; slot < NR_SLOTS; slot++) {
			int err = scan_slot(bus, slot, buses, &tail);

			if (err)
				return err;
		}
	}
	for (const struct pci_device *dev = devices; dev; dev = dev->next)
		count++;
	printk("pci: %u functions\n", count);
	return 0;
}

unsigned pci_find_capability(const struct pci_device *dev, u8 id, unsigned after)
{
	unsigned next = after ? after + 1 : PCI_CAPABILITIES;

	if (!(pci_read(dev, PCI_STATUS, 2) & PCI_STATUS_CAPS))
		return 0;
	/* A list longer than there is room for runs in a circle. */
	for (unsigned i = 0; i < MAX_CAPABILITIES; i++) {
		unsigned at = pci_read(dev, next, 1) & ~3U;

		if (at < CAPABILITY_START)
			return 0;
		if (pci_read(dev, at, 1) == id)
			return at;
		next = at + 1;
	}
	return 0;
}

/* Writes all ones to a register, tells which of them stick, and restores it. */
static u32 sticky_bits(const struct pci_device *dev, unsigned offset)
{
	u32 saved = pci_read(dev, offset, 4), sticky;

	pci_write(dev, offset, 4, ~0U);
	sticky = pci_read(dev, offset, 4);
	pci_write(dev, offset, 4, saved);
	return sticky;
}

/* Is register @n the upper half of the 64-bit one before it? */
static bool is_upper_half(const struct pci_device *dev, unsigned n)
{
	bool upper = false;

	for (unsigned i = 0; i < n; i++) {
		u32 low = pci_read(dev, PCI_BAR0 + 4 * i, 4);

		upper = !upper && !(low & BAR_IO) && (low & BAR_TYPE_MASK) == BAR_TYPE_64;
	}
	return upper;
}

int pci_read_bar(const struct pci_device *dev, unsigned n, struct pci_bar *bar)
{
	unsigned offset = PCI_BAR0 + 4 * n;
	u32 command, low, flag_bits;
	u64 mask;

	if (n >= NR_BARS || pci_read(dev, PCI_HEADER_TYPE, 1) & HEADER_TYPE_MASK ||
	    is_upper_half(dev, n))
		return -EINVAL;
	low = pci_read(dev, offset, 4);
	bar->io = low & BAR_IO;
	flag_bits = bar->io ? BAR_IO_MASK : BAR_MEMORY_MASK;
	bar->address = low & ~flag_bits;

	/* While all address bits are ones the function would decode a place that is not its own. */
	command = pci_read(dev, PCI_COMMAND, 2);
	pci_write(dev, PCI_COMMAND, 2, command & ~(PCI_COMMAND_IO | PCI_COMMAND_MEMORY));
	mask = sticky_bits(dev, offset) & ~flag_bits;
	if (!bar->io && (low & BAR_TYPE_MASK) == BAR_TYPE_64 && n + 1 < NR_BARS) {
		bar->address |= (u64)pci_read(dev, offset + 4, 4) << 32;
		mask |= (u64)sticky_bits(dev, offset + 4) << 32;
	}
	pci_write(dev, PCI_COMMAND, 2, command);

	if (!mask)
		return -ENODEV;
	bar->size = mask & -mask; /* the lowest bit that can be set */
	return 0;
}

void *pci_map_bar(const struct pci_device *dev, unsigned n, u64 offset, size_t size)
{
	struct pci_bar bar;
	void *va;
	int err = pci_read_bar(dev, n, &bar);

	if (err)
		return ERR_PTR(err);
	if (bar.io || offset > bar.size || size > bar.size - offset)
		return ERR_PTR(-EINVAL);
	if (!bar.address) /* no firmware has given it a place */
		return ERR_PTR(-ENODEV);
	va = ioremap(bar.address + offset, size);
	return va ? va : ERR_PTR(-ENOMEM);
}

void pci_enable_polled(const struct pci_device *dev)
{
	u32 command = pci_read(dev, PCI_COMMAND, 2);

	pci_write(dev, PCI_COMMAND, 2,
		  command | PCI_COMMAND_MEMORY | PCI_COMMAND_MASTER | PCI_COMMAND_INTX_OFF);
}
