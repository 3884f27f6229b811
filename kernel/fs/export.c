/* SPDX-License-Identifier: MIT */
/*
 * /dev/export: what is written here leaves the machine by the export channel, byte by byte as it
 * is. What arrives on the host is one file, of which nothing can be taken back and in which nothing
 * marks an end. So there is one stream a boot: a second one would be appended to the first, and a
 * profile made of two is none.
 */
#include <hotregs/cpu.h>
#include <hotregs/device.h>
#include <hotregs/fs.h>
#include <hotregs/mm.h>
#include <hotregs/signal.h>
#include <hotregs/wait.h>

#include <arch/uaccess.h>

#define BUFFER_ORDER 4 /* 64 KiB: large enough that a host call an entry costs little */

static const struct export_channel *channel;

static struct {
	struct mutex lock;
	struct file *opener; /* the open file whose stream it is */
	bool begun;          /* bytes have left */
	u8 *buffer;
	unsigned order; /* of the buffer's size, in pages */
} stream = {.lock = MUTEX_INIT(stream.lock)};

void export_register(const struct export_channel *new)
{
	channel = new;
}

/* Where memory is short, one page does as well. */
static int allocate_buffer(void)
{
	for (stream.order = BUFFER_ORDER;; stream.order--) {
		stream.buffer = page_alloc(stream.order);
		if (stream.buffer)
			return 0;
		if (!stream.order)
			return -ENOMEM;
	}
}

static int export_open(struct file *f)
{
	int err = 0;

	if ((f->flags & UAPI_O_ACCMODE) != UAPI_O_WRONLY)
		return -EACCES;
	if (!channel)
		return -ENODEV;
	mutex_lock(&stream.lock);
	if (stream.opener || stream.begun)
		err = -EBUSY;
	else
		err = allocate_buffer();
	if (!err)
		stream.opener = f;
	mutex_unlock(&stream.lock);
	return err;
}

/* Signals end a long write between two buffers: the channel may be a serial line. */
static ssize_t export_write(struct file *f, const void __user *buf, size_t n)
{
	size_t done = 0;
	int err = 0;

	mutex_lock(&stream.lock);
	if (signal_fatal_pending())
		err = -EINTR;
	while (!err && done < n && !(done && signal_pending(current))) {
		size_t size = MIN(n - done, PAGE_SIZE << stream.order);

		err = copy_from_user(stream.buffer, (const u8 __user *)buf + done, size);
		if (err)
			break;
		stream.begun = true;
		err = channel->write(stream.buffer, size);
		if (err)
			break;
		done += size;
	}
	mutex_unlock(&stream.lock);
	return done ? (ssize_t)done : err;
}

/* Also called for a file whose opening was refused. */
static void export_release(struct file *f)
{
	mutex_lock(&stream.lock);
	if (stream.opener == f) {
		page_free(stream.buffer, stream.order);
		stream.buffer = NULL;
		stream.opener = NULL;
	}
	mutex_unlock(&stream.lock);
}

const struct file_ops export_file_ops = {
    .open = export_open,
    .write = export_write,
    .release = export_release,
};
DEVICE_FILE(export, "export", &export_file_ops);
