/* SPDX-License-Identifier: MIT */
/* kernel/fs/archive.c: what can be found, read and listed of an archive, implied directories too.
 */
#include <stdlib.h>
#include <string.h>

#include "cpio_image.h"
#include "host.h"
#include "user_memory.h"
#include <hotregs/boot_info.h>

/* Included, so that the index can be taken down again. */
#include "../../kernel/fs/archive.c"

#define DIR_MODE  (UAPI_S_IFDIR | 0755)
#define FILE_MODE (UAPI_S_IFREG | 0644)
#define LINK_MODE 0120777

struct boot_info boot_info;
static struct cpio_image image;

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
	page_free(nodes, 0);
	nodes = NULL;
	nr_nodes = 0;
	return host_allocations != 0; /* a leak fails the test */
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

static void finds_files(void)
{
	struct archive_entry e;

	assert_int_equal(archive_find("/bin/sh", &e), 0);
	assert_string_equal(e.name, "bin/sh");
	assert_int_equal(e.size, 5);
	assert_memory_equal(e.data, "SHELL", 5);
	assert_int_equal(archive_find("/etc/motd", &e), 0);
	assert_memory_equal(e.data, "new", 3); /* the later one */
	assert_int_equal(archive_find("/bin", &e), -EISDIR);
	assert_int_equal(archive_find("/usr/share", &e), -EISDIR);
	assert_int_equal(archive_find("/bin/s", &e), -ENOENT);
	assert_int_equal(archive_find("/bin/shx", &e), -ENOENT);
}

static void looks_up_nodes(void)
{
	struct fs_node node;

	assert_int_equal(archive_lookup("/", &node), 0);
	assert_int_equal(node.mode, DIR_MODE);
	assert_int_equal(archive_lookup("/bin/sh", &node), 0);
	assert_int_equal(node.mode, FILE_MODE | 0111);
	assert_int_equal(node.size, 5);
	assert_int_equal(node.mtime, 0x5eaf00d5);
	assert_int_equal(archive_lookup("/bin/sh/x", &node), -ENOTDIR);
	assert_int_equal(archive_lookup("/bin/sh/x/y", &node), -ENOTDIR);
	assert_int_equal(archive_lookup("/bin/x/y", &node), -ENOENT);
	assert_int_equal(archive_lookup("/usr/share/doc", &node), 0);
	assert_int_equal(archive_lookup("/link", &node), 0);
	assert_null(node.ops);
}

/* Lists @path as "name,name,"; each inode number once. */
static void list(const char *path, const char *want)
{
	struct dir_entry e;
	struct fs_node node;
	struct file *f;
	char got[256] = "";
	u64 seen = 0;

	assert_int_equal(archive_lookup(path, &node), 0);
	f = file_create(node.ops, 0, node.private);
	while (!f->ops->readdir(f, &e)) {
		strcat(strcat(got, e.name), ",");
		assert_false(seen & 1ULL << e.ino);
		seen |= 1ULL << e.ino;
	}
	assert_string_equal(got, want);
	file_put(f);
}

static void reads_a_file(void)
{
	static char buf[2 * PAGE_SIZE] __aligned(PAGE_SIZE);
	struct fs_node node;
	struct file *f;

	assert_int_equal(archive_lookup("/usr/share/doc/README", &node), 0);
	f = file_create(node.ops, 0, node.private);
	assert_int_equal(f->ops->read(f, buf, 4), 4);
	assert_int_equal(f->ops->read(f, buf + 4, 100), 3);
	assert_memory_equal(buf, "read me", 7);
	assert_int_equal(f->ops->read(f, buf, 100), 0);
	assert_int_equal(f->ops->lseek(f, -2, UAPI_SEEK_END), 5);
	assert_int_equal(f->ops->read(f, buf, 100), 2);
	assert_memory_equal(buf, "me", 2);
	assert_int_equal(f->ops->lseek(f, -8, UAPI_SEEK_CUR), -EINVAL);
	assert_int_equal(f->ops->lseek(f, INT64_MAX, UAPI_SEEK_CUR), -EINVAL);
	assert_int_equal(f->ops->lseek(f, 0, 3), -EINVAL);
	assert_int_equal(f->ops->lseek(f, 100, UAPI_SEEK_SET), 100);
	assert_int_equal(f->ops->read(f, buf, 100), 0);
	/* Up to the bad page, and then nothing. */
	bad_start = (u8 *)buf + PAGE_SIZE;
	bad_end = bad_start + PAGE_SIZE;
	assert_int_equal(f->ops->lseek(f, 0, UAPI_SEEK_SET), 0);
	assert_int_equal(f->ops->read(f, buf + PAGE_SIZE - 3, 7), 3);
	assert_int_equal(f->ops->read(f, buf + PAGE_SIZE, 4), -EFAULT);
	assert_int_equal(f->pos, 3);
	bad_start = bad_end = NULL;
	file_put(f);
}

static void a_good_archive(void **state)
{
	make_good();
	finds_files();
	looks_up_nodes();
	reads_a_file();
	list("/", "dev,proc,sys,bin,usr,etc,link,");
	list("/bin", "sh,");
	list("/usr", "share,");
	list("/usr/share/doc", "README,");
	list("/dev", "");
}

static void no_archive(void **state)
{
	boot_info.archive.size = 0;
	assert_int_equal(archive_init(), -ENOENT);
}

static void refused(void **state, const char *name, u32 mode)
{
	long before = host_allocations;

	setup(state);
	cpio_add(&image, "file", FILE_MODE, "", 0);
	cpio_add(&image, name, mode, "", 0);
	assert_int_equal(init(), -EINVAL);
	assert_int_equal(host_allocations, before);
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
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
