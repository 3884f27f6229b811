/* SPDX-License-Identifier: MIT */
/*
 * What is in the files of the tree. A file of the boot archive shows the archive's bytes until they
 * are written to; then, as with every other file, pages of memory hold what was written. What was
 * never written is no page and reads as zeroes.
 */
#include <hotregs/mm.h>
#include <hotregs/string.h>
#include <hotregs/time.h>

#include <arch/uaccess.h>

#include "tree.h"

#define FILE_SIZE_MAX (PAGE_TREE_MAX << PAGE_SHIFT)

/* --- All of these with the inode's lock held --- */

/* The bytes from @pos on that lie in one place: where, and *n is cut to how many. */
static const u8 *bytes_at(const struct inode *inode, u64 pos, size_t *n)
{
	static const u8 zeroes[PAGE_SIZE];
	size_t in_page = pos & ~PAGE_MASK;
	const u8 *page = page_tree_find(&inode->pages, pos >> PAGE_SHIFT);

	*n = MIN(*n, PAGE_SIZE - in_page);
	if (page)
		return page + in_page;
	if (pos >= inode->archived_size)
		return zeroes;
	*n = MIN(*n, inode->archived_size - pos);
	return inode->archived + pos;
}

/* A page for what is around @pos, filled with what is read there; ERR_PTR(-ENOSPC). */
static u8 *new_page(const struct inode *inode, u64 pos)
{
	u64 start = pos & ~(u64)~PAGE_MASK;
	u8 *page = page_can_spare(1 + PAGE_TREE_LEVELS) ? page_alloc(0) : NULL;
	size_t n = 0;

	if (!page)
		return ERR_PTR(-ENOSPC);
	if (start < inode->archived_size) {
		n = MIN(PAGE_SIZE, inode->archived_size - start);
		memcpy(page, inode->archived + start, n);
	}
	memset(page + n, 0, PAGE_SIZE - n);
	return page;
}

/*
 * Writes @n bytes of @user, which lie in one page, at @pos: in one page, too. A new page becomes
 * part of the file only when it has been written: past the file's end nothing else would free it.
 */
static int write_page(struct inode *inode, const u8 __user *user, size_t n, u64 pos)
{
	size_t in_page = pos & ~PAGE_MASK;
	u8 *page = page_tree_find(&inode->pages, pos >> PAGE_SHIFT);
	int err;

	if (page)
		return copy_from_user(page + in_page, user, n);
	page = new_page(inode, pos);
	if (IS_ERR(page))
		return PTR_ERR(page);
	err = copy_from_user(page + in_page, user, n);
	if (!err && page_tree_add(&inode->pages, pos >> PAGE_SHIFT, page))
		err = -ENOSPC;
	if (err)
		page_free(page, 0);
	return err;
}

/* How much of @n bytes at @user can be copied at once: an error is about one page of memory. */
static size_t user_chunk(const void __user *user, size_t n)
{
	return MIN(n, PAGE_SIZE - ((unsigned long)user & ~PAGE_MASK));
}

static ssize_t read_at(struct inode *inode, u8 __user *buf, size_t n, u64 pos)
{
	size_t done = 0;

	if (pos >= inode->size)
		return 0;
	n = MIN(n, inode->size - pos);
	while (done < n) {
		size_t chunk = user_chunk(buf + done, n - done);
		const u8 *data = bytes_at(inode, pos + done, &chunk);

		if (copy_to_user(buf + done, data, chunk))
			return done ? (ssize_t)done : -EFAULT;
		done += chunk;
	}
	return done;
}

static ssize_t write_at(struct inode *inode, const u8 __user *buf, size_t n, u64 pos)
{
	size_t done = 0;
	int err = 0;

	if (pos >= FILE_SIZE_MAX)
		return -EFBIG;
	n = MIN(n, FILE_SIZE_MAX - pos);
	while (done < n) {
		size_t room = PAGE_SIZE - ((pos + done) & ~PAGE_MASK);
		size_t chunk = MIN(user_chunk(buf + done, n - done), room);

		err = write_page(inode, buf + done, chunk, pos + done);
		if (err)
			break;
		done += chunk;
		inode->size = MAX(inode->size, pos + done);
	}
	if (done)
		inode->mtime = inode->ctime = clock_realtime_ns();
	return done ? (ssize_t)done : err;
}

/* Makes the file shorter; what was past the new end is gone even if it grows again. */
static void cut(struct inode *inode, u64 size)
{
	size_t in_page = size & ~PAGE_MASK;
	u8 *last = in_page ? page_tree_find(&inode->pages, size >> PAGE_SHIFT) : NULL;

	page_tree_cut(&inode->pages, (size + PAGE_SIZE - 1) >> PAGE_SHIFT);
	if (last)
		memset(last + in_page, 0, PAGE_SIZE - in_page);
	inode->archived_size = MIN(inode->archived_size, size);
}

/* --- Without the lock --- */

int inode_truncate(struct inode *inode, u64 size)
{
	if ((inode->mode & UAPI_S_IFMT) != UAPI_S_IFREG)
		return inode_is_dir(inode) ? -EISDIR : -EINVAL;
	if (size > FILE_SIZE_MAX)
		return -EFBIG;
	mutex_lock(&inode->lock);
	cut(inode, MIN(size, inode->size));
	inode->size = size;
	inode->mtime = inode->ctime = clock_realtime_ns();
	mutex_unlock(&inode->lock);
	return 0;
}

/* A copy of the file in one piece; NULL: out of memory. Lock held. */
static void *copy_all(const struct inode *inode, size_t pages)
{
	u8 *copy = vmap_alloc(pages);

	for (u64 pos = 0; copy && pos < inode->size;) {
		size_t n = inode->size - pos;
		const u8 *data = bytes_at(inode, pos, &n);

		memcpy(copy + pos, data, n);
		pos += n;
	}
	return copy;
}

int inode_image(struct inode *inode, struct file_image *image)
{
	int err;

	if (inode->ops != &tree_file_ops)
		return -EACCES;
	*image = (struct file_image){.ino = inode->ino};
	err = tree_path(inode, image->path, sizeof(image->path));
	if (err)
		return err;
	mutex_lock(&inode->lock);
	image->data = inode->archived;
	image->size = inode->size;
	image->version = inode->ino;
	if (inode->pages.nr_pages || inode->archived_size != inode->size) {
		image->copy_pages = (inode->size + PAGE_SIZE - 1) >> PAGE_SHIFT;
		image->copy = copy_all(inode, image->copy_pages);
		image->data = image->copy;
		image->version = inode_number();
		err = image->copy ? 0 : -ENOMEM;
	}
	mutex_unlock(&inode->lock);
	return err;
}

/* --- Open files --- */

static ssize_t tree_file_pread(struct file *f, void __user *buf, size_t n, loff_t pos)
{
	struct inode *inode = f->private;
	ssize_t done;

	mutex_lock(&inode->lock);
	done = read_at(inode, buf, n, pos);
	mutex_unlock(&inode->lock);
	return done;
}

static ssize_t tree_file_pwrite(struct file *f, const void __user *buf, size_t n, loff_t pos)
{
	struct inode *inode = f->private;
	ssize_t done;

	mutex_lock(&inode->lock);
	done = write_at(inode, buf, n, pos);
	mutex_unlock(&inode->lock);
	return done;
}

/* The position moves with the lock held: writers that share it write one behind the other. */
static ssize_t tree_file_read(struct file *f, void __user *buf, size_t n)
{
	struct inode *inode = f->private;
	ssize_t done;

	mutex_lock(&inode->lock);
	done = read_at(inode, buf, n, f->pos);
	if (done > 0)
		f->pos += done;
	mutex_unlock(&inode->lock);
	return done;
}

static ssize_t tree_file_write(struct file *f, const void __user *buf, size_t n)
{
	struct inode *inode = f->private;
	ssize_t done;

	mutex_lock(&inode->lock);
	if (f->flags & UAPI_O_APPEND)
		f->pos = inode->size;
	done = write_at(inode, buf, n, f->pos);
	if (done > 0)
		f->pos += done;
	mutex_unlock(&inode->lock);
	return done;
}

static loff_t tree_file_lseek(struct file *f, loff_t offset, int whence)
{
	struct inode *inode = f->private;
	loff_t pos;

	mutex_lock(&inode->lock);
	pos = file_seek(f, offset, whence, inode->size);
	mutex_unlock(&inode->lock);
	return pos;
}

static int tree_file_stat(struct file *f, struct uapi_stat *st)
{
	inode_stat(f->private, st);
	return 0;
}

static int tree_file_truncate(struct file *f, u64 size)
{
	return inode_truncate(f->private, size);
}

/* A claim for reading or writing is made by who may. */
static int tree_file_lock(struct file *f, const struct files *owner, struct uapi_flock *lock,
			  int cmd)
{
	struct inode *inode = f->private;

	if (cmd == UAPI_F_GETLK)
		return locks_get(inode, owner, f->pos, lock);
	if ((lock->type == UAPI_F_RDLCK && !file_readable(f)) ||
	    (lock->type == UAPI_F_WRLCK && !file_writable(f)))
		return -EBADF;
	return locks_set(inode, owner, f->pos, lock, cmd == UAPI_F_SETLKW);
}

static void tree_file_closed(struct file *f, const struct files *owner)
{
	locks_drop(f->private, owner);
}

static void tree_file_release(struct file *f)
{
	inode_put(f->private);
}

const struct file_ops tree_file_ops = {
    .read = tree_file_read,
    .write = tree_file_write,
    .pread = tree_file_pread,
    .pwrite = tree_file_pwrite,
    .lseek = tree_file_lseek,
    .truncate = tree_file_truncate,
    .stat = tree_file_stat,
    .lock = tree_file_lock,
    .closed = tree_file_closed,
    .release = tree_file_release,
};
