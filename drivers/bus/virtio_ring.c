/* SPDX-License-Identifier: MIT */
/* Virtio devices on any bus: negotiation, and split virtqueues (Virtual I/O Device 1.1, 2.6, 3.1).
 */
#include <hotregs/mm.h>
#include <hotregs/string.h>
#include <hotregs/virtio.h>

#include <arch/cache.h>

/* Device status (2.1). */
#define STATUS_ACKNOWLEDGE 1
#define STATUS_DRIVER      2
#define STATUS_DRIVER_OK   4
#define STATUS_FEATURES_OK 8
#define STATUS_FAILED      128

#define FEATURE_VERSION_1 (1ULL << 32) /* 6 */

#define DESC_NEXT          1
#define DESC_WRITE         2 /* by the device */
#define AVAIL_NO_INTERRUPT 1
#define USED_NO_NOTIFY     1

static struct list_head devices = LIST_HEAD_INIT(devices);

void virtio_add(struct virtio_device *dev)
{
	list_add_tail(&dev->node, &devices);
}

struct virtio_device *virtio_take(u16 type)
{
	struct virtio_device *dev;

	list_for_each (dev, &devices, node) {
		if (dev->type == type) {
			list_del(&dev->node);
			return dev;
		}
	}
	return NULL;
}

static void add_status(struct virtio_device *dev, u8 status)
{
	dev->transport->set_status(dev, dev->transport->get_status(dev) | status);
}

void virtio_reset(struct virtio_device *dev)
{
	dev->transport->set_status(dev, 0);
	/* It has stopped when it reads back as 0 (4.1.4.3.2); no device takes this long. */
	for (unsigned i = 0; dev->transport->get_status(dev) && i < 1000000; i++)
		;
}

/* The steps of 3.1.1, up to the queues. */
int virtio_negotiate(struct virtio_device *dev)
{
	const struct virtio_transport *transport = dev->transport;

	virtio_reset(dev);
	if (transport->get_status(dev))
		return -EIO;
	add_status(dev, STATUS_ACKNOWLEDGE);
	add_status(dev, STATUS_DRIVER);
	if (!(transport->get_features(dev) & FEATURE_VERSION_1)) {
		add_status(dev, STATUS_FAILED);
		return -ENODEV;
	}
	transport->set_features(dev, FEATURE_VERSION_1);
	add_status(dev, STATUS_FEATURES_OK);
	if (!(transport->get_status(dev) & STATUS_FEATURES_OK)) {
		add_status(dev, STATUS_FAILED);
		return -EIO;
	}
	return 0;
}

void virtio_start(struct virtio_device *dev)
{
	add_status(dev, STATUS_DRIVER_OK);
}

/* The largest power of two up to @n and our own limit. */
static u16 queue_size(unsigned n)
{
	u16 size = VIRTQUEUE_MAX_SIZE;

	while (size > n)
		size /= 2;
	return size;
}

void virtqueue_destroy(struct virtqueue *vq)
{
	page_free(vq->desc, 0);
	vq->desc = NULL;
}

int virtqueue_create(struct virtqueue *vq, struct virtio_device *dev, u16 index)
{
	u16 size = queue_size(dev->transport->queue_max(dev, index));
	u8 *page;
	int err;

	if (!size)
		return -ENODEV;
	page = page_alloc_zeroed(0);
	if (!page)
		return -ENOMEM;
	/* Alignments 16, 2 and 4 (2.6): the used ring goes to the middle of the page. */
	*vq = (struct virtqueue){
	    .dev = dev,
	    .index = index,
	    .size = size,
	    .nr_free = size,
	    .desc = (struct virtq_desc *)page,
	    .avail = (struct virtq_avail *)(page + size * sizeof(struct virtq_desc)),
	    .used = (struct virtq_used *)(page + PAGE_SIZE - sizeof(struct virtq_used) -
					  size * sizeof(struct virtq_used_elem)),
	};
	for (u16 i = 0; i < size; i++)
		vq->desc[i].next = i + 1;
	vq->avail->flags = AVAIL_NO_INTERRUPT;
	err = dev->transport->queue_enable(vq);
	if (err)
		virtqueue_destroy(vq);
	return err;
}

int virtqueue_add(struct virtqueue *vq, const struct virtio_piece *pieces, unsigned n,
		  unsigned nr_out)
{
	u16 head = vq->free_head, at = head;

	if (vq->broken)
		return -EIO;
	if (!n)
		return -EINVAL;
	if (n > vq->nr_free)
		return -ENOSPC;
	for (unsigned i = 0; i < n; i++) {
		struct virtq_desc *desc = &vq->desc[at];

		desc->address = pieces[i].address;
		desc->size = pieces[i].size;
		desc->flags = (i >= nr_out ? DESC_WRITE : 0) | (i + 1 < n ? DESC_NEXT : 0);
		at = desc->next; /* the free chain's order is kept as the buffer's */
	}
	vq->free_head = at;
	vq->nr_free -= n;
	vq->pieces[head] = n;
	vq->avail->ring[vq->avail_idx++ & (vq->size - 1)] = head;
	/* The device must not see the index before what it stands for. */
	dma_wmb();
	WRITE_ONCE(vq->avail->idx, vq->avail_idx);
	return head;
}

void virtqueue_kick(struct virtqueue *vq)
{
	/*
	 * Index first, then the flag: the device does it the other way round (2.6.13.4.1). And the
	 * doorbell comes after the index.
	 */
	dma_mb();
	if (!(READ_ONCE(vq->used->flags) & USED_NO_NOTIFY))
		vq->dev->transport->notify(vq);
}

/* Puts a buffer's descriptors back in front of the free ones. */
static void free_buffer(struct virtqueue *vq, u16 head)
{
	u16 last = head;

	for (unsigned i = 1; i < vq->pieces[head]; i++)
		last = vq->desc[last].next;
	vq->desc[last].next = vq->free_head;
	vq->free_head = head;
	vq->nr_free += vq->pieces[head];
	vq->pieces[head] = 0;
}

int virtqueue_take_used(struct virtqueue *vq, u32 *written)
{
	const struct virtq_used_elem *elem;
	u32 id;

	if (vq->broken)
		return -EIO;
	if (READ_ONCE(vq->used->idx) == vq->used_idx)
		return -EAGAIN;
	dma_rmb(); /* the device has written the element before the index */
	elem = &vq->used->ring[vq->used_idx & (vq->size - 1)];
	id = READ_ONCE(elem->id);
	if (id >= vq->size || !vq->pieces[id]) {
		vq->broken = true;
		return -EIO;
	}
	vq->used_idx++;
	if (written)
		*written = READ_ONCE(elem->size);
	free_buffer(vq, id);
	return id;
}
