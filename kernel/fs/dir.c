/* SPDX-License-Identifier: MIT */
/* Directories: what all of them do, and those that list a fixed set of names. */
#include "fs_node.h"
#include <hotregs/string.h>

int dir_stat(struct file *f, struct uapi_stat *st)
{
	*st = (struct uapi_stat){.mode = UAPI_S_IFDIR | 0555, .nlink = 1};
	return 0;
}

loff_t dir_lseek(struct file *f, loff_t offset, int whence)
{
	/* A directory has no end to count from; its positions are those it gave before. */
	return whence == UAPI_SEEK_END ? -EINVAL : file_seek(f, offset, whence, 0);
}

static int fixed_dir_readdir(struct file *f, struct dir_entry *entry)
{
	const struct fixed_dir *dir = f->private;

	if ((u64)f->pos >= dir->nr)
		return -ENOENT;
	strlcpy(entry->name, dir->name[f->pos], sizeof(entry->name));
	entry->ino = dir->ino + f->pos;
	entry->type = dir->type;
	f->pos++;
	return 0;
}

const struct file_ops fixed_dir_ops = {
    .lseek = dir_lseek,
    .stat = dir_stat,
    .readdir = fixed_dir_readdir,
};
