/* SPDX-License-Identifier: MIT */
/* PCI functions found at boot: their configuration space, base addresses and capabilities. */
#pragma once

#include <hotregs/types.h>

/* One function of one device. Never freed. */
struct pci_device {
	struct pci_device *next;
	u8 bus, slot, function;
	u16 vendor, device, subsystem;
};

/* How a host bridge is asked. @size is 1, 2 or 4, @offset a multiple of it. Any context. */
struct pci_access {
	u32 (*read)(const struct pci_device *dev, unsigned offset, unsigned size);
	void (*write)(const struct pci_device *dev, unsigned offset, unsigned size, u32 value);
};

/*
 * Finds every function on bus 0 and behind the bridges that firmware has configured; called once by
 * the host bridge's driver, which gives @access for good. 0, -ENOMEM. Boot only.
 */
int pci_scan(const struct pci_access *access);

/* The function found after @after (NULL: the first); NULL at the end. Any context. */
const struct pci_device *pci_next(const struct pci_device *after);

/* Registers of the configuration space (PCI Local Bus 3.0, 6.1). */
#define PCI_VENDOR_ID        0x00
#define PCI_DEVICE_ID        0x02
#define PCI_COMMAND          0x04
#define PCI_COMMAND_IO       BIT(0)
#define PCI_COMMAND_MEMORY   BIT(1)
#define PCI_COMMAND_MASTER   BIT(2)
#define PCI_COMMAND_INTX_OFF BIT(10)
#define PCI_STATUS           0x06
#define PCI_STATUS_CAPS      BIT(4)
#define PCI_HEADER_TYPE      0x0e
#define PCI_HEADER_MULTI     BIT(7)
#define PCI_BAR0             0x10
#define PCI_SECONDARY_BUS    0x19 /* bridges */
#define PCI_SUBSYSTEM_ID     0x2e
#define PCI_CAPABILITIES     0x34
#define PCI_CAP_VENDOR       0x09

u32 pci_read(const struct pci_device *dev, unsigned offset, unsigned size);
void pci_write(const struct pci_device *dev, unsigned offset, unsigned size, u32 value);

/* Offset of the first capability @id behind the one at @after (0: from the start); 0: none. */
unsigned pci_find_capability(const struct pci_device *dev, u8 id, unsigned after);

/* A base address register's meaning. */
struct pci_bar {
	u64 address; /* physical, or an I/O port */
	u64 size;    /* bytes */
	bool io;
};

/*
 * Reads and sizes base address register @n, 0..5, of an ordinary function. -EINVAL: no such
 * register or the upper half of one; -ENODEV: not implemented. The function does not decode
 * meanwhile, so nothing may use it yet.
 */
int pci_read_bar(const struct pci_device *dev, unsigned n, struct pci_bar *bar);

/* Maps @size bytes at @offset of memory register @n; ERR_PTR(-EINVAL, -ENODEV, -ENOMEM). */
void *pci_map_bar(const struct pci_device *dev, unsigned n, u64 offset, size_t size);

/* Lets the function decode memory and write to it, and keeps it from raising INTx interrupts. */
void pci_enable_polled(const struct pci_device *dev);
