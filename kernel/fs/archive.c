/* SPDX-License-Identifier: MIT */
/*
 * The boot archive: what the file tree has at the beginning. The contents of its files stay where
 * the boot loader put them.
 */
#include <hotregs/boot_info.h>
#include <hotregs/mm.h>
#include <hotregs/string.h>

#include "tree.h"

/* The path of an entry, which may be written with "./", leading or trailing slashes. -EINVAL. */
static int entry_path(const struct archive_entry *entry, char path[FS_PATH_MAX])
{
	const char *name = entry->name;
	char resolved[FS_PATH_MAX];
	size_t len;

	if (name[0] == '.' && (name[1] == '/' || !name[1]))
		name++;
	while (*name == '/')
		name++;
	len = strlen(name);
	while (len && name[len - 1] == '/')
		len--;
	if (len > NAME_LEN_MAX || (name[len] && (entry->mode & UAPI_S_IFMT) != UAPI_S_IFDIR))
		return -EINVAL; /* too long, or a file whose name ends in a slash */
	path[0] = '/';
	memcpy(path + 1, name, len);
	path[len + 1] = '\0';
	/* Is it what a path would lead to, no "//", "." or ".." in it? */
	return path_resolve("/", path, resolved, sizeof(resolved)) < 0 || strcmp(path, resolved)
		   ? -EINVAL
		   : 0;
}

/* Adds a file or directory; one that is there already becomes the new one. */
static int add(const struct archive_entry *entry)
{
	char path[FS_PATH_MAX];
	struct inode *inode;
	int err = entry_path(entry, path);

	if (err)
		return err;
	inode = tree_add(path, entry->mode & (UAPI_S_IFMT | UAPI_MODE_BITS));
	if (IS_ERR(inode))
		return PTR_ERR(inode) == -ENOSPC ? -ENOMEM : -EINVAL;
	inode->atime = inode->mtime = inode->ctime = entry->mtime * 1000000000ULL;
	if ((entry->mode & UAPI_S_IFMT) == UAPI_S_IFDIR)
		return 0;
	inode->archived = entry->data;
	inode->archived_size = inode->size = entry->size;
	return 0;
}

int archive_init(void)
{
	const struct boot_region *region = &boot_info.archive;
	const u8 *image = phys_to_virt(region->start);
	struct archive_entry entry;
	size_t offset = 0;
	int err = 0;

	tree_init();
	if (!region->size)
		return -ENOENT;
	while (!err) {
		err = cpio_next(image, region->size, &offset, &entry);
		if (err == -ENOENT)
			return 0;
		if (!err)
			err = add(&entry);
	}
	return err;
}
