/* SPDX-License-Identifier: MIT */
/*
 * The file tree in memory: what there is (inodes), what it is called (names), and what is in it.
 * Private to kernel/fs.
 */
#pragma once

#include <hotregs/fs.h>
#include <hotregs/list.h>
#include <hotregs/refcount.h>
#include <hotregs/wait.h>

#include "page_tree.h"

struct name;

/*
 * A directory or a file. Its names hold a reference each, and so does whoever has it open.
 * tree_lock guards names, nlink, mode and uid; the inode's own lock what a file contains. User
 * memory may be touched with the latter held: who holds it must not be waited for with an address
 * space's lock.
 */
struct inode {
	struct refcount refs;
	u32 mode; /* UAPI_S_IF* and permission bits */
	u32 nlink;
	uid_t uid; /* whose it is; there are no groups */
	u32 ino;
	u64 atime, mtime, ctime;    /* ns since 1970; reading changes none */
	const struct file_ops *ops; /* NULL: cannot be opened */
	struct name *name;          /* its latest one; NULL: the root, or all were removed */
	struct list_head names;     /* a directory's: what is in it, by node, by rising position */
	struct mutex lock;          /* guards all below */
	u64 size;                   /* bytes; directories: 0 */
	const u8 *archived;         /* where the boot archive has the first ... */
	u64 archived_size;          /* ... so many bytes, if there are no pages of them; <= size */
	struct page_tree pages;     /* what was written; past the end they are zero */
	struct list_head locks;     /* record locks (lock.c), by node */
	u32 unlocks;                /* how often they changed, ... */
	struct wait_queue unlocked; /* ... which wakes who waits for one */
};

/* What an inode is called in a directory. */
struct name {
	struct list_head node; /* in dir->names */
	struct inode *dir;     /* no reference: a directory that has names stays */
	struct inode *inode;
	u64 position; /* in the directory, rising; for readdir */
	u8 len;
	char text[]; /* NUL-terminated */
};

#define NAME_LEN_MAX (FS_PATH_MAX - 2) /* without the NUL; as a path, it has a slash before it */

extern struct mutex tree_lock;

static inline bool inode_is_dir(const struct inode *inode)
{
	return (inode->mode & UAPI_S_IFMT) == UAPI_S_IFDIR;
}

/* Makes the root and the directories that are always there; once. Panics without memory. */
void tree_init(void);

/*
 * Paths are absolute and resolved. Everything here may sleep; errors are POSIX's, and those of who
 * may do what are told by the caller's user.
 */
/* What @path names, with a reference; ERR_PTR(-ENOENT, -ENOTDIR, -EACCES). */
struct inode *tree_lookup(const char *path);
/*
 * The same for an open with @flags. With O_CREAT, what is not there is made as an empty file with
 * permission bits @mode, and *@created tells; -EEXIST with O_EXCL, -ENOSPC.
 */
struct inode *tree_open(const char *path, u32 flags, u32 mode, bool *created);
int tree_mkdir(const char *path, u32 mode);
int tree_unlink(const char *path);
int tree_rmdir(const char *path);
int tree_link(const char *from, const char *to);
int tree_rename(const char *from, const char *to);
/* For the boot archive: what is at @path, made with its parents if it is not there, gets @mode; no
 * reference. ERR_PTR(-EEXIST: something of another kind is there, -ENOTDIR, -ENOSPC). */
struct inode *tree_add(const char *path, u32 mode);
/* Writes @inode's path, "(deleted)" without one; -ENAMETOOLONG. */
int tree_path(struct inode *inode, char *buf, size_t size);

/* One more reference to an inode that cannot go away meanwhile. Any context. */
static inline struct inode *inode_get(struct inode *inode)
{
	refcount_get(&inode->refs);
	return inode;
}

/* A number that no file has (once 2^32 were given out, none that is likely to be looked for). */
u32 inode_number(void);
/* A new one with one reference and no name; the caller's user owns it. ERR_PTR(-ENOSPC). */
struct inode *inode_create(u32 mode);
/* The last reference to what has no name frees it. May sleep. */
void inode_put(struct inode *inode);
void inode_stat(struct inode *inode, struct uapi_stat *st);
/* All that @a says, or nothing; not the size. -EPERM, -EACCES, -EINVAL. */
int inode_set_attributes(struct inode *inode, const struct uapi_attributes *a);
/* Is the caller's user allowed all of @want (UAPI_*_OK)? 0, -EACCES. */
int inode_may(const struct inode *inode, unsigned want);
/* Changes a file's size; what is added reads as zeroes. -EFBIG; -EINVAL: it is no file. */
int inode_truncate(struct inode *inode, u64 size);
/* Makes @image what the file contains now; -EACCES: it is none, -ENOMEM, -ENAMETOOLONG. */
int inode_image(struct inode *inode, struct file_image *image);

/* The operations of open directories and files; the private pointer is the inode. */
extern const struct file_ops tree_dir_ops, tree_file_ops;

/*
 * fcntl()'s record locks on @inode for process @owner, where the file is at @pos. Setting (or
 * waiting to set): -EAGAIN, -EINTR, -ENOLCK; both: -EINVAL, -EOVERFLOW for what is no range.
 */
int locks_set(struct inode *inode, const struct files *owner, loff_t pos,
	      const struct uapi_flock *lock, bool wait);
int locks_get(struct inode *inode, const struct files *owner, loff_t pos, struct uapi_flock *lock);
/* Gives up all that @owner has. */
void locks_drop(struct inode *inode, const struct files *owner);

/* The caller's user, and what the permissions of new files lack; the kernel's: 0. Any context. */
uid_t fs_uid(void);
u32 fs_umask(void);
