/* SPDX-License-Identifier: MIT */
/* /dev: the device files that rooms and drivers were linked with. */
#include "fs_node.h"
#include <hotregs/string.h>

extern const struct device_file __device_files_start[], __device_files_end[];

static int devices_readdir(struct file *f, struct dir_entry *entry)
{
	if (f->pos >= __device_files_end - __device_files_start)
		return -ENOENT;
	strlcpy(entry->name, __device_files_start[f->pos].name, sizeof(entry->name));
	entry->ino = INO_DEVICES + 1 + f->pos;
	entry->type = UAPI_DT_CHR;
	f->pos++;
	return 0;
}

static const struct file_ops devices_dir_ops = {
    .lseek = dir_lseek,
    .stat = dir_stat,
    .readdir = devices_readdir,
};

int devices_lookup(const char *path, struct fs_node *node)
{
	const struct device_file *dev;
	size_t n;

	if (!*path) {
		fs_node_dir(node, INO_DEVICES, &devices_dir_ops, NULL);
		return 0;
	}
	path++;
	for (dev = __device_files_start; dev < __device_files_end; dev++) {
		n = strlen(dev->name);
		if (strncmp(path, dev->name, n) || (path[n] && path[n] != '/'))
			continue;
		if (path[n])
			return -ENOTDIR;
		*node = (struct fs_node){
		    .mode = UAPI_S_IFCHR | dev->mode,
		    .ino = INO_DEVICES + 1 + (dev - __device_files_start),
		    .ops = dev->ops,
		};
		return 0;
	}
	return -ENOENT;
}
