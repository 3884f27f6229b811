/* SPDX-License-Identifier: MIT */
/* Virtio devices on PCI, by the modern capabilities (Virtual I/O Device 1.1, 4.1). */
#include <hotregs/device.h>
#include <hotregs/mm.h>
#include <hotregs/pci.h>
#include <hotregs/printk.h>
#include <hotregs/virtio.h>

#include <arch/io.h>

#define VENDOR_VIRTIO       0x1af4
#define DEVICE_TRANSITIONAL 0x1000 /* to 0x103f: the subsystem id is the type */
#define DEVICE_MODERN       0x1040 /* to 0x107f: plus the type */
#define DEVICE_END          0x1080

/* struct virtio_pci_cap (4.1.4) */
#define CAP_TYPE        3
#define CAP_TYPE_COMMON 1
#define CAP_TYPE_NOTIFY 2
#define CAP_BAR         4
#define CAP_OFFSET      8
#define CAP_SIZE        12
#define CAP_MULTIPLIER  16 /* notify only */

/* struct virtio_pci_common_cfg (4.1.4.3) */
#define COMMON_DEVICE_FEATURE_SELECT 0x00
#define COMMON_DEVICE_FEATURE        0x04
#define COMMON_DRIVER_FEATURE_SELECT 0x08
#define COMMON_DRIVER_FEATURE        0x0c
#define COMMON_STATUS                0x14
#define COMMON_QUEUE_SELECT          0x16
#define COMMON_QUEUE_SIZE            0x18
#define COMMON_QUEUE_ENABLE          0x1c
#define COMMON_QUEUE_NOTIFY_OFFSET   0x1e
#define COMMON_QUEUE_DESC            0x20
#define COMMON_QUEUE_DRIVER          0x28
#define COMMON_QUEUE_DEVICE          0x30
#define COMMON_BYTES                 0x38

struct virtio_pci {
	struct virtio_device virtio;
	u8 *common;
	u8 *notify;
	size_t notify_size;
	u32 notify_multiplier;
};

static struct virtio_pci *to_pci(struct virtio_device *dev)
{
	return container_of(dev, struct virtio_pci, virtio);
}

static u8 get_status(struct virtio_device *dev)
{
	return mmio_read8(to_pci(dev)->common + COMMON_STATUS);
}

static void set_status(struct virtio_device *dev, u8 status)
{
	mmio_write8(to_pci(dev)->common + COMMON_STATUS, status);
}

static u64 get_features(struct virtio_device *dev)
{
	u8 *common = to_pci(dev)->common;
	u64 features = 0;

	for (unsigned half = 0; half < 2; half++) {
		mmio_write32(common + COMMON_DEVICE_FEATURE_SELECT, half);
		features |= (u64)mmio_read32(common + COMMON_DEVICE_FEATURE) << 32 * half;
	}
	return features;
}

static void set_features(struct virtio_device *dev, u64 features)
{
	u8 *common = to_pci(dev)->common;

	for (unsigned half = 0; half < 2; half++) {
		mmio_write32(common + COMMON_DRIVER_FEATURE_SELECT, half);
		mmio_write32(common + COMMON_DRIVER_FEATURE, features >> 32 * half);
	}
}

static unsigned queue_max(struct virtio_device *dev, u16 index)
{
	u8 *common = to_pci(dev)->common;

	mmio_write16(common + COMMON_QUEUE_SELECT, index);
	return mmio_read16(common + COMMON_QUEUE_SIZE);
}

/* 64-bit registers are written as two halves (4.1.3.1). */
static void write_address(u8 *reg, phys_addr_t address)
{
	mmio_write32(reg, address);
	mmio_write32(reg + 4, address >> 32);
}

static int queue_enable(struct virtqueue *vq)
{
	struct virtio_pci *pci = to_pci(vq->dev);
	u8 *common = pci->common;
	size_t doorbell;

	mmio_write16(common + COMMON_QUEUE_SELECT, vq->index);
	/* Each queue may have a register of its own to be notified by (4.1.4.4). */
	doorbell =
	    (size_t)mmio_read16(common + COMMON_QUEUE_NOTIFY_OFFSET) * pci->notify_multiplier;
	if (doorbell + sizeof(u16) > pci->notify_size)
		return -EIO;
	vq->doorbell = pci->notify + doorbell;

	mmio_write16(common + COMMON_QUEUE_SIZE, vq->size);
	write_address(common + COMMON_QUEUE_DESC, virt_to_phys(vq->desc));
	write_address(common + COMMON_QUEUE_DRIVER, virt_to_phys(vq->avail));
	write_address(common + COMMON_QUEUE_DEVICE, virt_to_phys(vq->used));
	mmio_write16(common + COMMON_QUEUE_ENABLE, 1);
	return 0;
}

static void notify(struct virtqueue *vq)
{
	mmio_write16(vq->doorbell, vq->index);
}

static const struct virtio_transport pci_transport = {
    .get_status = get_status,
    .set_status = set_status,
    .get_features = get_features,
    .set_features = set_features,
    .queue_max = queue_max,
    .queue_enable = queue_enable,
    .notify = notify,
};

/*
 * Maps the first structure of kind @type that can be mapped; returns its capability's offset, 0
 * when there is none of at least @min bytes.
 */
static unsigned map_structure(const struct pci_device *pci, u8 type, size_t min, u8 **va,
			      size_t *size)
{
	unsigned cap = 0;

	while ((cap = pci_find_capability(pci, PCI_CAP_VENDOR, cap))) {
		if (pci_read(pci, cap + CAP_TYPE, 1) != type)
			continue;
		*size = pci_read(pci, cap + CAP_SIZE, 4);
		if (*size < min)
			continue;
		*va = pci_map_bar(pci, pci_read(pci, cap + CAP_BAR, 1),
				  pci_read(pci, cap + CAP_OFFSET, 4), *size);
		if (!IS_ERR(*va))
			return cap;
	}
	return 0;
}

/* The VIRTIO_ID_* of a function; 0: it is not a virtio device. */
static u16 virtio_type(const struct pci_device *pci)
{
	if (pci->vendor != VENDOR_VIRTIO || pci->device < DEVICE_TRANSITIONAL ||
	    pci->device >= DEVICE_END)
		return 0;
	return pci->device < DEVICE_MODERN ? pci->subsystem : pci->device - DEVICE_MODERN;
}

static void add_function(const struct pci_device *pci)
{
	struct virtio_pci *dev = kzalloc(sizeof(*dev));
	size_t common_size;
	unsigned cap;

	if (!dev) {
		printk("virtio-pci: out of memory\n");
		return;
	}
	dev->virtio.transport = &pci_transport;
	dev->virtio.type = virtio_type(pci);
	snprintf(dev->virtio.name, sizeof(dev->virtio.name), "PCI %02x:%02x.%x", pci->bus,
		 pci->slot, pci->function);
	cap = map_structure(pci, CAP_TYPE_COMMON, COMMON_BYTES, &dev->common, &common_size);
	if (cap)
		cap = map_structure(pci, CAP_TYPE_NOTIFY, sizeof(u16), &dev->notify,
				    &dev->notify_size);
	if (!cap) {
		printk("virtio-pci: %s cannot be used: no modern interface\n", dev->virtio.name);
		kfree(dev);
		return;
	}
	dev->notify_multiplier = pci_read(pci, cap + CAP_MULTIPLIER, 4);
	pci_enable_polled(pci);
	virtio_add(&dev->virtio);
}

static void virtio_pci_start(void)
{
	for (const struct pci_device *pci = pci_next(NULL); pci; pci = pci_next(pci))
		if (virtio_type(pci))
			add_function(pci);
}
INITCALL(4, virtio_pci_start);
