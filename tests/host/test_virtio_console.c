/* SPDX-License-Identifier: MIT */
/*
 * drivers/export/virtio_console.c over the real virtqueue and a device that reads "physical"
 * memory: the pages of the kernel's, shuffled.
 */
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include <hotregs/device.h>
#include <hotregs/mm.h>
#include <hotregs/virtio.h>

#define NR_PAGES 100

static u8 *kernel_pages, *physical_pages;
static unsigned place[NR_PAGES]; /* of each kernel page in physical memory */

static struct virtio_device dev;
static u8 status;
static struct virtqueue *queue;
static u8 received[2 * NR_PAGES * PAGE_SIZE];
static size_t received_size;
static unsigned nr_pieces, nr_notified;
static u16 seen;
static unsigned yields_before_use; /* how slow the device is */
static unsigned nr_yields, kill_at_yield;
static const struct export_channel *channel;

struct mmu kernel_mmu;

bool mmu_lookup(const struct mmu *mmu, unsigned long va, phys_addr_t *pa, unsigned *prot)
{
	size_t offset = va - (unsigned long)kernel_pages;

	assert_ptr_equal(mmu, &kernel_mmu);
	if (offset >= NR_PAGES * PAGE_SIZE)
		return false;
	*pa = (unsigned long)physical_pages + place[offset / PAGE_SIZE] * PAGE_SIZE +
	      offset % PAGE_SIZE;
	*prot = MMU_READ;
	return true;
}

void export_register(const struct export_channel *c)
{
	channel = c;
}

static void device_use(void)
{
	struct virtq_desc *desc;
	u16 id;

	if (seen == queue->avail->idx || !status)
		return;
	id = queue->avail->ring[seen++ % queue->size];
	desc = &queue->desc[id];
	for (;; desc = &queue->desc[desc->next]) {
		assert_in_range(received_size + desc->size, 0, sizeof(received));
		memcpy(received + received_size, (void *)(uintptr_t)desc->address, desc->size);
		received_size += desc->size;
		nr_pieces++;
		if (!(desc->flags & 1))
			break;
	}
	queue->used->ring[queue->used->idx % queue->size].id = id;
	queue->used->idx++;
}

void yield(void)
{
	nr_yields++;
	assert_in_range(nr_yields, 0, 1000);
	if (nr_yields == yields_before_use)
		device_use();
	if (nr_yields == kill_at_yield)
		current->work = TASK_WORK_EXIT;
}

static u8 get_status(struct virtio_device *d)
{
	return status;
}

static void set_status(struct virtio_device *d, u8 s)
{
	status = s;
}

static u64 get_features(struct virtio_device *d)
{
	return 1ULL << 32;
}

static void set_features(struct virtio_device *d, u64 features)
{
}

static unsigned queue_max(struct virtio_device *d, u16 index)
{
	return 64;
}

static int queue_enable(struct virtqueue *vq)
{
	assert_int_equal(vq->index, 1);
	queue = vq;
	return 0;
}

static void notify(struct virtqueue *vq)
{
	nr_notified++;
	if (!yields_before_use)
		device_use();
}

static const struct virtio_transport transport = {
    .get_status = get_status,
    .set_status = set_status,
    .get_features = get_features,
    .set_features = set_features,
    .queue_max = queue_max,
    .queue_enable = queue_enable,
    .notify = notify,
};

static const initcall_t *start; /* the driver's initcall */
#include "../../drivers/export/virtio_console.c"

static int setup(void **state)
{
	kernel_pages = page_alloc(7);
	physical_pages = page_alloc(7);
	for (unsigned i = 0; i < NR_PAGES; i++)
		place[i] = i;
	dev.transport = &transport;
	dev.type = VIRTIO_ID_CONSOLE;
	start = &initcall_virtio_console_start;
	return 0;
}

static int teardown(void **state)
{
	page_free(kernel_pages, 7);
	page_free(physical_pages, 7);
	return 0;
}

static int reset(void **state)
{
	received_size = nr_pieces = nr_notified = nr_yields = 0;
	yields_before_use = kill_at_yield = 0;
	return 0;
}

static void fill(void)
{
	for (size_t i = 0; i < NR_PAGES * PAGE_SIZE; i++)
		kernel_pages[i] = rand();
	for (unsigned i = 0; i < NR_PAGES; i++)
		memcpy(physical_pages + place[i] * PAGE_SIZE, kernel_pages + i * PAGE_SIZE,
		       PAGE_SIZE);
}

static void shuffle(void)
{
	for (unsigned i = NR_PAGES - 1; i; i--) {
		unsigned j = rand() % (i + 1), p = place[i];

		place[i] = place[j];
		place[j] = p;
	}
}

/* The order of the tests is that of one boot. */
static void nothing_without_device(void **state)
{
	(*start)();
	assert_null(channel);
	virtio_add(&dev);
	(*start)();
	assert_non_null(channel);
	assert_int_equal(status, 1 | 2 | 4 | 8);
}

static void contiguous_memory_is_one_piece(void **state)
{
	fill();
	assert_int_equal(channel->write(kernel_pages + 5, 65536), 0);
	assert_int_equal(received_size, 65536);
	assert_memory_equal(received, kernel_pages + 5, 65536);
	assert_int_equal(nr_pieces, 1);
	assert_int_equal(nr_notified, 1);
	assert_int_equal(nr_yields, 0);
}

static void scattered_memory_arrives_in_order(void **state)
{
	static const struct {
		size_t start, size;
	} ranges[] = {{0, NR_PAGES * PAGE_SIZE}, {0, 1},        {4095, 2}, {4095, 1},
		      {17, 40 * 4096},           {8191, 300000}};

	shuffle();
	fill();
	for (size_t i = 0; i < ARRAY_SIZE(ranges); i++) {
		received_size = 0;
		assert_int_equal(channel->write(kernel_pages + ranges[i].start, ranges[i].size), 0);
		assert_int_equal(received_size, ranges[i].size);
		assert_memory_equal(received, kernel_pages + ranges[i].start, ranges[i].size);
	}
}

static void slow_device_is_waited_for(void **state)
{
	yields_before_use = 100;
	assert_int_equal(channel->write(kernel_pages, 10), 0);
	assert_int_equal(nr_yields, 100);
	assert_memory_equal(received, kernel_pages, 10);
}

static void killed_caller_leaves_no_device_reading(void **state)
{
	yields_before_use = 1000;
	kill_at_yield = 5;
	assert_int_equal(channel->write(kernel_pages, 10), -EIO);
	assert_int_equal(status, 0); /* reset */
	current->work = 0;
	assert_int_equal(channel->write(kernel_pages, 10), -EIO);
	assert_int_equal(nr_notified, 1);
	assert_int_equal(received_size, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(nothing_without_device, reset),
	    cmocka_unit_test_setup(contiguous_memory_is_one_piece, reset),
	    cmocka_unit_test_setup(scattered_memory_arrives_in_order, reset),
	    cmocka_unit_test_setup(slow_device_is_waited_for, reset),
	    cmocka_unit_test_setup(killed_caller_leaves_no_device_reading, reset),
	};

	return cmocka_run_group_tests_name("virtio_console", tests, setup, teardown);
}
