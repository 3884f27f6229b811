/* SPDX-License-Identifier: MIT */
/*
 * The boot archive: the read-only tree that programs live in. Its files are used where the boot
 * loader put them; an index, made once, has the names and the directories, also those that the
 * archive only implies.
 */
#include "fs_node.h"
#include <hotregs/boot_info.h>
#include <hotregs/mm.h>
#include <hotregs/string.h>

/* An entry under its name without "./", leading or trailing slashes, which need not end in NUL. */
struct node {
	struct archive_entry entry;
	const char *name;
	size_t len;
};

/* Directories that exist whatever the archive holds: the root and where the other trees hang. */
static const char *const fixed_dirs[] = {"", "dev", "proc", "sys"};

/* The root comes first; a node's number + 1 is its inode number. */
static struct node *nodes;
static size_t nr_nodes;

static const struct file_ops archive_file_ops;
static const struct file_ops archive_dir_ops;

static bool is_dir(const struct node *node)
{
	return (node->entry.mode & UAPI_S_IFMT) == UAPI_S_IFDIR;
}

static struct node *find(const char *name, size_t len)
{
	for (struct node *node = nodes; node < nodes + nr_nodes; node++)
		if (node->len == len && !memcmp(node->name, name, len))
			return node;
	return NULL;
}

/* Adds @entry as @name; one that is there already becomes the new one, if both are of a kind. */
static int add(const char *name, size_t len, const struct archive_entry *entry)
{
	struct node *node = find(name, len);

	if (!node)
		node = &nodes[nr_nodes++];
	else if ((node->entry.mode ^ entry->mode) & UAPI_S_IFMT)
		return -EINVAL;
	node->entry = *entry;
	node->entry.ino = node - nodes + 1;
	node->name = name;
	node->len = len;
	return 0;
}

/* Makes sure that the directories above @name exist. */
static int add_parents(const char *name, size_t len)
{
	const struct archive_entry dir = {.name = "", .mode = UAPI_S_IFDIR | 0555};
	struct node *parent;
	int err;

	for (size_t i = 0; i < len; i++) {
		if (name[i] != '/')
			continue;
		parent = find(name, i);
		if (parent && !is_dir(parent))
			return -EINVAL;
		if (parent)
			continue;
		err = add(name, i, &dir);
		if (err)
			return err;
	}
	return 0;
}

/* Is @name a path that path_resolve() could lead to? */
static bool valid_name(const char *name, size_t len)
{
	char resolved[FS_PATH_MAX];

	return path_resolve("/", name, resolved, sizeof(resolved)) >= 0 &&
	       strlen(resolved) == len + 1 && !memcmp(resolved + 1, name, len);
}

static int add_entry(const struct archive_entry *entry)
{
	const char *name = entry->name;
	size_t len;
	int err;

	if (name[0] == '.' && (name[1] == '/' || !name[1]))
		name++;
	while (*name == '/')
		name++;
	len = strlen(name);
	while (len && name[len - 1] == '/')
		len--;
	if (len && !valid_name(name, len))
		return -EINVAL;
	if (name[len] && (entry->mode & UAPI_S_IFMT) != UAPI_S_IFDIR)
		return -EINVAL; /* a file whose name ends in a slash */
	err = add_parents(name, len);
	return err ? err : add(name, len, entry);
}

/* The most nodes the archive can need: one for each entry and for each slash in a name. */
static int count_nodes(const u8 *image, size_t size, size_t *count)
{
	struct archive_entry entry;
	size_t offset = 0;
	int err;

	while (!(err = cpio_next(image, size, &offset, &entry))) {
		++*count;
		for (const char *c = entry.name; *c; c++)
			*count += *c == '/';
	}
	return err == -ENOENT ? 0 : err;
}

static int fill_index(const u8 *image, size_t size)
{
	struct archive_entry entry = {.name = "", .mode = UAPI_S_IFDIR | 0555};
	size_t offset = 0;
	int err = 0;

	for (size_t i = 0; !err && i < ARRAY_SIZE(fixed_dirs); i++)
		err = add(fixed_dirs[i], strlen(fixed_dirs[i]), &entry);
	while (!err && !cpio_next(image, size, &offset, &entry))
		err = add_entry(&entry);
	return err;
}

int archive_init(void)
{
	const struct boot_region *region = &boot_info.archive;
	const u8 *image = phys_to_virt(region->start);
	size_t count = ARRAY_SIZE(fixed_dirs);
	unsigned order = 0;
	int err;

	if (!region->size)
		return -ENOENT;
	err = count_nodes(image, region->size, &count);
	if (err)
		return err;
	while (count * sizeof(*nodes) > PAGE_SIZE << order)
		order++;
	nodes = order <= MAX_PAGE_ORDER ? page_alloc(order) : NULL;
	if (!nodes)
		return -ENOMEM;
	err = fill_index(image, region->size);
	if (err) {
		page_free(nodes, order);
		nodes = NULL;
		nr_nodes = 0;
	}
	return err;
}

int archive_find(const char *path, struct archive_entry *entry)
{
	const struct node *node;

	while (*path == '/')
		path++;
	node = find(path, strlen(path));
	if (!node)
		return -ENOENT;
	if (is_dir(node))
		return -EISDIR;
	*entry = node->entry;
	entry->name = node->name;
	return 0;
}

/* Why is @path not there: -ENOTDIR when a file is in its way, -ENOENT. */
static int lookup_error(const char *path)
{
	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		const struct node *node = find(path, slash - path);

		if (!node)
			break;
		if (!is_dir(node))
			return -ENOTDIR;
	}
	return -ENOENT;
}

int archive_lookup(const char *path, struct fs_node *fs_node)
{
	const char *name = *path == '/' ? path + 1 : path;
	struct node *node = find(name, strlen(name));
	u32 type;

	if (!node)
		return lookup_error(name);
	type = node->entry.mode & UAPI_S_IFMT;
	*fs_node = (struct fs_node){
	    .mode = node->entry.mode,
	    .ino = node->entry.ino,
	    .size = node->entry.size,
	    .mtime = node->entry.mtime,
	    .private = node,
	};
	if (type == UAPI_S_IFDIR)
		fs_node->ops = &archive_dir_ops;
	else if (type == UAPI_S_IFREG)
		fs_node->ops = &archive_file_ops;
	return 0;
}

static ssize_t archive_read(struct file *f, void __user *buf, size_t n)
{
	const struct node *node = f->private;

	return file_read_memory(f, buf, n, node->entry.data, node->entry.size);
}

static loff_t archive_lseek(struct file *f, loff_t offset, int whence)
{
	const struct node *node = f->private;

	return file_seek(f, offset, whence, node->entry.size);
}

static int archive_stat(struct file *f, struct uapi_stat *st)
{
	const struct node *node = f->private;

	*st = (struct uapi_stat){
	    .ino = node->entry.ino,
	    .mode = node->entry.mode,
	    .nlink = 1,
	    .size = node->entry.size,
	    .mtime = node->entry.mtime,
	};
	return 0;
}

static u8 dirent_type(u32 mode)
{
	switch (mode & UAPI_S_IFMT) {
	case UAPI_S_IFDIR:
		return UAPI_DT_DIR;
	case UAPI_S_IFREG:
		return UAPI_DT_REG;
	default:
		return UAPI_DT_UNKNOWN;
	}
}

/* The last component of @node's name when it lies in directory @dir, else NULL. */
static const char *name_in(const struct node *node, const struct node *dir, size_t *len)
{
	size_t skip = dir->len ? dir->len + 1 : 0;

	if (node->len <= skip || (skip && node->name[dir->len] != '/') ||
	    memcmp(node->name, dir->name, dir->len))
		return NULL;
	*len = node->len - skip;
	for (size_t i = skip; i < node->len; i++)
		if (node->name[i] == '/')
			return NULL;
	return node->name + skip;
}

static int archive_readdir(struct file *f, struct dir_entry *entry)
{
	const struct node *dir = f->private;

	while ((u64)f->pos < nr_nodes) {
		const struct node *node = &nodes[f->pos++];
		size_t len;
		const char *name = name_in(node, dir, &len);

		if (!name)
			continue;
		memcpy(entry->name, name, len);
		entry->name[len] = '\0';
		entry->ino = node->entry.ino;
		entry->type = dirent_type(node->entry.mode);
		return 0;
	}
	return -ENOENT;
}

int archive_file_entry(const struct file *f, struct archive_entry *entry)
{
	const struct node *node = f->private;

	if (f->ops != &archive_file_ops)
		return -ENODEV;
	*entry = node->entry;
	entry->name = node->name;
	return 0;
}

static const struct file_ops archive_file_ops = {
    .read = archive_read,
    .lseek = archive_lseek,
    .stat = archive_stat,
};

static const struct file_ops archive_dir_ops = {
    .lseek = dir_lseek,
    .stat = archive_stat,
    .readdir = archive_readdir,
};
