/* SPDX-License-Identifier: MIT */
/*
 * Virtio devices (Virtual I/O Device 1.1), whatever bus they are on: split virtqueues, completions
 * polled, VERSION_1 only. Structures are little-endian, as every machine we run on.
 */
#pragma once

#include <hotregs/list.h>
#include <hotregs/types.h>

#define VIRTIO_ID_CONSOLE 3

struct virtio_device;
struct virtqueue;

/* How a bus reaches a device; the calls of section 4's transports. */
struct virtio_transport {
	u8 (*get_status)(struct virtio_device *dev);
	void (*set_status)(struct virtio_device *dev, u8 status); /* 0 resets */
	u64 (*get_features)(struct virtio_device *dev);
	void (*set_features)(struct virtio_device *dev, u64 features);
	/* The most entries queue @index can have; 0: no such queue. */
	unsigned (*queue_max)(struct virtio_device *dev, u16 index);
	/* Gives a queue its memory and switches it on; may set vq->doorbell. -EIO. */
	int (*queue_enable)(struct virtqueue *vq);
	void (*notify)(struct virtqueue *vq);
};

struct virtio_device {
	struct list_head node;
	const struct virtio_transport *transport;
	u16 type;      /* VIRTIO_ID_* */
	char name[24]; /* where it is, for messages */
};

/* A bus driver found @dev. Boot only. */
void virtio_add(struct virtio_device *dev);

/* Takes the first device of @type that nobody has taken; NULL: there is none. Boot only. */
struct virtio_device *virtio_take(u16 type);

/*
 * Resets @dev and agrees on VERSION_1 and no other feature; then come the queues, then
 * virtio_start(). -ENODEV: it does not speak VERSION_1; -EIO: it does not answer as it must.
 */
int virtio_negotiate(struct virtio_device *dev);
void virtio_start(struct virtio_device *dev);

/* Stops @dev: when this returns it no longer touches memory, and its queues may be freed. */
void virtio_reset(struct virtio_device *dev);

/* One piece of a buffer, physically contiguous. */
struct virtio_piece {
	phys_addr_t address;
	u32 size; /* bytes */
};

/* The three parts of a split virtqueue (2.6.5 to 2.6.8). */
struct virtq_desc {
	u64 address;
	u32 size;
	u16 flags, next;
};
struct virtq_avail {
	u16 flags, idx, ring[];
};
struct virtq_used_elem {
	u32 id, size;
};
struct virtq_used {
	u16 flags, idx;
	struct virtq_used_elem ring[];
};

#define VIRTQUEUE_MAX_SIZE 128 /* so many entries and both rings fit into one page */

struct virtqueue {
	struct virtio_device *dev;
	volatile void *doorbell; /* the transport's */
	u16 index;               /* of the queue in its device */
	u16 size;                /* entries, a power of two */
	u16 nr_free;
	u16 free_head; /* of the unused descriptors' chain */
	u16 avail_idx; /* buffers ever made available */
	u16 used_idx;  /* buffers ever taken back */
	bool broken;   /* the device answered what cannot be */
	struct virtq_desc *desc;
	struct virtq_avail *avail;
	struct virtq_used *used;
	u8 pieces[VIRTQUEUE_MAX_SIZE]; /* of the buffer with this id; 0: the device has none */
};

/* Allocates and enables queue @index; between negotiation and start. -ENODEV, -ENOMEM, -EIO. */
int virtqueue_create(struct virtqueue *vq, struct virtio_device *dev, u16 index);
/* Frees the queue of a device that has been reset. */
void virtqueue_destroy(struct virtqueue *vq);

/*
 * Makes a buffer of @n pieces available, of which the device reads the first @nr_out and writes the
 * rest; it belongs to the device until virtqueue_take_used() returns it. The caller's lock guards a
 * queue. Returns the buffer's id, -ENOSPC (not that many descriptors free), -EINVAL (no piece),
 * -EIO (broken).
 */
int virtqueue_add(struct virtqueue *vq, const struct virtio_piece *pieces, unsigned n,
		  unsigned nr_out);

/* Tells the device of what was added, unless it does not want to hear. */
void virtqueue_kick(struct virtqueue *vq);

/*
 * Takes back one buffer that the device is done with: its id, and in *written (may be NULL) how
 * many bytes the device wrote. -EAGAIN: none yet; -EIO: the queue is broken.
 */
int virtqueue_take_used(struct virtqueue *vq, u32 *written);
