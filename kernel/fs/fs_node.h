/* SPDX-License-Identifier: MIT */
/*
 * What a path names, between fs_open() and the trees it looks into: the file tree, /dev, /proc and
 * /sys. Private to kernel/fs.
 */
#pragma once

#include <hotregs/fs.h>

struct inode;

struct fs_node {
	u32 mode; /* UAPI_S_IF* and permission bits */
	u64 ino;
	const struct file_ops *ops; /* NULL: cannot be opened */
	void *private;              /* what the opened file begins with */
	struct inode *inode;        /* of the file tree, with a reference; NULL: of another one */
};

/* Is the caller's user allowed all of @want of what @owner has with @mode? 0, -EACCES. Any context.
 */
int fs_may(u32 mode, uid_t owner, unsigned want);

/*
 * Each finds @path, resolved and without the tree's own name ("" or "/name/name"); 0, -ENOENT, or
 * -ENOTDIR when something on the way is no directory.
 */
int devices_lookup(const char *path, struct fs_node *node);
int procfs_lookup(const char *path, struct fs_node *node);
int sysfs_lookup(const char *path, struct fs_node *node);
int sysctl_lookup(const char *path, struct fs_node *node); /* the tree /proc/sys */

/* A directory of a fixed list of names: the private pointer of its file. */
struct fixed_dir {
	u8 type; /* UAPI_DT_* of all entries */
	u64 ino; /* of the first entry; the others follow */
	size_t nr;
	const char *const *name;
};
extern const struct file_ops fixed_dir_ops;

/* Fills @node as a directory. */
static inline void fs_node_dir(struct fs_node *node, u64 ino, const struct file_ops *ops,
			       void *private)
{
	*node = (struct fs_node){
	    .mode = UAPI_S_IFDIR | 0555, .ino = ino, .ops = ops, .private = private};
}

/* stat() and lseek() of every directory; the latter for rewinding. */
int dir_stat(struct file *f, struct uapi_stat *st);
loff_t dir_lseek(struct file *f, loff_t offset, int whence);

/* Inode numbers: the file tree counts from 1, the others have ranges of their own. */
#define INO_DEVICES (1ULL << 32)
#define INO_PROC    (2ULL << 32)
#define INO_SYS     (3ULL << 32)
#define INO_SYSCTL  (4ULL << 32)
