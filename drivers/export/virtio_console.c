/* SPDX-License-Identifier: MIT */
/*
 * The transmit queue of a virtio console's port 0 as export channel (Virtual I/O Device 1.1, 5.3).
 * The device reads the caller's memory where it lies; completion is polled. QEMU drops what its
 * virtconsole cannot write at once, so its character device must be one that never refuses, as a
 * regular file does and a pipe does not.
 */
#include <hotregs/device.h>
#include <hotregs/mm.h>
#include <hotregs/printk.h>
#include <hotregs/sched.h>
#include <hotregs/virtio.h>

#include <arch/percpu.h>

#define TX_QUEUE 1 /* of port 0 (5.3.2) */

/* One buffer's pieces. The direct map is contiguous, so that few are used; of vmap pages, all. */
#define MAX_PIECES 32

static struct virtqueue tx;

/* Appends one physically contiguous piece, joined to the last where it can be; false: no room. */
static bool append(struct virtio_piece *pieces, unsigned *count, phys_addr_t pa, u32 size)
{
	struct virtio_piece *next = pieces + *count;

	if (*count && next[-1].address + next[-1].size == pa) {
		next[-1].size += size;
		return true;
	}
	if (*count == MAX_PIECES)
		return false;
	*next = (struct virtio_piece){pa, size};
	++*count;
	return true;
}

/* Describes as much of [p, p + n) as fits into MAX_PIECES pieces; returns how many bytes that is.
 */
static size_t describe(const u8 *p, size_t n, struct virtio_piece *pieces, unsigned *count)
{
	size_t done = 0;

	*count = 0;
	while (done < n) {
		unsigned long va = (unsigned long)p + done;
		size_t size = MIN(n - done, PAGE_SIZE - (va & ~PAGE_MASK));
		phys_addr_t pa;
		unsigned prot;
		bool mapped = mmu_lookup(&kernel_mmu, va, &pa, &prot);

		ASSERT(mapped);
		if (!append(pieces, count, pa, size))
			break;
		done += size;
	}
	return done;
}

/*
 * Waits until the device has read the buffer. The host may be slow to take it, even stop for good;
 * so others run meanwhile, and a caller that is killed may leave. The device is then reset, or it
 * would go on reading memory that is no longer the stream's.
 */
static int wait_for_device(void)
{
	int id;

	while ((id = virtqueue_take_used(&tx, NULL)) == -EAGAIN) {
		if (signal_fatal_pending())
			break;
		yield();
	}
	if (id >= 0)
		return 0;
	virtio_reset(tx.dev);
	tx.broken = true;
	return -EIO;
}

static int virtio_console_write(const void *buf, size_t n)
{
	const u8 *p = buf;

	while (n) {
		struct virtio_piece pieces[MAX_PIECES];
		unsigned count;
		size_t part = describe(p, n, pieces, &count);
		int err = virtqueue_add(&tx, pieces, count, count);

		if (err < 0)
			return -EIO;
		virtqueue_kick(&tx);
		err = wait_for_device();
		if (err)
			return err;
		p += part;
		n -= part;
	}
	return 0;
}

static void virtio_console_start(void)
{
	static const struct export_channel channel = {.name = "virtio-console",
						      .write = virtio_console_write};
	struct virtio_device *dev = virtio_take(VIRTIO_ID_CONSOLE);
	int err;

	if (!dev)
		return;
	err = virtio_negotiate(dev);
	if (!err)
		err = virtqueue_create(&tx, dev, TX_QUEUE);
	if (err) {
		printk("virtio-console: %s cannot be used (error %d)\n", dev->name, -err);
		virtio_reset(dev);
		return;
	}
	virtio_start(dev);
	export_register(&channel);
	printk("virtio-console: export channel at %s\n", dev->name);
}
INITCALL(5, virtio_console_start);
