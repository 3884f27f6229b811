/* SPDX-License-Identifier: MIT */
/* From a path to an open file: which tree it lies in, and whether it may be opened so. */
#include "fs_node.h"
#include <hotregs/cpu.h>
#include <hotregs/process.h>
#include <hotregs/string.h>

#define FLAGS_KEPT (UAPI_O_ACCMODE | UAPI_O_APPEND | UAPI_O_NONBLOCK)
#define FLAGS_KNOWN \
	(FLAGS_KEPT | UAPI_O_CREAT | UAPI_O_TRUNC | UAPI_O_EXCL | UAPI_O_CLOEXEC | UAPI_O_DIRECTORY)

/* The trees below the archive's root. */
static const struct {
	const char *prefix;
	int (*lookup)(const char *path, struct fs_node *node);
} trees[] = {
    {"/dev", devices_lookup},
    {"/proc", procfs_lookup},
    {"/sys", sysfs_lookup},
};

/* Finds an absolute, resolved @path. */
static int lookup_resolved(const char *path, struct fs_node *node)
{
	for (size_t i = 0; i < ARRAY_SIZE(trees); i++) {
		size_t n = strlen(trees[i].prefix);

		if (!strncmp(path, trees[i].prefix, n) && (!path[n] || path[n] == '/'))
			return trees[i].lookup(path + n, node);
	}
	return archive_lookup(path, node);
}

static bool is_dir(const struct fs_node *node)
{
	return (node->mode & UAPI_S_IFMT) == UAPI_S_IFDIR;
}

/* Finds @path from the current task's directory; @full gets its absolute name. */
static int lookup(const char *path, char full[FS_PATH_MAX], struct fs_node *node)
{
	int only_dir = path_resolve(current_cwd(), path, full, FS_PATH_MAX);
	int err;

	if (only_dir < 0)
		return only_dir;
	err = lookup_resolved(full, node);
	if (!err && only_dir && !is_dir(node))
		err = -ENOTDIR;
	return err;
}

/* May what @node says be opened with @flags? */
static int check_open(const struct fs_node *node, u32 flags)
{
	bool writes = (flags & UAPI_O_ACCMODE) != UAPI_O_RDONLY || (flags & UAPI_O_TRUNC);

	if ((flags & UAPI_O_CREAT) && (flags & UAPI_O_EXCL))
		return -EEXIST;
	if (is_dir(node))
		return writes || (flags & UAPI_O_CREAT) ? -EISDIR : 0;
	if (flags & UAPI_O_DIRECTORY)
		return -ENOTDIR;
	if (!node->ops)
		return -ENXIO; /* a kind of file that only an archive knows */
	if (!writes || (node->mode & UAPI_S_IFMT) != UAPI_S_IFREG)
		return 0;
	/* The files that can be written belong to the privileged user: /proc/sys. */
	if (!node->ops->write)
		return -EROFS;
	return process_privileged() ? 0 : -EACCES;
}

struct file *fs_open(const char *path, u32 flags)
{
	char full[FS_PATH_MAX];
	struct fs_node node;
	struct file *f;
	int err;

	if ((flags & ~FLAGS_KNOWN) || (flags & UAPI_O_ACCMODE) == UAPI_O_ACCMODE)
		return ERR_PTR(-EINVAL);
	err = lookup(path, full, &node);
	if (err == -ENOENT && (flags & UAPI_O_CREAT) && *path)
		err = -EROFS;
	if (!err)
		err = check_open(&node, flags);
	if (err)
		return ERR_PTR(err);
	f = file_create(node.ops, flags & FLAGS_KEPT, node.private);
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
	char full[FS_PATH_MAX];
	struct fs_node node;
	int err = lookup(path, full, &node);

	if (err)
		return err;
	*st = (struct uapi_stat){
	    .ino = node.ino,
	    .mode = node.mode,
	    .nlink = 1,
	    .size = node.size,
	    .mtime = node.mtime,
	};
	return 0;
}

int fs_chdir(const char *path)
{
	char full[FS_PATH_MAX];
	struct fs_node node;
	int err = lookup(path, full, &node);

	if (err)
		return err;
	if (!is_dir(&node))
		return -ENOTDIR;
	if (strlen(full) >= PROCESS_CWD_MAX)
		return -ENAMETOOLONG;
	strlcpy(current->process->cwd, full, PROCESS_CWD_MAX);
	return 0;
}
