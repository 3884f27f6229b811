/* SPDX-License-Identifier: MIT */
/* From a path to an open file: which tree it lies in, and whether it may be opened so. */
#include <hotregs/process.h>
#include <hotregs/string.h>

#include "fs_node.h"
#include "tree.h"

#define FLAGS_KEPT (UAPI_O_ACCMODE | UAPI_O_APPEND | UAPI_O_NONBLOCK)
/* True without being done: nothing written is held back, and there are no symbolic links. */
#define FLAGS_TRUE (UAPI_O_SYNC | UAPI_O_NOFOLLOW | UAPI_O_NOCTTY)
#define FLAGS_KNOWN                                                                             \
	(FLAGS_KEPT | FLAGS_TRUE | UAPI_O_CREAT | UAPI_O_TRUNC | UAPI_O_EXCL | UAPI_O_CLOEXEC | \
	 UAPI_O_DIRECTORY)

/* The trees that hang in the file tree: they have what they have. */
static const struct other_tree {
	const char *path;
	int (*lookup)(const char *path, struct fs_node *node);
} other_trees[] = {
    {"/dev", devices_lookup},
    {"/proc", procfs_lookup},
    {"/sys", sysfs_lookup},
};

/* The one that resolved @path lies in, NULL: the file tree itself; *@rest: the path inside. */
static const struct other_tree *find_other_tree(const char *path, const char **rest)
{
	for (size_t i = 0; i < ARRAY_SIZE(other_trees); i++) {
		size_t n = strlen(other_trees[i].path);

		*rest = path + n;
		if (!strncmp(path, other_trees[i].path, n) && (!path[n] || path[n] == '/'))
			return &other_trees[i];
	}
	return NULL;
}

static bool is_dir(const struct fs_node *node)
{
	return (node->mode & UAPI_S_IFMT) == UAPI_S_IFDIR;
}

static void put_node(struct fs_node *node)
{
	if (node->inode)
		inode_put(node->inode);
}

/* Finds an absolute, resolved @path; as tree_open(), if it is in the file tree. */
static int lookup_resolved(const char *path, u32 flags, u32 mode, struct fs_node *node,
			   bool *created)
{
	const char *rest;
	const struct other_tree *tree = find_other_tree(path, &rest);
	struct inode *inode;
	int err;

	if (tree) {
		err = tree->lookup(rest, node);
		return err == -ENOENT && (flags & UAPI_O_CREAT) ? -EROFS : err;
	}
	inode = tree_open(path, flags, mode, created);
	if (IS_ERR(inode))
		return PTR_ERR(inode);
	*node = (struct fs_node){
	    .mode = READ_ONCE(inode->mode), .ops = inode->ops, .private = inode, .inode = inode};
	return 0;
}

/* As path_resolve(), from the caller's working directory. */
static int resolve(const char *path, char full[FS_PATH_MAX])
{
	char cwd[PROCESS_CWD_MAX] = "/";

	if (*path != '/')
		process_cwd(cwd);
	return path_resolve(cwd, path, full, FS_PATH_MAX);
}

/* Finds what @path names for the caller, who gives it back with put_node(). */
static int lookup(const char *path, struct fs_node *node)
{
	char full[FS_PATH_MAX];
	int only_dir = resolve(path, full);
	int err;

	if (only_dir < 0)
		return only_dir;
	err = lookup_resolved(full, 0, 0, node, NULL);
	if (!err && only_dir && !is_dir(node)) {
		put_node(node);
		err = -ENOTDIR;
	}
	return err;
}

static int node_may(const struct fs_node *node, unsigned want)
{
	return node->inode ? inode_may(node->inode, want) : fs_may(node->mode, 0, want);
}

/* Is it a file of another tree that nobody can write? */
static bool is_read_only(const struct fs_node *node)
{
	return !node->inode && (node->mode & UAPI_S_IFMT) == UAPI_S_IFREG &&
	       !(node->ops && node->ops->write);
}

/* What opening with @flags needs to be allowed. */
static unsigned wanted(u32 flags)
{
	static const u8 by_mode[] = {
	    [UAPI_O_RDONLY] = UAPI_R_OK,
	    [UAPI_O_WRONLY] = UAPI_W_OK,
	    [UAPI_O_RDWR] = UAPI_R_OK | UAPI_W_OK,
	};

	return by_mode[flags & UAPI_O_ACCMODE] | (flags & UAPI_O_TRUNC ? UAPI_W_OK : 0);
}

/* May what @node says be opened with @flags? */
static int check_open(const struct fs_node *node, u32 flags)
{
	bool writes = wanted(flags) & UAPI_W_OK;

	if ((flags & UAPI_O_CREAT) && (flags & UAPI_O_EXCL))
		return -EEXIST;
	if (is_dir(node) && (writes || (flags & UAPI_O_CREAT)))
		return -EISDIR;
	if (!is_dir(node) && (flags & UAPI_O_DIRECTORY))
		return -ENOTDIR;
	if (!node->ops)
		return -ENXIO; /* a kind of file that only an archive knows */
	if ((node->mode & UAPI_S_IFMT) == UAPI_S_IFCHR)
		return 0; /* the device decides, when it is opened */
	if (writes && is_read_only(node))
		return -EROFS;
	return node_may(node, wanted(flags));
}

/* Finds, or makes, what @path names, and sees to it that it can be opened with @flags. */
static int open_node(const char *path, u32 flags, u32 mode, struct fs_node *node)
{
	char full[FS_PATH_MAX];
	int only_dir = resolve(path, full);
	bool created = false;
	int err;

	if (only_dir < 0)
		return only_dir;
	if (only_dir && (flags & UAPI_O_CREAT))
		return -EISDIR;
	err = lookup_resolved(full, flags, mode, node, &created);
	if (err)
		return err;
	if (only_dir && !is_dir(node))
		err = -ENOTDIR;
	if (!err && !created)
		err = check_open(node, flags);
	if (!err && !created && (flags & UAPI_O_TRUNC) && node->inode)
		err = inode_truncate(node->inode, 0);
	if (err)
		put_node(node);
	return err;
}

struct file *fs_open(const char *path, u32 flags, u32 mode)
{
	struct fs_node node;
	struct file *f;
	int err;

	if ((flags & ~FLAGS_KNOWN) || (flags & UAPI_O_ACCMODE) == UAPI_O_ACCMODE)
		return ERR_PTR(-EINVAL);
	if ((flags & UAPI_O_CREAT) && (flags & UAPI_O_DIRECTORY))
		return ERR_PTR(-EINVAL);
	err = open_node(path, flags, mode & 0777 & ~fs_umask(), &node);
	if (err)
		return ERR_PTR(err);
	f = file_create(node.ops, flags & FLAGS_KEPT, node.private);
	if (IS_ERR(f))
		put_node(&node);
	if (IS_ERR(f) || !f->ops->open)
		return f;
	err = f->ops->open(f);
	if (!err)
		return f;
	file_put(f);
	return ERR_PTR(err);
}

int fs_stat(const char *path, struct uapi_stat *st)
{
	struct fs_node node;
	int err = lookup(path, &node);

	if (err)
		return err;
	if (node.inode)
		inode_stat(node.inode, st);
	else
		*st = (struct uapi_stat){.ino = node.ino, .mode = node.mode, .nlink = 1};
	put_node(&node);
	return 0;
}

int fs_access(const char *path, unsigned want)
{
	struct fs_node node;
	int err = lookup(path, &node);

	if (err)
		return err;
	err = node_may(&node, want);
	if (!err && want & UAPI_W_OK && is_read_only(&node))
		err = -EROFS;
	put_node(&node);
	return err;
}

int fs_chdir(const char *path)
{
	char full[FS_PATH_MAX];
	struct fs_node node;
	int err = resolve(path, full);

	if (err >= 0)
		err = lookup(path, &node);
	if (err)
		return err;
	err = is_dir(&node) ? node_may(&node, UAPI_X_OK) : -ENOTDIR;
	put_node(&node);
	if (err)
		return err;
	if (strlen(full) >= PROCESS_CWD_MAX)
		return -ENAMETOOLONG;
	process_set_cwd(full);
	return 0;
}

/* --- Changing what there is --- */

/* Resolves @path for a change in the file tree; 0, 1 when only a directory will do, -errno. */
static int resolve_change(const char *path, char full[FS_PATH_MAX])
{
	int only_dir = resolve(path, full);
	const char *rest;

	if (only_dir >= 0 && find_other_tree(full, &rest))
		return *rest ? -EROFS : -EBUSY;
	return only_dir;
}

int fs_mkdir(const char *path, u32 mode)
{
	char full[FS_PATH_MAX];
	int only_dir = resolve_change(path, full);

	if (only_dir < 0)
		return only_dir == -EBUSY ? -EEXIST : only_dir;
	return tree_mkdir(full, mode & UAPI_MODE_BITS & ~fs_umask());
}

int fs_unlink(const char *path)
{
	char full[FS_PATH_MAX];
	int only_dir = resolve_change(path, full);

	if (only_dir < 0)
		return only_dir;
	return only_dir ? -ENOTDIR : tree_unlink(full);
}

int fs_rmdir(const char *path)
{
	char full[FS_PATH_MAX];
	int only_dir = resolve_change(path, full);

	return only_dir < 0 ? only_dir : tree_rmdir(full);
}

/* Resolves two paths, the second of which is to become another name for the first. */
static int resolve_both(const char *from, const char *to, char full_from[FS_PATH_MAX],
			char full_to[FS_PATH_MAX])
{
	int from_dir = resolve_change(from, full_from), to_dir;
	struct fs_node node;
	int err;

	if (from_dir < 0)
		return from_dir;
	to_dir = resolve_change(to, full_to);
	if (to_dir < 0 || (!from_dir && !to_dir))
		return to_dir;
	err = lookup_resolved(full_from, 0, 0, &node, NULL);
	if (err)
		return err;
	err = is_dir(&node) ? 0 : -ENOTDIR;
	put_node(&node);
	return err;
}

int fs_link(const char *from, const char *to)
{
	char full_from[FS_PATH_MAX], full_to[FS_PATH_MAX];
	int err = resolve_both(from, to, full_from, full_to);

	return err ? err : tree_link(full_from, full_to);
}

int fs_rename(const char *from, const char *to)
{
	char full_from[FS_PATH_MAX], full_to[FS_PATH_MAX];
	int err = resolve_both(from, to, full_from, full_to);

	return err ? err : tree_rename(full_from, full_to);
}

int fs_truncate(const char *path, u64 size)
{
	struct fs_node node;
	int err = lookup(path, &node);

	if (err)
		return err;
	err = node.inode ? inode_may(node.inode, UAPI_W_OK) : -EROFS;
	if (!err)
		err = inode_truncate(node.inode, size);
	put_node(&node);
	return err;
}

int fs_set_attributes(const char *path, const struct uapi_attributes *a)
{
	struct fs_node node;
	int err = lookup(path, &node);

	if (err)
		return err;
	err = node.inode ? inode_set_attributes(node.inode, a) : -EROFS;
	put_node(&node);
	return err;
}

int fs_program(const char *path, struct file_image *image)
{
	struct fs_node node;
	int err = lookup(path, &node);

	if (err)
		return err;
	err = node.inode ? inode_may(node.inode, UAPI_X_OK) : -EACCES;
	if (!err)
		err = inode_image(node.inode, image);
	put_node(&node);
	return err;
}
