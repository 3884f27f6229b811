/* SPDX-License-Identifier: MIT */
/*
 * drivers/bus/pci.c over a model of configuration space: functions with read-only identities, base
 * address registers of which only the upper bits can be set, and lists of capabilities.
 */
#include <string.h>

#include "host.h"
#include <hotregs/mm.h>
#include <hotregs/pci.h>

struct function {
	u8 bus, slot, function;
	u8 config[256];
	u32 bar_mask[6]; /* the bits that can be set */
	bool decoded_while_sizing;
};

static struct function functions[8];
static size_t nr_functions;
static phys_addr_t mapped;

static struct function *find(const struct pci_device *dev)
{
	for (size_t i = 0; i < nr_functions; i++)
		if (functions[i].bus == dev->bus && functions[i].slot == dev->slot &&
		    functions[i].function == dev->function)
			return &functions[i];
	return NULL;
}

static u32 model_read(const struct pci_device *dev, unsigned offset, unsigned size)
{
	const struct function *f = find(dev);
	u32 value = 0;

	assert_int_equal(offset % size, 0);
	assert_in_range(offset + size, 1, 256);
	if (!f)
		return 0xffffffffU >> (32 - 8 * size);
	memcpy(&value, f->config + offset, size);
	return value;
}

static void model_write(const struct pci_device *dev, unsigned offset, unsigned size, u32 value)
{
	struct function *f = find(dev);
	u32 old;

	assert_non_null(f);
	if (offset == PCI_COMMAND) {
		assert_int_equal(size, 2); /* a wider one would clear the status */
	} else {
		unsigned n = (offset - PCI_BAR0) / 4;

		assert_int_equal(size, 4);
		assert_in_range(n, 0, 5);
		if (value == 0xffffffffU && f->config[PCI_COMMAND] & 3)
			f->decoded_while_sizing = true;
		memcpy(&old, f->config + offset, 4);
		value = (value & f->bar_mask[n]) | (old & ~f->bar_mask[n]);
	}
	memcpy(f->config + offset, &value, size);
}

static const struct pci_access access = {model_read, model_write};

void *ioremap(phys_addr_t pa, size_t size)
{
	mapped = pa;
	return (void *)(uintptr_t)0x1000;
}

static void set(struct function *f, unsigned offset, u32 value, unsigned size)
{
	memcpy(f->config + offset, &value, size);
}

static struct function *add(u8 bus, u8 slot, u8 function, u16 vendor, u16 device, u8 header)
{
	struct function *f = &functions[nr_functions++];

	*f = (struct function){.bus = bus, .slot = slot, .function = function};
	set(f, PCI_VENDOR_ID, vendor, 2);
	set(f, PCI_DEVICE_ID, device, 2);
	set(f, PCI_HEADER_TYPE, header, 1);
	return f;
}

static void set_bar(struct function *f, unsigned n, u32 value, u32 mask)
{
	set(f, PCI_BAR0 + 4 * n, value, 4);
	f->bar_mask[n] = mask;
}

/*
 * Two slots, one of several functions with a gap, and a bridge whose bus holds a device; another
 * bridge that is not configured, and one that points back.
 */
static int setup(void **state)
{
	struct function *f;

	add(0, 0, 0, 0x8086, 0x1237, 0);
	f = add(0, 4, 0, 0x1af4, 0x1003, 0x80);
	set(f, PCI_SUBSYSTEM_ID, 3, 2);
	set(f, PCI_COMMAND, PCI_COMMAND_IO | PCI_COMMAND_MEMORY, 2);
	set_bar(f, 0, 0xc041, 0xffffffc0);     /* 64 ports */
	set_bar(f, 1, 0xfebf1000, 0xfffff000); /* 4 KiB */
	set_bar(f, 2, 0, 0);                   /* none */
	set_bar(f, 4, 0xfe00000c, 0xffffc000); /* 64-bit, 16 KiB, above 4 GiB */
	set_bar(f, 5, 0x12, 0xffffffff);
	set(f, PCI_STATUS, PCI_STATUS_CAPS, 2);
	set(f, PCI_CAPABILITIES, 0x40, 1);
	set(f, 0x40, PCI_CAP_VENDOR | 0x5200, 2);
	set(f, 0x50, 0x11 | 0x6000, 2);
	set(f, 0x60, PCI_CAP_VENDOR | 0x0000, 2);
	add(0, 4, 3, 0x8086, 0x0003, 0);
	f = add(0, 5, 0, 0x8086, 0x0b51, 1);
	set(f, PCI_SECONDARY_BUS, 2, 1);
	f = add(0, 6, 0, 0x8086, 0x0b61, 1); /* secondary bus 0 */
	f = add(2, 31, 0, 0x10ec, 0x8139, 1);
	set(f, PCI_SECONDARY_BUS, 2, 1); /* itself */
	set(f, PCI_STATUS, PCI_STATUS_CAPS, 2);
	set(f, PCI_CAPABILITIES, 0x40, 1);
	set(f, 0x40, 0x4001, 2);         /* a circle */
	add(0, 7, 1, 0x8086, 0xdead, 0); /* function 1 of a slot without function 0 */
	return 0;
}

static const struct pci_device *device(u8 bus, u8 slot)
{
	for (const struct pci_device *dev = pci_next(NULL); dev; dev = pci_next(dev))
		if (dev->bus == bus && dev->slot == slot)
			return dev;
	return NULL;
}

static void scan_finds_all_in_order(void **state)
{
	static const u16 want[] = {0x1237, 0x1003, 0x0003, 0x0b51, 0x0b61, 0x8139};
	size_t n = 0;

	assert_int_equal(pci_scan(&access), 0);
	for (const struct pci_device *dev = pci_next(NULL); dev; dev = pci_next(dev)) {
		assert_in_range(n, 0, ARRAY_SIZE(want) - 1);
		assert_int_equal(dev->device, want[n++]);
	}
	assert_int_equal(n, ARRAY_SIZE(want));
	assert_int_equal(device(0, 4)->subsystem, 3);
	assert_int_equal(device(0, 4)->vendor, 0x1af4);
}

static void bars_are_read_and_left_as_they_were(void **state)
{
	const struct pci_device *dev = device(0, 4);
	struct function *f = find(dev);
	struct function before;
	struct pci_bar bar;

	set(f, PCI_BAR0 + 20, 0x12, 4);
	before = *f;
	assert_int_equal(pci_read_bar(dev, 0, &bar), 0);
	assert_true(bar.io);
	assert_int_equal(bar.address, 0xc040);
	assert_int_equal(bar.size, 64);
	assert_int_equal(pci_read_bar(dev, 1, &bar), 0);
	assert_false(bar.io);
	assert_int_equal(bar.address, 0xfebf1000);
	assert_int_equal(bar.size, 4096);
	assert_int_equal(pci_read_bar(dev, 2, &bar), -ENODEV);
	assert_int_equal(pci_read_bar(dev, 4, &bar), 0);
	assert_int_equal(bar.address, 0x12fe000000);
	assert_int_equal(bar.size, 16384);
	assert_int_equal(pci_read_bar(dev, 5, &bar), -EINVAL); /* upper half of 4 */
	assert_int_equal(pci_read_bar(dev, 6, &bar), -EINVAL);
	assert_int_equal(pci_read_bar(device(0, 5), 0, &bar), -EINVAL); /* a bridge */
	assert_memory_equal(f, &before, sizeof(before)); /* decoded_while_sizing too */
}

static void large_bar_is_sized_in_64_bits(void **state)
{
	const struct pci_device *dev = device(0, 0);
	struct function *f = find(dev);
	struct pci_bar bar;

	set_bar(f, 0, 0x4, 0);
	set_bar(f, 1, 0x8, 0xfffffffc); /* 16 GiB at 32 GiB */
	assert_int_equal(pci_read_bar(dev, 0, &bar), 0);
	assert_int_equal(bar.address, 0x800000000);
	assert_int_equal(bar.size, 0x400000000);
}

static void mapping_stays_inside(void **state)
{
	const struct pci_device *dev = device(0, 4);

	assert_false(IS_ERR(pci_map_bar(dev, 1, 0x800, 0x800)));
	assert_int_equal(mapped, 0xfebf1800);
	assert_int_equal(PTR_ERR(pci_map_bar(dev, 1, 0x800, 0x801)), -EINVAL);
	assert_int_equal(PTR_ERR(pci_map_bar(dev, 1, -1ULL, 2)), -EINVAL);
	assert_int_equal(PTR_ERR(pci_map_bar(dev, 0, 0, 4)), -EINVAL); /* ports */
	assert_int_equal(PTR_ERR(pci_map_bar(dev, 2, 0, 4)), -ENODEV);
	set(find(dev), PCI_BAR0 + 4, 0, 4); /* firmware gave it no place */
	assert_int_equal(PTR_ERR(pci_map_bar(dev, 1, 0, 4)), -ENODEV);
}

static void capabilities_are_walked(void **state)
{
	const struct pci_device *dev = device(0, 4);

	assert_int_equal(pci_find_capability(dev, PCI_CAP_VENDOR, 0), 0x40);
	assert_int_equal(pci_find_capability(dev, PCI_CAP_VENDOR, 0x40), 0x60);
	assert_int_equal(pci_find_capability(dev, PCI_CAP_VENDOR, 0x60), 0);
	assert_int_equal(pci_find_capability(dev, 0x11, 0), 0x50);
	assert_int_equal(pci_find_capability(dev, 0x05, 0), 0);
	assert_int_equal(pci_find_capability(device(0, 0), PCI_CAP_VENDOR, 0), 0);
	assert_int_equal(pci_find_capability(device(2, 31), PCI_CAP_VENDOR, 0), 0);
}

static void enabling_touches_the_command_only(void **state)
{
	const struct pci_device *dev = device(0, 4);
	struct function want = *find(dev);

	set(&want, PCI_COMMAND, 0x407, 2);
	pci_enable_polled(dev);
	assert_memory_equal(find(dev), &want, sizeof(want));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(scan_finds_all_in_order),
	    cmocka_unit_test(bars_are_read_and_left_as_they_were),
	    cmocka_unit_test(large_bar_is_sized_in_64_bits),
	    cmocka_unit_test(mapping_stays_inside),
	    cmocka_unit_test(capabilities_are_walked),
	    cmocka_unit_test(enabling_touches_the_command_only),
	};

	return cmocka_run_group_tests_name("pci", tests, setup, NULL);
}
