/* SPDX-License-Identifier: MIT */
/*
 * Virtio devices behind memory-mapped registers, version 2 of the interface (Virtual I/O Device
 * 1.1, 4.2). Their view of memory is the processor's: where there are such devices, they are made
 * of software.
 */
#include <hotregs/board.h>
#include <hotregs/device.h>
#include <hotregs/mm.h>
#include <hotregs/printk.h>
#include <hotregs/virtio.h>

#include <arch/io.h>

/* Registers (4.2.2). */
#define MMIO_MAGIC               0x000
#define MAGIC                    0x74726976 /* "virt" */
#define MMIO_VERSION             0x004
#define VERSION                  2
#define MMIO_DEVICE_ID           0x008 /* 0: a place without a device */
#define MMIO_DEVICE_FEATURES     0x010
#define MMIO_DEVICE_FEATURES_SEL 0x014
#define MMIO_DRIVER_FEATURES     0x020
#define MMIO_DRIVER_FEATURES_SEL 0x024
#define MMIO_QUEUE_SEL           0x030
#define MMIO_QUEUE_NUM_MAX       0x034
#define MMIO_QUEUE_NUM           0x038
#define MMIO_QUEUE_READY         0x044
#define MMIO_QUEUE_NOTIFY        0x050
#define MMIO_STATUS              0x070
#define MMIO_QUEUE_DESC          0x080 /* lower half, upper half */
#define MMIO_QUEUE_DRIVER        0x090
#define MMIO_QUEUE_DEVICE        0x0a0
#define MMIO_SIZE                0x100

struct virtio_mmio {
	struct virtio_device virtio;
	u8 *regs;
};

static u8 *regs_of(struct virtio_device *dev)
{
	return container_of(dev, struct virtio_mmio, virtio)->regs;
}

static u8 get_status(struct virtio_device *dev)
{
	return mmio_read32(regs_of(dev) + MMIO_STATUS);
}

static void set_status(struct virtio_device *dev, u8 status)
{
	mmio_write32(regs_of(dev) + MMIO_STATUS, status);
}

static u64 get_features(struct virtio_device *dev)
{
	u8 *regs = regs_of(dev);
	u64 features = 0;

	for (unsigned half = 0; half < 2; half++) {
		mmio_write32(regs + MMIO_DEVICE_FEATURES_SEL, half);
		features |= (u64)mmio_read32(regs + MMIO_DEVICE_FEATURES) << 32 * half;
	}
	return features;
}

static void set_features(struct virtio_device *dev, u64 features)
{
	u8 *regs = regs_of(dev);

	for (unsigned half = 0; half < 2; half++) {
		mmio_write32(regs + MMIO_DRIVER_FEATURES_SEL, half);
		mmio_write32(regs + MMIO_DRIVER_FEATURES, features >> 32 * half);
	}
}

static unsigned queue_max(struct virtio_device *dev, u16 index)
{
	mmio_write32(regs_of(dev) + MMIO_QUEUE_SEL, index);
	return mmio_read32(regs_of(dev) + MMIO_QUEUE_NUM_MAX);
}

static void write_address(u8 *reg, phys_addr_t address)
{
	mmio_write32(reg, address);
	mmio_write32(reg + 4, address >> 32);
}

static int queue_enable(struct virtqueue *vq)
{
	u8 *regs = regs_of(vq->dev);

	mmio_write32(regs + MMIO_QUEUE_SEL, vq->index);
	if (mmio_read32(regs + MMIO_QUEUE_READY))
		return -EIO; /* after a reset none is */
	vq->doorbell = regs + MMIO_QUEUE_NOTIFY;
	mmio_write32(regs + MMIO_QUEUE_NUM, vq->size);
	write_address(regs + MMIO_QUEUE_DESC, virt_to_phys(vq->desc));
	write_address(regs + MMIO_QUEUE_DRIVER, virt_to_phys(vq->avail));
	write_address(regs + MMIO_QUEUE_DEVICE, virt_to_phys(vq->used));
	mmio_write32(regs + MMIO_QUEUE_READY, 1);
	return 0;
}

static void notify(struct virtqueue *vq)
{
	mmio_write32(vq->doorbell, vq->index);
}

static const struct virtio_transport mmio_transport = {
    .get_status = get_status,
    .set_status = set_status,
    .get_features = get_features,
    .set_features = set_features,
    .queue_max = queue_max,
    .queue_enable = queue_enable,
    .notify = notify,
};

static void add_device(u8 *regs, phys_addr_t pa)
{
	struct virtio_mmio *dev;
	u32 version = mmio_read32(regs + MMIO_VERSION);

	if (version != VERSION) {
		printk("virtio-mmio: %#llx cannot be used: version %u of the interface, not %u\n",
		       pa, version, VERSION);
		return;
	}
	dev = kzalloc(sizeof(*dev));
	if (!dev) {
		printk("virtio-mmio: out of memory\n");
		return;
	}
	dev->regs = regs;
	dev->virtio.transport = &mmio_transport;
	dev->virtio.type = mmio_read32(regs + MMIO_DEVICE_ID);
	snprintf(dev->virtio.name, sizeof(dev->virtio.name), "MMIO %#llx", pa);
	virtio_add(&dev->virtio);
}

/* Boards have many places and few devices, several places to a page. */
static void virtio_mmio_start(void)
{
	struct board_device dev = {0};
	phys_addr_t mapped = UINT64_MAX;
	u8 *page = NULL;

	while (board_next_device(&dev, "virtio,mmio")) {
		phys_addr_t pa = dev.reg[0].start, offset = pa & ~PAGE_MASK;

		if (dev.reg[0].size < MMIO_SIZE || offset > PAGE_SIZE - MMIO_SIZE)
			continue;
		if (pa - offset != mapped) {
			page = ioremap(pa - offset, PAGE_SIZE);
			if (!page)
				panic("no memory to map virtio devices");
			mapped = pa - offset;
		}
		if (mmio_read32(page + offset + MMIO_MAGIC) == MAGIC &&
		    mmio_read32(page + offset + MMIO_DEVICE_ID))
			add_device(page + offset, pa);
	}
}
INITCALL(4, virtio_mmio_start);
