/* SPDX-License-Identifier: MIT */
/*
 * drivers/bus/virtio_ring.c against a device written from the specification's device side (Virtual
 * I/O Device 1.1, 2.6): it walks the chains in the memory it was given, in its own order.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include <hotregs/mm.h>
#include <hotregs/virtio.h>

#define VERSION_1 (1ULL << 32)

/* The device: registers, and what it was told of its queue. */
static struct {
	struct virtio_device dev; /* first */
	u8 status;
	u8 statuses[8]; /* in order of writing */
	unsigned nr_statuses;
	u64 offered, accepted;
	bool refuses_features;
	unsigned max;
	int enable_error;
	u16 size;
	const u8 *desc, *avail;
	u8 *used;
	u16 seen; /* of the available ring */
	unsigned notified;
} model;

static u8 get_status(struct virtio_device *dev)
{
	return model.status;
}

static void set_status(struct virtio_device *dev, u8 status)
{
	model.statuses[model.nr_statuses++ % 8] = status;
	model.status = model.refuses_features ? status & ~8 : status;
}

static u64 get_features(struct virtio_device *dev)
{
	return model.offered;
}

static void set_features(struct virtio_device *dev, u64 features)
{
	model.accepted = features;
}

static unsigned queue_max(struct virtio_device *dev, u16 index)
{
	return index == 1 ? model.max : 0;
}

static int queue_enable(struct virtqueue *vq)
{
	model.size = vq->size;
	model.desc = (u8 *)vq->desc;
	model.avail = (u8 *)vq->avail;
	model.used = (u8 *)vq->used;
	return model.enable_error;
}

static void notify(struct virtqueue *vq)
{
	assert_int_equal(vq->index, 1);
	model.notified++;
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

/* Little-endian fields at the offsets the specification gives. */
static u64 field(const u8 *p, unsigned bytes)
{
	u64 value = 0;

	memcpy(&value, p, bytes);
	return value;
}

static u16 avail_idx(void)
{
	return field(model.avail + 2, 2);
}

/* The next available buffer's id; fails when there is none. */
static u16 device_fetch(void)
{
	assert_int_not_equal(model.seen, avail_idx());
	return field(model.avail + 4 + 2 * (model.seen++ % model.size), 2);
}

/* Copies out what the device may read of buffer @id, and fills what it may write with '!'. */
static size_t device_read(u16 id, char *out, u32 *written)
{
	size_t n = 0;

	*written = 0;
	for (unsigned at = id, flags = 1, pieces = 0; flags & 1; pieces++) {
		const u8 *desc = model.desc + 16 * at;
		void *data = (void *)(uintptr_t)field(desc, 8);
		u32 size = field(desc + 8, 4);

		assert_in_range(at, 0, model.size - 1);
		assert_in_range(pieces, 0, model.size - 1);
		flags = field(desc + 12, 2);
		if (flags & 2) {
			memset(data, '!', size);
			*written += size;
		} else {
			assert_int_equal(*written, 0); /* readable pieces come first (2.6.4.2) */
			memcpy(out + n, data, size);
			n += size;
		}
		at = field(desc + 14, 2);
	}
	return n;
}

static void device_use(u32 id, u32 written)
{
	u16 idx = field(model.used + 2, 2);
	u8 *elem = model.used + 4 + 8 * (idx++ % model.size);

	memcpy(elem, &id, 4);
	memcpy(elem + 4, &written, 4);
	memcpy(model.used + 2, &idx, 2);
}

static int setup(void **state)
{
	memset(&model, 0, sizeof(model));
	model.dev.transport = &transport;
	model.offered = VERSION_1 | 0xff;
	model.max = 128;
	return 0;
}

static void create(struct virtqueue *vq)
{
	assert_int_equal(virtio_negotiate(&model.dev), 0);
	assert_int_equal(virtqueue_create(vq, &model.dev, 1), 0);
	virtio_start(&model.dev);
}

static int add_string(struct virtqueue *vq, const char *s)
{
	struct virtio_piece piece = {(uintptr_t)s, strlen(s)};

	return virtqueue_add(vq, &piece, 1, 1);
}

static void negotiation_follows_the_steps(void **state)
{
	static const u8 steps[] = {0, 1, 1 | 2, 1 | 2 | 8, 1 | 2 | 8 | 4};

	assert_int_equal(virtio_negotiate(&model.dev), 0);
	assert_int_equal(model.accepted, VERSION_1);
	virtio_start(&model.dev);
	assert_int_equal(model.nr_statuses, ARRAY_SIZE(steps));
	assert_memory_equal(model.statuses, steps, sizeof(steps));
}

static void legacy_or_stubborn_device_is_refused(void **state)
{
	model.offered = 0xff;
	assert_int_equal(virtio_negotiate(&model.dev), -ENODEV);
	assert_true(model.status & 128);
	model.offered = VERSION_1;
	model.refuses_features = true;
	assert_int_equal(virtio_negotiate(&model.dev), -EIO);
	assert_true(model.status & 128);
}

static void queue_creation_fails_cleanly(void **state)
{
	struct virtqueue vq;

	assert_int_equal(virtqueue_create(&vq, &model.dev, 0), -ENODEV);
	host_fail_alloc = 1;
	assert_int_equal(virtqueue_create(&vq, &model.dev, 1), -ENOMEM);
	model.enable_error = -EIO;
	assert_int_equal(virtqueue_create(&vq, &model.dev, 1), -EIO);
	assert_int_equal(host_allocations, 0);
}

/* Alignment and extent of the three parts, for every size (2.6). */
static void parts_are_aligned_and_apart(void **state)
{
	for (model.max = 1; model.max <= 1024; model.max++) {
		struct virtqueue vq;
		uintptr_t page;

		assert_int_equal(virtqueue_create(&vq, &model.dev, 1), 0);
		assert_in_range(vq.size, 1, MIN(model.max, 128U));
		assert_int_equal(vq.size & (vq.size - 1), 0);
		assert_true(2U * vq.size > MIN(model.max, 128U));
		page = (uintptr_t)model.desc & PAGE_MASK;
		assert_int_equal((uintptr_t)model.desc % 16, 0);
		assert_int_equal((uintptr_t)model.avail % 2, 0);
		assert_int_equal((uintptr_t)model.used % 4, 0);
		assert_true(model.desc + 16 * vq.size <= model.avail);
		assert_true(model.avail + 6 + 2 * vq.size <= model.used);
		assert_true((uintptr_t)model.used + 6 + 8 * vq.size - 2 <= page + PAGE_SIZE);
		virtqueue_destroy(&vq);
	}
	assert_int_equal(host_allocations, 0);
}

static void device_sees_the_pieces_in_order(void **state)
{
	char text[16], answer[4] = "....";
	struct virtio_piece pieces[] = {
	    {(uintptr_t) "one ", 4}, {(uintptr_t) "two", 3}, {(uintptr_t)answer, 3}};
	struct virtqueue vq;
	u32 written;
	int id;

	create(&vq);
	assert_int_equal(field(model.avail, 2), 1); /* no interrupts wanted */
	id = virtqueue_add(&vq, pieces, 3, 2);
	assert_true(id >= 0);
	assert_int_equal(virtqueue_take_used(&vq, NULL), -EAGAIN);
	assert_int_equal(device_fetch(), id);
	assert_int_equal(device_read(id, text, &written), 7);
	assert_memory_equal(text, "one two", 7);
	assert_memory_equal(answer, "!!!.", 4);
	device_use(id, written);
	assert_int_equal(virtqueue_take_used(&vq, &written), id);
	assert_int_equal(written, 3);
	assert_int_equal(virtqueue_take_used(&vq, NULL), -EAGAIN);
	virtqueue_destroy(&vq);
}

static void full_queue_says_so(void **state)
{
	struct virtio_piece pieces[5] = {{1, 1}, {2, 1}, {3, 1}, {4, 1}, {5, 1}};
	struct virtqueue vq;

	model.max = 4;
	create(&vq);
	assert_int_equal(virtqueue_add(&vq, pieces, 0, 0), -EINVAL);
	assert_int_equal(virtqueue_add(&vq, pieces, 5, 5), -ENOSPC);
	assert_true(virtqueue_add(&vq, pieces, 3, 3) >= 0);
	assert_int_equal(virtqueue_add(&vq, pieces, 2, 2), -ENOSPC);
	assert_true(virtqueue_add(&vq, pieces, 1, 1) >= 0);
	assert_int_equal(virtqueue_add(&vq, pieces, 1, 1), -ENOSPC);
	assert_int_equal(avail_idx(), 2);
	virtqueue_destroy(&vq);
}

static void kick_is_left_out_when_unwanted(void **state)
{
	struct virtqueue vq;
	u16 no_notify = 1;

	create(&vq);
	virtqueue_kick(&vq);
	assert_int_equal(model.notified, 1);
	memcpy(model.used, &no_notify, 2);
	virtqueue_kick(&vq);
	assert_int_equal(model.notified, 1);
	virtqueue_destroy(&vq);
}

/*
 * Buffers of 1 to 4 pieces, completed in any order, until all indexes have wrapped: what the device
 * reads is what was put in, and nothing is lost.
 */
static void random_traffic_arrives(void **state)
{
	static char text[16][64];
	char want[256], got[256];
	struct virtqueue vq;
	u16 outstanding[16];
	size_t expected[16], nr = 0;
	u32 written;

	model.max = 16;
	create(&vq);
	for (unsigned round = 0; round < 200000; round++) {
		unsigned n = 1 + rand() % 4;

		if (rand() % 2) {
			struct virtio_piece pieces[4];
			size_t size = 0;
			int id;

			for (unsigned i = 0; i < n; i++) {
				char *s = text[rand() % 16];

				snprintf(s, sizeof(text[0]), "piece %d", rand());
				pieces[i] = (struct virtio_piece){(uintptr_t)s, strlen(s)};
			}
			for (unsigned i = 0; i < n; i++) {
				memcpy(want + size, (char *)(uintptr_t)pieces[i].address,
				       pieces[i].size);
				size += pieces[i].size;
			}
			id = virtqueue_add(&vq, pieces, n, n);
			if (n > vq.nr_free + (id >= 0 ? n : 0)) {
				assert_int_equal(id, -ENOSPC);
				continue;
			}
			assert_true(id >= 0);
			assert_int_equal(device_fetch(), id);
			assert_int_equal(device_read(id, got, &written), size);
			assert_memory_equal(got, want, size);
			expected[nr] = size;
			outstanding[nr++] = id;
		} else if (nr) {
			size_t i = rand() % nr;

			device_use(outstanding[i], expected[i]);
			assert_int_equal(virtqueue_take_used(&vq, &written), outstanding[i]);
			assert_int_equal(written, expected[i]);
			outstanding[i] = outstanding[--nr];
			expected[i] = expected[nr];
		}
	}
	while (nr) {
		device_use(outstanding[--nr], 0);
		assert_int_equal(virtqueue_take_used(&vq, NULL), outstanding[nr]);
	}
	assert_int_equal(vq.nr_free, vq.size);
	virtqueue_destroy(&vq);
}

static void impossible_completion_breaks_the_queue(void **state)
{
	static const u32 wrong[] = {128, 0xffffffff, 1 /* free */};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct virtqueue vq;

		setup(NULL);
		create(&vq);
		assert_int_equal(add_string(&vq, "abc"), 0);
		device_use(wrong[i], 0);
		assert_int_equal(virtqueue_take_used(&vq, NULL), -EIO);
		assert_int_equal(virtqueue_take_used(&vq, NULL), -EIO);
		assert_int_equal(add_string(&vq, "def"), -EIO);
		virtqueue_destroy(&vq);
	}
}

static void same_completion_twice_breaks_the_queue(void **state)
{
	struct virtqueue vq;

	create(&vq);
	assert_int_equal(add_string(&vq, "abc"), 0);
	device_use(0, 0);
	device_use(0, 0);
	assert_int_equal(virtqueue_take_used(&vq, NULL), 0);
	assert_int_equal(virtqueue_take_used(&vq, NULL), -EIO);
	virtqueue_destroy(&vq);
}

static void devices_are_taken_once(void **state)
{
	struct virtio_device a = {.type = 2}, b = {.type = 3}, c = {.type = 3};

	virtio_add(&a);
	virtio_add(&b);
	virtio_add(&c);
	assert_ptr_equal(virtio_take(3), &b);
	assert_ptr_equal(virtio_take(3), &c);
	assert_null(virtio_take(3));
	assert_ptr_equal(virtio_take(2), &a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(negotiation_follows_the_steps, setup),
	    cmocka_unit_test_setup(legacy_or_stubborn_device_is_refused, setup),
	    cmocka_unit_test_setup(queue_creation_fails_cleanly, setup),
	    cmocka_unit_test_setup(parts_are_aligned_and_apart, setup),
	    cmocka_unit_test_setup(device_sees_the_pieces_in_order, setup),
	    cmocka_unit_test_setup(full_queue_says_so, setup),
	    cmocka_unit_test_setup(kick_is_left_out_when_unwanted, setup),
	    cmocka_unit_test_setup(random_traffic_arrives, setup),
	    cmocka_unit_test_setup(impossible_completion_breaks_the_queue, setup),
	    cmocka_unit_test_setup(same_completion_twice_breaks_the_queue, setup),
	    cmocka_unit_test(devices_are_taken_once),
	};

	return cmocka_run_group_tests_name("virtio_ring", tests, NULL, NULL);
}
