/* SPDX-License-Identifier: MIT */
/* Pipes: the file operations of their two ends, and who waits for whom. */
#include "pipe_buffer.h"
#include <hotregs/cpu.h>
#include <hotregs/fs.h>

#include <arch/uaccess.h>

struct pipe {
	struct mutex lock; /* guards the buffer; user pages may be faulted in under it */
	struct pipe_buffer buffer;
	bool read_open, write_open;           /* never set again once cleared */
	struct refcount refs;                 /* open ends */
	struct wait_queue readable, writable; /* bytes have come, bytes have gone; or an end has */
};

/* How much of a user buffer can be copied in one go: what lies before @user's page ends, so that an
 * error is never about bytes of a good page. */
static size_t chunk_size(const void __user *user, size_t left, size_t chunk)
{
	size_t in_page = PAGE_SIZE - ((unsigned long)user & ~PAGE_MASK);

	left = MIN(left, in_page);
	return MIN(left, chunk);
}

/* Moves up to @n bytes out. Lock held. Bytes moved, -EFAULT when that is none. */
static ssize_t drain(struct pipe_buffer *b, u8 __user *buf, size_t n)
{
	size_t done = 0, chunk;

	while (done < n && b->used) {
		const u8 *data = pipe_buffer_data(b, &chunk);

		chunk = chunk_size(buf + done, n - done, chunk);
		if (copy_to_user(buf + done, data, chunk))
			return done ? (ssize_t)done : -EFAULT;
		pipe_buffer_take(b, chunk);
		done += chunk;
	}
	return done;
}

/* Moves @n <= PIPE_BUF bytes in, for which there is room. Lock held. Bytes moved, -errno for none.
 */
static ssize_t fill(struct pipe_buffer *b, const u8 __user *buf, size_t n)
{
	size_t done = 0, chunk;

	if (pipe_buffer_reserve(b, n))
		return -ENOMEM;
	while (done < n) {
		u8 *space = pipe_buffer_space(b, &chunk);

		chunk = chunk_size(buf + done, n - done, chunk);
		if (copy_from_user(space, buf + done, chunk))
			return done ? (ssize_t)done : -EFAULT;
		pipe_buffer_add(b, chunk);
		done += chunk;
	}
	return done;
}

/* Does a reader have something to do: bytes, or the end? */
static bool can_read(const struct pipe *p)
{
	return pipe_buffer_used(&p->buffer) || !READ_ONCE(p->write_open);
}

/* Does a writer that needs room for @need bytes have something to do: write, or -EPIPE? */
static bool can_write(const struct pipe *p, size_t need)
{
	return pipe_buffer_free(&p->buffer) >= need || !READ_ONCE(p->read_open);
}

static ssize_t pipe_read(struct file *f, void __user *buf, size_t n)
{
	struct pipe *p = f->private;
	bool write_open, tight;
	ssize_t done;

	do {
		if (!can_read(p)) {
			if (f->flags & UAPI_O_NONBLOCK)
				return -EAGAIN;
			if (wait_event(&p->readable, can_read(p)))
				return -EINTR;
		}
		mutex_lock(&p->lock);
		/* Looked at first: what was written before the end closed must not be missed. */
		write_open = READ_ONCE(p->write_open);
		/* No writer waits while there is room for an atomic write. */
		tight = pipe_buffer_free(&p->buffer) < PIPE_BUF;
		done = drain(&p->buffer, buf, n);
		mutex_unlock(&p->lock);
		if (tight && done > 0)
			wake_up(&p->writable);
	} while (!done && write_open);
	return done;
}

/* One round of pipe_write(): up to @n bytes once there is room for @need. 0: there is not. */
static ssize_t write_some(struct pipe *p, const u8 __user *buf, size_t n, size_t need)
{
	ssize_t done = 0;
	size_t room;
	bool empty;

	mutex_lock(&p->lock);
	empty = !pipe_buffer_used(&p->buffer);
	room = pipe_buffer_free(&p->buffer);
	if (!READ_ONCE(p->read_open)) {
		done = -EPIPE;
	} else if (room >= need) {
		n = MIN(n, room);
		done = fill(&p->buffer, buf, MIN(n, PIPE_BUF));
	}
	mutex_unlock(&p->lock);
	/* Readers wait for an empty pipe only. */
	if (empty && done > 0)
		wake_up(&p->readable);
	return done;
}

static ssize_t pipe_write(struct file *f, const void __user *buf, size_t n)
{
	struct pipe *p = f->private;
	bool nonblock = f->flags & UAPI_O_NONBLOCK;
	size_t written = 0;
	ssize_t ret = 0;

	while (written < n && ret >= 0) {
		/* Small writes are all or nothing; long ones that may wait go in big pieces. */
		size_t left = n - written;
		size_t need = nonblock && n > PIPE_BUF ? 1 : MIN(left, PIPE_BUF);

		if (!can_write(p, need))
			ret = nonblock ? -EAGAIN : wait_event(&p->writable, can_write(p, need));
		if (ret >= 0)
			ret = write_some(p, (const u8 __user *)buf + written, left, need);
		if (ret > 0)
			written += ret;
	}
	return written ? (ssize_t)written : ret;
}

static unsigned pipe_read_poll(struct file *f, struct poll_table *table)
{
	struct pipe *p = f->private;

	poll_wait(table, &p->readable);
	return (pipe_buffer_used(&p->buffer) ? UAPI_POLLIN : 0) |
	       (READ_ONCE(p->write_open) ? 0 : UAPI_POLLHUP);
}

static unsigned pipe_write_poll(struct file *f, struct poll_table *table)
{
	struct pipe *p = f->private;

	poll_wait(table, &p->writable);
	return (can_write(p, PIPE_BUF) ? UAPI_POLLOUT : 0) |
	       (READ_ONCE(p->read_open) ? 0 : UAPI_POLLERR);
}

static int pipe_stat(struct file *f, struct uapi_stat *st)
{
	struct pipe *p = f->private;

	st->mode = UAPI_S_IFIFO | 0600;
	st->size = pipe_buffer_used(&p->buffer);
	return 0;
}

static void pipe_put(struct pipe *p)
{
	if (!refcount_put(&p->refs))
		return;
	pipe_buffer_destroy(&p->buffer);
	kfree(p);
}

static void pipe_read_release(struct file *f)
{
	struct pipe *p = f->private;

	WRITE_ONCE(p->read_open, false);
	wake_up(&p->writable);
	pipe_put(p);
}

static void pipe_write_release(struct file *f)
{
	struct pipe *p = f->private;

	WRITE_ONCE(p->write_open, false);
	wake_up(&p->readable);
	pipe_put(p);
}

static const struct file_ops pipe_read_ops = {
    .read = pipe_read,
    .poll = pipe_read_poll,
    .stat = pipe_stat,
    .release = pipe_read_release,
};

static const struct file_ops pipe_write_ops = {
    .write = pipe_write,
    .poll = pipe_write_poll,
    .stat = pipe_stat,
    .release = pipe_write_release,
};

int pipe_create(struct file *ends[2])
{
	struct pipe *p = kzalloc(sizeof(*p));

	if (!p)
		return -ENOMEM;
	mutex_init(&p->lock);
	wait_queue_init(&p->readable);
	wait_queue_init(&p->writable);
	p->read_open = p->write_open = true;
	refcount_set(&p->refs, 2);
	ends[0] = file_create(&pipe_read_ops, UAPI_O_RDONLY, p);
	if (IS_ERR(ends[0])) {
		kfree(p);
		return PTR_ERR(ends[0]);
	}
	ends[1] = file_create(&pipe_write_ops, UAPI_O_WRONLY, p);
	if (IS_ERR(ends[1])) {
		refcount_set(&p->refs, 1);
		file_put(ends[0]);
		return PTR_ERR(ends[1]);
	}
	return 0;
}
