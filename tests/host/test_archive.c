/* SPDX-License-Identifier: MIT */
/* kernel/fs/archive.c: what the file tree has of an archive, implied directories too. */
#include <stdlib.h>
#include <string.h>

#include "cpio_image.h"
#include "host.h"
#include "tree_fixture.h"
#include "user_memory.h"
#include <hotregs/boot_info.h>

#define DIR_MODE  (UAPI_S_IFDIR | 0755)
#define FILE_MODE (UAPI_S_IFREG | 0644)
#define LINK_MODE 0120777

/* Included, so that the tree can be taken down to the root. */
#include "../../kernel/fs/tree.c"

struct boot_info boot_info;
static struct cpio_image image;

bool page_can_spare(size_t pages)
{
	return true;
}

void wait_prepare(struct wait_queue *q, struct waiter *w)
{
}

void wait_finish(struct wait_queue *q, struct waiter *w)
{
}

static void take_down(void)
{
	tree_clear("/");
	inode_put(root);
	assert_int_equal(host_allocations, 0);
}

static int init(void)
{
	cpio_end(&image);
	boot_info.archive = (struct boot_region){(phys_addr_t)(uintptr_t)image.data, image.size};
	return archive_init();
}

static int setup(void **state)
{
	image.size = 0;
	return 0;
}

static int teardown(void **state)
{
	take_down();
	return 0;
}

static void make_good(void)
{
	cpio_add(&image, ".", DIR_MODE, "", 0);
	cpio_add(&image, "./bin", DIR_MODE, "", 0);
	cpio_add(&image, "./bin/sh", FILE_MODE | 0111, "SHELL", 5);
	cpio_add(&image, "usr/share/doc/README", FILE_MODE, "read me", 7);
	cpio_add(&image, "/etc/motd", FILE_MODE, "old", 3);
	cpio_add(&image, "etc/motd", FILE_MODE, "new", 3);
	cpio_add(&image, "link", LINK_MODE, "bin/sh", 6);
	assert_int_equal(init(), 0);
}

static void expect_file(const char *path, const char *contents)
{
	struct file *f = tree_file(path, 0);
	struct uapi_stat st;
	char buf[100];

	assert_int_equal(f->ops->read(f, buf, sizeof(buf)), strlen(contents));
	assert_memory_equal(buf, contents, strlen(contents));
	assert_int_equal(f->ops->stat(f, &st), 0);
	assert_int_equal(st.size, strlen(contents));
	assert_int_equal(st.mtime.sec, 0x5eaf00d5);
	assert_int_equal(st.blocks, 0);
	file_put(f);
}

static void expect_mode(const char *path, u32 mode)
{
	struct inode *inode = tree_lookup(path);

	assert_false(IS_ERR(inode));
	assert_int_equal(inode->mode, mode);
	inode_put(inode);
}

/* Lists @path as "name,name,". */
static void list(const char *path, const char *want)
{
	struct file *f = tree_file(path, 0);
	struct dir_entry e;
	char got[256] = "";

	while (!f->ops->readdir(f, &e))
		strcat(strcat(got, e.name), ",");
	assert_string_equal(got, want);
	file_put(f);
}

static void a_good_archive(void **state)
{
	struct inode *link;

	make_good();
	expect_file("/bin/sh", "SHELL");
	expect_file("/etc/motd", "new"); /* the later one */
	expect_file("/usr/share/doc/README", "read me");
	expect_mode("/", DIR_MODE);
	expect_mode("/bin/sh", FILE_MODE | 0111);
	expect_mode("/usr/share", DIR_MODE);
	expect_mode("/tmp", UAPI_S_IFDIR | 01777);
	assert_int_equal(open_error("/bin/s", 0), -ENOENT);
	assert_int_equal(open_error("/bin/shx", 0), -ENOENT);
	assert_int_equal(open_error("/bin/sh/x/y", 0), -ENOTDIR);
	assert_int_equal(open_error("/bin/x/y", 0), -ENOENT);
	link = tree_lookup("/link");
	assert_false(IS_ERR(link));
	assert_null(link->ops); /* is there, and nothing can be done with it */
	inode_put(link);
	list("/", "dev,proc,sys,tmp,bin,usr,etc,link,");
	list("/bin", "sh,");
	list("/usr", "share,");
	list("/usr/share/doc", "README,");
	list("/dev", "");
}

/* What is written goes to memory; the archive stays what it was. */
static void archived_files_can_be_written(void **state)
{
	struct cpio_image before;
	struct uapi_stat st;
	struct file *f;
	char buf[8];

	make_good();
	before = image;
	f = tree_file("/bin/sh", UAPI_O_RDWR);
	assert_int_equal(f->ops->pwrite(f, "hel", 3, 1), 3);
	assert_int_equal(f->ops->pread(f, buf, 8, 0), 5);
	assert_memory_equal(buf, "ShelL", 5);
	assert_int_equal(f->ops->stat(f, &st), 0);
	assert_int_equal(st.blocks, 8);
	assert_int_equal(f->ops->truncate(f, 2), 0);
	assert_int_equal(f->ops->truncate(f, 6), 0);
	assert_int_equal(f->ops->pread(f, buf, 8, 0), 6);
	assert_memory_equal(buf, "Sh\0\0\0\0", 6);
	file_put(f);
	/* Cut without ever having been written. */
	f = tree_file("/usr/share/doc/README", UAPI_O_RDWR);
	assert_int_equal(f->ops->truncate(f, 4), 0);
	assert_int_equal(f->ops->truncate(f, 7), 0);
	assert_int_equal(f->ops->pread(f, buf, 8, 0), 7);
	assert_memory_equal(buf, "read\0\0\0", 7);
	file_put(f);
	assert_memory_equal(&before, &image, sizeof(image));
}

static void no_archive(void **state)
{
	boot_info.archive.size = 0;
	assert_int_equal(archive_init(), -ENOENT);
}

static void refused(void **state, const char *name, u32 mode)
{
	setup(state);
	cpio_add(&image, "file", FILE_MODE, "", 0);
	cpio_add(&image, name, mode, "", 0);
	assert_int_equal(init(), -EINVAL);
	take_down();
}

static void impossible_names(void **state)
{
	char name[300];

	refused(state, "file/below", FILE_MODE);
	refused(state, "file", DIR_MODE);
	refused(state, "dev", FILE_MODE);
	refused(state, "a/../b", FILE_MODE);
	refused(state, "..", DIR_MODE);
	refused(state, "a//b", FILE_MODE);
	refused(state, "a/./b", FILE_MODE);
	refused(state, "a/", FILE_MODE);
	refused(state, "", FILE_MODE);
	memset(name, 'n', sizeof(name));
	name[FS_PATH_MAX - 1] = '\0';
	refused(state, name, FILE_MODE);
	name[FS_PATH_MAX - 2] = '\0';
	setup(state);
	cpio_add(&image, name, FILE_MODE, "", 0);
	cpio_add(&image, "dir/", DIR_MODE, "", 0);
	assert_int_equal(init(), 0);
	list("/dir", "");
}

static void malformed_image(void **state)
{
	cpio_add(&image, "a", FILE_MODE, "", 0);
	image.data[0] = 'x';
	assert_int_equal(init(), -EINVAL);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(no_archive),
	    TEST(malformed_image),
	    TEST(impossible_names),
	    TEST(a_good_archive),
	    TEST(archived_files_can_be_written),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
