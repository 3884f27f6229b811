/* SPDX-License-Identifier: MIT */
/* What is in the file tree, without its names: lifetime, attributes, and who may do what. */
#include <hotregs/mm.h>
#include <hotregs/printk.h>
#include <hotregs/process.h>
#include <hotregs/string.h>
#include <hotregs/time.h>

#include "fs_node.h"
#include "tree.h"

#define NSEC_PER_SEC 1000000000ULL

/* What can be opened, and as what. */
static const struct file_ops *ops_of(u32 mode)
{
	switch (mode & UAPI_S_IFMT) {
	case UAPI_S_IFDIR:
		return &tree_dir_ops;
	case UAPI_S_IFREG:
		return &tree_file_ops;
	default:
		return NULL; /* a kind that only an archive knows */
	}
}

u32 inode_number(void)
{
	static u32 last;
	u32 ino;

	do
		ino = __atomic_add_fetch(&last, 1, __ATOMIC_RELAXED);
	while (!ino);
	return ino;
}

struct inode *inode_create(u32 mode)
{
	struct inode *inode = page_can_spare(1) ? kzalloc(sizeof(*inode)) : NULL;

	if (!inode)
		return ERR_PTR(-ENOSPC);
	refcount_set(&inode->refs, 1);
	inode->mode = mode;
	inode->uid = fs_uid();
	inode->ino = inode_number();
	inode->atime = inode->mtime = inode->ctime = clock_realtime_ns();
	inode->ops = ops_of(mode);
	list_init(&inode->names);
	mutex_init(&inode->lock);
	list_init(&inode->locks);
	wait_queue_init(&inode->unlocked);
	return inode;
}

void inode_put(struct inode *inode)
{
	if (!refcount_put(&inode->refs))
		return;
	ASSERT(!inode->nlink && list_empty(&inode->names) && list_empty(&inode->locks));
	page_tree_cut(&inode->pages, 0);
	kfree(inode);
}

static struct uapi_timespec timespec(u64 ns)
{
	return (struct uapi_timespec){.sec = ns / NSEC_PER_SEC, .nsec = ns % NSEC_PER_SEC};
}

void inode_stat(struct inode *inode, struct uapi_stat *st)
{
	mutex_lock(&inode->lock);
	*st = (struct uapi_stat){
	    .ino = inode->ino,
	    .mode = inode->mode,
	    .nlink = inode->nlink,
	    .uid = inode->uid,
	    .size = inode->size,
	    .blocks = inode->pages.nr_pages * (PAGE_SIZE / UAPI_STAT_BLOCK),
	    .atime = timespec(inode->atime),
	    .mtime = timespec(inode->mtime),
	    .ctime = timespec(inode->ctime),
	};
	mutex_unlock(&inode->lock);
}

uid_t fs_uid(void)
{
	return current->process ? READ_ONCE(current->process->uid) : 0;
}

u32 fs_umask(void)
{
	return current->process ? READ_ONCE(current->process->umask) : 0;
}

int fs_may(u32 mode, uid_t owner, unsigned want)
{
	bool runs = (mode & 0111) || (mode & UAPI_S_IFMT) == UAPI_S_IFDIR;
	uid_t uid = fs_uid();
	unsigned allowed = uid == owner ? mode >> 6 : mode;

	/* The privileged user may do all but run what nobody can. */
	if (!uid)
		allowed = UAPI_R_OK | UAPI_W_OK | (runs ? UAPI_X_OK : 0);
	return want & ~allowed ? -EACCES : 0;
}

int inode_may(const struct inode *inode, unsigned want)
{
	return fs_may(READ_ONCE(inode->mode), READ_ONCE(inode->uid), want);
}

/* --- Changing attributes --- */

static u64 ns_of(const struct uapi_timespec *ts)
{
	return ts->sec * NSEC_PER_SEC + ts->nsec;
}

static bool valid_time(const struct uapi_timespec *ts)
{
	return ts->sec >= 0 && (u64)ts->sec < UINT64_MAX / NSEC_PER_SEC && ts->nsec >= 0 &&
	       ts->nsec < (s64)NSEC_PER_SEC;
}

/* Is what @a asks for possible at all, and may the caller? tree_lock held. */
static int check_attributes(const struct inode *inode, const struct uapi_attributes *a)
{
	uid_t uid = fs_uid();
	bool owner = !uid || uid == inode->uid;

	if ((a->valid & ~UAPI_ATTR_ALL) ||
	    (a->valid & UAPI_ATTR_MODE && a->mode & ~UAPI_MODE_BITS) ||
	    (a->valid & UAPI_ATTR_UID && a->uid > UAPI_UID_MAX))
		return -EINVAL;
	if (a->valid & UAPI_ATTR_TIMES && !(valid_time(&a->atime) && valid_time(&a->mtime)))
		return -EINVAL;
	if (a->valid & (UAPI_ATTR_MODE | UAPI_ATTR_TIMES | UAPI_ATTR_UID) && !owner)
		return -EPERM;
	/* Nobody but the privileged user gives files away. */
	if (a->valid & UAPI_ATTR_UID && a->uid != inode->uid && uid)
		return -EPERM;
	return a->valid & UAPI_ATTR_TOUCH && !owner ? inode_may(inode, UAPI_W_OK) : 0;
}

static void apply_attributes(struct inode *inode, const struct uapi_attributes *a)
{
	u64 now = clock_realtime_ns();

	if (a->valid & UAPI_ATTR_MODE)
		inode->mode = (inode->mode & UAPI_S_IFMT) | a->mode;
	if (a->valid & UAPI_ATTR_UID)
		inode->uid = a->uid;
	mutex_lock(&inode->lock);
	if (a->valid & UAPI_ATTR_TIMES) {
		inode->atime = ns_of(&a->atime);
		inode->mtime = ns_of(&a->mtime);
	} else if (a->valid & UAPI_ATTR_TOUCH) {
		inode->atime = inode->mtime = now;
	}
	inode->ctime = now;
	mutex_unlock(&inode->lock);
}

int inode_set_attributes(struct inode *inode, const struct uapi_attributes *a)
{
	int err;

	mutex_lock(&tree_lock);
	err = check_attributes(inode, a);
	if (!err)
		apply_attributes(inode, a);
	mutex_unlock(&tree_lock);
	return err;
}

/* --- From open files --- */

static struct inode *file_inode(const struct file *f)
{
	return f->ops == &tree_file_ops || f->ops == &tree_dir_ops ? f->private : NULL;
}

int file_set_attributes(struct file *f, const struct uapi_attributes *a)
{
	struct inode *inode = file_inode(f);

	return inode ? inode_set_attributes(inode, a) : -EROFS;
}

int file_image(struct file *f, struct file_image *image)
{
	struct inode *inode = file_inode(f);
	int err = inode ? inode_image(inode, image) : -ENODEV;

	return err == -EACCES ? -ENODEV : err;
}
