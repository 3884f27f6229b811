/* SPDX-License-Identifier: MIT */
/*
 * The names in the file tree: finding, making, moving and removing them. There are no symbolic
 * links, so a path leads to one place, and none of its prefixes to another.
 */
#include <hotregs/mm.h>
#include <hotregs/printk.h>
#include <hotregs/process.h>
#include <hotregs/string.h>
#include <hotregs/time.h>

#include "fs_node.h"
#include "tree.h"

struct mutex tree_lock = MUTEX_INIT(tree_lock);

static struct inode *root;

/* Directories that exist whatever the archive holds: where other trees hang, and for everybody. */
static const struct {
	const char *path;
	u32 mode;
} fixed_dirs[] = {{"/dev", 0755}, {"/proc", 0755}, {"/sys", 0755}, {"/tmp", 01777}};

/* Where a path leads: its last component, and the directory that is in. */
struct place {
	struct inode *dir;
	const char *text;  /* not ended by a NUL */
	size_t len;        /* 0: the root, of which nothing else here is true */
	struct name *name; /* NULL: there is no such name in dir */
};

static struct name *find_name(const struct inode *dir, const char *text, size_t len)
{
	struct name *name;

	list_for_each (name, &dir->names, node)
		if (name->len == len && !memcmp(name->text, text, len))
			return name;
	return NULL;
}

/* Finds @path's place; an error when something on the way is missing, no directory or closed. */
static int find_place(const char *path, struct place *place)
{
	struct inode *dir = root;

	for (path++;; path += place->len + 1) {
		const char *end = strchr(path, '/');
		int err = inode_is_dir(dir) ? inode_may(dir, UAPI_X_OK) : -ENOTDIR;

		if (err)
			return err;
		place->dir = dir;
		place->text = path;
		place->len = end ? (size_t)(end - path) : strlen(path);
		place->name = find_name(dir, path, place->len);
		if (!end)
			return 0;
		if (!place->name)
			return -ENOENT;
		dir = place->name->inode;
	}
}

/* What is there; NULL: nothing. */
static struct inode *place_inode(const struct place *place)
{
	if (!place->len)
		return root;
	return place->name ? place->name->inode : NULL;
}

/* Finds @path's place, at which there must be something that may be taken away. */
static int find_removable(const char *path, struct place *place)
{
	int err = find_place(path, place);
	uid_t uid = fs_uid();

	if (err)
		return err;
	if (!place->len)
		return -EBUSY;
	err = inode_may(place->dir, UAPI_W_OK);
	if (err)
		return err;
	if (!place->name)
		return -ENOENT;
	if (place->dir->mode & UAPI_S_ISVTX && uid && uid != place->dir->uid &&
	    uid != place->name->inode->uid)
		return -EPERM;
	return 0;
}

/* A name for @place; -ENOSPC. It is in no directory yet. */
static struct name *make_name(const struct place *place)
{
	struct name *name = NULL;

	if (page_can_spare(1))
		name = kmalloc(sizeof(*name) + place->len + 1);
	if (!name)
		return ERR_PTR(-ENOSPC);
	name->len = place->len;
	memcpy(name->text, place->text, place->len);
	name->text[place->len] = '\0';
	return name;
}

/* Calls @inode, whose reference is taken over, @name, last in @dir. */
static void add_name(struct inode *dir, struct name *name, struct inode *inode)
{
	const struct name *last = list_entry(dir->names.prev, struct name, node);

	name->position = list_empty(&dir->names) ? 0 : last->position + 1;
	name->dir = dir;
	name->inode = inode;
	list_add_tail(&name->node, &dir->names);
	inode->name = name;
	inode->nlink++;
	inode->ctime = dir->mtime = dir->ctime = clock_realtime_ns();
}

/* Takes @name out of its directory; the reference it held is the caller's. */
static struct inode *remove_name(struct name *name)
{
	struct inode *inode = name->inode;

	list_del(&name->node);
	if (inode->name == name)
		inode->name = NULL;
	inode->nlink--;
	inode->ctime = name->dir->mtime = name->dir->ctime = clock_realtime_ns();
	kfree(name);
	return inode;
}

/* Makes an inode at @place, where nothing is; it belongs to its name. */
static struct inode *make_at(const struct place *place, u32 mode)
{
	int err = inode_may(place->dir, UAPI_W_OK);
	struct inode *inode;
	struct name *name;

	if (err)
		return ERR_PTR(err);
	name = make_name(place);
	if (IS_ERR(name))
		return (void *)name;
	inode = inode_create(mode);
	if (IS_ERR(inode))
		kfree(name);
	else
		add_name(place->dir, name, inode);
	return inode;
}

struct inode *tree_lookup(const char *path)
{
	return tree_open(path, 0, 0, NULL);
}

/* tree_open() with the lock held; without a reference. */
static struct inode *open_at(const char *path, u32 flags, u32 mode, bool *created)
{
	struct place place;
	int err = find_place(path, &place);
	struct inode *inode;

	if (err)
		return ERR_PTR(err);
	inode = place_inode(&place);
	if (!inode && !(flags & UAPI_O_CREAT))
		return ERR_PTR(-ENOENT);
	if (inode)
		return (flags & UAPI_O_CREAT) && (flags & UAPI_O_EXCL) ? ERR_PTR(-EEXIST) : inode;
	*created = true;
	return make_at(&place, UAPI_S_IFREG | mode);
}

struct inode *tree_open(const char *path, u32 flags, u32 mode, bool *created)
{
	struct inode *inode;

	mutex_lock(&tree_lock);
	inode = open_at(path, flags, mode, created);
	if (!IS_ERR(inode))
		inode_get(inode);
	mutex_unlock(&tree_lock);
	return inode;
}

int tree_mkdir(const char *path, u32 mode)
{
	struct inode *inode;
	struct place place;
	int err;

	mutex_lock(&tree_lock);
	err = find_place(path, &place);
	if (!err && place_inode(&place))
		err = -EEXIST;
	if (!err) {
		inode = make_at(&place, UAPI_S_IFDIR | mode);
		err = IS_ERR(inode) ? PTR_ERR(inode) : 0;
	}
	mutex_unlock(&tree_lock);
	return err;
}

/* Removes @path, a directory or not. */
static int remove_at(const char *path, bool dir)
{
	struct inode *inode = NULL;
	struct place place;
	int err;

	mutex_lock(&tree_lock);
	err = find_removable(path, &place);
	if (!err && inode_is_dir(place.name->inode) != dir)
		err = dir ? -ENOTDIR : -EISDIR;
	if (!err && !list_empty(&place.name->inode->names))
		err = -ENOTEMPTY;
	if (!err)
		inode = remove_name(place.name);
	mutex_unlock(&tree_lock);
	if (!err)
		inode_put(inode);
	return err;
}

int tree_unlink(const char *path)
{
	return remove_at(path, false);
}

int tree_rmdir(const char *path)
{
	return remove_at(path, true);
}

/* Calls @inode @path, too. */
static int link_at(struct inode *inode, const char *path)
{
	struct place place;
	struct name *name;
	int err = find_place(path, &place);

	if (err)
		return err;
	if (place_inode(&place))
		return -EEXIST;
	err = inode_may(place.dir, UAPI_W_OK);
	if (err)
		return err;
	name = make_name(&place);
	if (IS_ERR(name))
		return PTR_ERR(name);
	add_name(place.dir, name, inode_get(inode));
	return 0;
}

int tree_link(const char *from, const char *to)
{
	struct inode *inode;
	struct place place;
	int err;

	mutex_lock(&tree_lock);
	err = find_place(from, &place);
	if (!err) {
		inode = place_inode(&place);
		if (!inode)
			err = -ENOENT;
		else
			err = inode_is_dir(inode) ? -EPERM : link_at(inode, to);
	}
	mutex_unlock(&tree_lock);
	return err;
}

/* May @inode take the place of what is at @to? */
static int check_replace(const struct inode *inode, const struct place *to)
{
	const struct inode *old = place_inode(to);

	if (!old)
		return inode_may(to->dir, UAPI_W_OK);
	if (inode_is_dir(old) && !inode_is_dir(inode))
		return -EISDIR;
	if (!inode_is_dir(old) && inode_is_dir(inode))
		return -ENOTDIR;
	return list_empty(&old->names) ? 0 : -ENOTEMPTY;
}

/* tree_rename() with the lock held; *@replaced: what was there, its reference the caller's. */
static int rename_at(const char *from_path, const char *to_path, struct inode **replaced)
{
	struct place from, to;
	size_t len = strlen(from_path);
	struct inode *inode;
	struct name *name;
	int err = find_removable(from_path, &from);

	if (err)
		return err;
	inode = from.name->inode;
	if (!strncmp(from_path, to_path, len) && to_path[len] == '/' && inode_is_dir(inode))
		return -EINVAL; /* into itself */
	err = find_place(to_path, &to);
	if (err)
		return err;
	if (place_inode(&to) == inode)
		return 0;
	err = place_inode(&to) ? find_removable(to_path, &to) : 0;
	if (!err)
		err = check_replace(inode, &to);
	if (err)
		return err;
	name = make_name(&to);
	if (IS_ERR(name))
		return PTR_ERR(name);
	if (to.name)
		*replaced = remove_name(to.name);
	remove_name(from.name);
	add_name(to.dir, name, inode);
	return 0;
}

int tree_rename(const char *from, const char *to)
{
	struct inode *replaced = NULL;
	int err;

	mutex_lock(&tree_lock);
	err = rename_at(from, to, &replaced);
	mutex_unlock(&tree_lock);
	if (replaced)
		inode_put(replaced);
	return err;
}

/* Writes the path backwards from @end on; where it begins, or NULL: it is longer than @size. */
static char *write_path(const struct inode *inode, char *end, size_t size)
{
	for (const struct name *name = inode->name; name; name = name->dir->name) {
		if (name->len + 1U > size)
			return NULL;
		size -= name->len + 1;
		end -= name->len + 1;
		end[0] = '/';
		memcpy(end + 1, name->text, name->len);
	}
	return end;
}

int tree_path(struct inode *inode, char *buf, size_t size)
{
	char *start;

	mutex_lock(&tree_lock);
	buf[size - 1] = '\0';
	start = write_path(inode, buf + size - 1, size - 1);
	if (start)
		memmove(buf, start, buf + size - start);
	mutex_unlock(&tree_lock);
	if (start && !*buf)
		strlcpy(buf, inode == root ? "/" : "(deleted)", size);
	return start ? 0 : -ENAMETOOLONG;
}

/* --- Open directories --- */

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

/* Positions rise and are never used again, so what is removed or added meanwhile moves nothing. */
static int tree_dir_readdir(struct file *f, struct dir_entry *entry)
{
	const struct inode *dir = f->private;
	const struct name *name;
	int err = -ENOENT;

	mutex_lock(&tree_lock);
	list_for_each (name, &dir->names, node) {
		if (name->position < (u64)f->pos)
			continue;
		strlcpy(entry->name, name->text, sizeof(entry->name));
		entry->ino = name->inode->ino;
		entry->type = dirent_type(name->inode->mode);
		f->pos = name->position + 1;
		err = 0;
		break;
	}
	mutex_unlock(&tree_lock);
	return err;
}

static int tree_dir_stat(struct file *f, struct uapi_stat *st)
{
	inode_stat(f->private, st);
	return 0;
}

static void tree_dir_release(struct file *f)
{
	inode_put(f->private);
}

const struct file_ops tree_dir_ops = {
    .lseek = dir_lseek,
    .stat = tree_dir_stat,
    .readdir = tree_dir_readdir,
    .release = tree_dir_release,
};

/* --- Start-up --- */

void tree_init(void)
{
	int err = 0;

	root = inode_create(UAPI_S_IFDIR | 0755);
	if (IS_ERR(root))
		err = PTR_ERR(root);
	for (size_t i = 0; !err && i < ARRAY_SIZE(fixed_dirs); i++)
		err = tree_mkdir(fixed_dirs[i].path, fixed_dirs[i].mode);
	if (err)
		panic("no memory for the file tree");
}

/* Makes sure that the directories above @path exist. */
static int make_parents(const char *path)
{
	char parent[FS_PATH_MAX];

	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		int err;

		strlcpy(parent, path, slash - path + 1);
		err = tree_mkdir(parent, 0755);
		if (err && err != -EEXIST)
			return err;
	}
	return 0;
}

/* tree_add() where the directory is there, with the lock held. */
static struct inode *add_at(const char *path, u32 mode)
{
	struct place place;
	int err = find_place(path, &place);
	struct inode *inode;

	if (err)
		return ERR_PTR(err);
	inode = place_inode(&place);
	if (!inode)
		return make_at(&place, mode);
	if ((inode->mode ^ mode) & UAPI_S_IFMT)
		return ERR_PTR(-EEXIST);
	inode->mode = mode;
	return inode;
}

struct inode *tree_add(const char *path, u32 mode)
{
	int err = make_parents(path);
	struct inode *inode;

	if (err)
		return ERR_PTR(err);
	mutex_lock(&tree_lock);
	inode = add_at(path, mode);
	mutex_unlock(&tree_lock);
	return inode;
}
