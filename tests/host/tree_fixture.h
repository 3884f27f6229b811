/* SPDX-License-Identifier: MIT */
/* The file tree for tests: small calls on it, and taking it down so that a leak shows. */
#pragma once

#include <string.h>

#include "host.h"

#include "../../kernel/fs/fs_node.h"
#include "../../kernel/fs/tree.h"
#include <hotregs/process.h>

u64 clock_realtime_ns(void)
{
	return host_clock;
}

static struct process process;

/* Removes everything below @path. */
static inline void tree_clear(const char *path)
{
	struct inode *dir = tree_lookup(path);
	struct dir_entry entry;
	struct file *f;

	assert_false(IS_ERR(dir));
	f = file_create(dir->ops, 0, dir);
	while (!f->ops->readdir(f, &entry)) {
		char below[2 * FS_PATH_MAX];

		strcat(strcat(strcpy(below, strcmp(path, "/") ? path : ""), "/"), entry.name);
		if (entry.type == UAPI_DT_DIR) {
			tree_clear(below);
			assert_int_equal(tree_rmdir(below), 0);
		} else {
			assert_int_equal(tree_unlink(below), 0);
		}
	}
	file_put(f);
}

/* The user that what follows is done by. */
static inline void become(uid_t uid)
{
	process.uid = uid;
	current->process = &process;
}

/* For a group of tests: the tree as it is when no archive was given. */
static inline int tree_group_setup(void **state)
{
	become(0);
	tree_init();
	return 0;
}

/* Opens @path as a file of the tree; a failure fails the test. */
static inline struct file *tree_file(const char *path, u32 flags)
{
	bool created = false;
	struct inode *inode = tree_open(path, flags, 0644, &created);

	assert_false(IS_ERR(inode));
	return file_create(inode->ops, flags, inode);
}

static inline long open_error(const char *path, u32 flags)
{
	bool created = false;
	struct inode *inode = tree_open(path, flags, 0644, &created);

	if (IS_ERR(inode))
		return PTR_ERR(inode);
	inode_put(inode);
	return 0;
}
