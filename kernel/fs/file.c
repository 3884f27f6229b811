/* SPDX-License-Identifier: MIT */
/* Open files: their lifetime, and what most kinds of them do alike. */
#include "fs_node.h"
#include <hotregs/mm.h>
#include <hotregs/printk.h>

#include <arch/uaccess.h>

void file_init(struct file *f, const struct file_ops *ops, u32 flags, void *private)
{
	f->ops = ops;
	refcount_set(&f->refs, 1);
	f->flags = flags;
	f->pos = 0;
	f->private = private;
	mutex_init(&f->pos_lock);
}

struct file *file_create(const struct file_ops *ops, u32 flags, void *private)
{
	struct file *f = kmalloc(sizeof(*f));

	if (!f)
		return ERR_PTR(-ENOMEM);
	file_init(f, ops, flags, private);
	return f;
}

void file_put(struct file *f)
{
	const struct file_ops *ops = f->ops;

	might_sleep();
	if (likely(!refcount_put(&f->refs)))
		return;
	if (ops->release)
		ops->release(f);
	if (!ops->embedded)
		kfree(f);
}

loff_t file_seek(struct file *f, loff_t offset, int whence, loff_t size)
{
	loff_t base;

	switch (whence) {
	case UAPI_SEEK_SET:
		base = 0;
		break;
	case UAPI_SEEK_CUR:
		base = f->pos;
		break;
	case UAPI_SEEK_END:
		base = size;
		break;
	default:
		return -EINVAL;
	}
	if (__builtin_add_overflow(base, offset, &offset) || offset < 0)
		return -EINVAL;
	if ((long)offset != offset)
		return -EOVERFLOW; /* the system call returns a machine word */
	f->pos = offset;
	return offset;
}

ssize_t file_read_memory(void __user *buf, size_t n, loff_t pos, const void *data, size_t size)
{
	size_t done = 0;

	if ((u64)pos >= size)
		return 0;
	n = MIN(n, size - (size_t)pos);
	while (done < n) {
		/* A page at a time, so that all that lies before a bad page is delivered. */
		unsigned long to = (unsigned long)buf + done;
		size_t chunk = MIN(n - done, PAGE_SIZE - (to & ~PAGE_MASK));

		if (copy_to_user((void __user *)to, (const u8 *)data + pos + done, chunk))
			break;
		done += chunk;
	}
	return done || !n ? (ssize_t)done : -EFAULT;
}

ssize_t file_read(struct file *f, void __user *buf, size_t n)
{
	ssize_t done;

	mutex_lock(&f->pos_lock);
	done = f->ops->pread(f, buf, n, f->pos);
	if (done > 0)
		f->pos += done;
	mutex_unlock(&f->pos_lock);
	return done;
}

int file_stat(struct file *f, struct uapi_stat *st)
{
	*st = (struct uapi_stat){.mode = UAPI_S_IFCHR | 0600, .nlink = 1};
	return f->ops->stat ? f->ops->stat(f, st) : 0;
}
