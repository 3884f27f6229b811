/* SPDX-License-Identifier: MIT */
/*
 * drivers/bus/virtio_mmio.c on a model of the register interface (Virtual I/O Device 1.1, 4.2.2 and
 * 4.2.3.1), 512 bytes a place as QEMU has them, with the rings of drivers/bus/virtio_ring.c.
 */
#include "host.h"

#include "../../drivers/bus/virtio_mmio.c"

enum { PLACES = 16, PLACE_SIZE = 0x200 };
#define BASE 0xa000000UL

static struct place {
	u32 magic, version, id;
	u32 status, selected_half, driver_half, queue;
	u64 driver_features;
	u32 size, ready;
	u64 desc, driver, device;
	unsigned notified;
} places[PLACES];
static u8 space[2 * PAGE_SIZE];
static unsigned maps;
static size_t place_size;

static struct place *place_of(const volatile void *p, u32 *reg)
{
	size_t offset = (const u8 *)p - space;

	*reg = offset % PLACE_SIZE;
	return &places[offset / PLACE_SIZE];
}

static void set_half(u64 *value, bool upper, u32 half)
{
	*value =
	    upper ? (*value & UINT32_MAX) | (u64)half << 32 : (*value & ~(u64)UINT32_MAX) | half;
}

u32 mmio_read32(const volatile void *p)
{
	u32 reg;
	struct place *place = place_of(p, &reg);

	switch (reg) {
	case 0x000:
		return place->magic;
	case 0x004:
		return place->version;
	case 0x008:
		return place->id;
	case 0x010:
		return place->selected_half == 0 ? 0x11 : place->selected_half == 1 ? 0x3 : 0;
	case 0x034:
		return place->queue < 2 ? 1024 : 0;
	case 0x044:
		return place->ready;
	case 0x070:
		return place->status;
	default:
		fail_msg("read of %#x", reg);
		return 0;
	}
}

void mmio_write32(volatile void *p, u32 value)
{
	u32 reg;
	struct place *place = place_of(p, &reg);

	switch (reg) {
	case 0x014:
		place->selected_half = value;
		break;
	case 0x020:
		set_half(&place->driver_features, place->driver_half, value);
		break;
	case 0x024:
		place->driver_half = value;
		break;
	case 0x030:
		place->queue = value;
		break;
	case 0x038:
		assert_int_equal(place->queue, 1);
		place->size = value;
		break;
	case 0x044:
		place->ready = value;
		break;
	case 0x050:
		assert_int_equal(value, 1);
		place->notified++;
		break;
	case 0x070:
		place->status = value;
		if (!value)
			place->ready = 0;
		break;
	case 0x080:
	case 0x084:
		set_half(&place->desc, reg & 4, value);
		break;
	case 0x090:
	case 0x094:
		set_half(&place->driver, reg & 4, value);
		break;
	case 0x0a0:
	case 0x0a4:
		set_half(&place->device, reg & 4, value);
		break;
	default:
		fail_msg("write of %#x", reg);
	}
}

void *ioremap(phys_addr_t pa, size_t size)
{
	assert_int_equal(pa % PAGE_SIZE, 0);
	assert_int_equal(size, PAGE_SIZE);
	maps++;
	return space + (pa - BASE);
}

/* As QEMU's tree has them: all places, occupied or not. */
bool board_next_device(struct board_device *dev, const char *compatible)
{
	assert_string_equal(compatible, "virtio,mmio");
	if (dev->next == PLACES)
		return false;
	dev->reg[0] = (struct boot_region){BASE + PLACE_SIZE * dev->next, place_size};
	dev->next++;
	return true;
}

static int setup(void **state)
{
	for (unsigned i = 0; i < PLACES; i++)
		places[i] = (struct place){.magic = 0x74726976, .version = 2};
	place_size = PLACE_SIZE;
	maps = 0;
	return 0;
}

static void occupied_places_become_devices(void **state)
{
	struct virtio_device *dev;
	struct virtqueue vq;

	places[3].id = VIRTIO_ID_CONSOLE;
	places[9].id = 2;
	virtio_mmio_start();
	assert_int_equal(maps, 2); /* a page for each eight of them */
	dev = virtio_take(VIRTIO_ID_CONSOLE);
	assert_non_null(dev);
	assert_string_equal(dev->name, "MMIO 0xa000600");
	assert_null(virtio_take(VIRTIO_ID_CONSOLE));

	assert_int_equal(virtio_negotiate(dev), 0);
	assert_int_equal(places[3].driver_features, 1ULL << 32);
	assert_int_equal(virtqueue_create(&vq, dev, 1), 0);
	virtio_start(dev);
	assert_int_equal(places[3].status, 0xf);
	assert_int_equal(places[3].ready, 1);
	assert_int_equal(places[3].size, vq.size);
	assert_int_equal(places[3].desc, (uintptr_t)vq.desc);
	assert_int_equal(places[3].driver, (uintptr_t)vq.avail);
	assert_int_equal(places[3].device, (uintptr_t)vq.used);
	virtqueue_kick(&vq);
	assert_int_equal(places[3].notified, 1);
	virtqueue_destroy(&vq);
	assert_int_equal(virtqueue_create(&vq, dev, 2), -ENODEV); /* it has two */
	assert_int_equal(places[9].status, 0);
	kfree(container_of(dev, struct virtio_mmio, virtio));
	kfree(container_of(virtio_take(2), struct virtio_mmio, virtio));
}

static void queue_in_use_is_refused(void **state)
{
	struct virtio_device *dev;
	struct virtqueue vq;

	places[0].id = VIRTIO_ID_CONSOLE;
	virtio_mmio_start();
	dev = virtio_take(VIRTIO_ID_CONSOLE);
	places[0].ready = 1;
	assert_int_equal(virtqueue_create(&vq, dev, 1), -EIO);
	kfree(container_of(dev, struct virtio_mmio, virtio));
	assert_int_equal(host_allocations, 0);
}

static void places_that_are_none_are_left_alone(void **state)
{
	for (int kind = 0; kind < 4; kind++) {
		setup(NULL);
		places[5].id = VIRTIO_ID_CONSOLE;
		if (kind == 0)
			places[5].version = 1; /* the legacy interface */
		else if (kind == 1)
			places[5].magic = 0x12345678;
		else if (kind == 2)
			place_size = 0x80; /* no room for the registers */
		else
			host_fail_alloc = 1;
		virtio_mmio_start();
		assert_null(virtio_take(VIRTIO_ID_CONSOLE));
		assert_int_equal(places[5].status, 0);
	}
	assert_int_equal(host_allocations, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(occupied_places_become_devices, setup),
	    cmocka_unit_test_setup(queue_in_use_is_refused, setup),
	    cmocka_unit_test_setup(places_that_are_none_are_left_alone, setup),
	};

	return cmocka_run_group_tests_name("virtio_mmio", tests, NULL, NULL);
}
