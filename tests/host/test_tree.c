/* SPDX-License-Identifier: MIT */
/* kernel/fs/tree.c, inode.c, tree_file.c: names, permissions and contents of the file tree. */
#include <stdlib.h>

#include "tree_fixture.h"
#include "user_memory.h"

static bool memory = true;

bool page_can_spare(size_t pages)
{
	return memory;
}

void wait_prepare(struct wait_queue *q, struct waiter *w)
{
}

void wait_finish(struct wait_queue *q, struct waiter *w)
{
}

static int setup(void **state)
{
	memory = true;
	become(0);
	return 0;
}

static int teardown(void **state)
{
	become(0);
	tree_clear("/");
	assert_int_equal(host_allocations, 1); /* the root */
	for (unsigned i = 0; i < 4; i++)
		tree_mkdir((const char *[]){"/dev", "/proc", "/sys", "/tmp"}[i],
			   i == 3 ? 01777 : 0755);
	return 0;
}

static void make(const char *path, const char *contents)
{
	struct file *f = tree_file(path, UAPI_O_CREAT | UAPI_O_RDWR);

	assert_int_equal(f->ops->write(f, contents, strlen(contents)), strlen(contents));
	file_put(f);
}

static void expect(const char *path, const char *contents)
{
	struct file *f = tree_file(path, 0);
	char buf[100] = "";

	assert_int_equal(f->ops->read(f, buf, sizeof(buf) - 1), strlen(contents));
	assert_string_equal(buf, contents);
	file_put(f);
}

static void files_are_made_and_removed(void **state)
{
	struct file *f;
	char buf[10];

	assert_int_equal(open_error("/a", 0), -ENOENT);
	make("/a", "text");
	expect("/a", "text");
	assert_int_equal(open_error("/a", UAPI_O_CREAT | UAPI_O_EXCL), -EEXIST);
	assert_int_equal(open_error("/a/b", UAPI_O_CREAT), -ENOTDIR);
	assert_int_equal(open_error("/no/b", UAPI_O_CREAT), -ENOENT);
	/* What is open outlives its name. */
	f = tree_file("/a", UAPI_O_RDWR);
	assert_int_equal(tree_unlink("/a"), 0);
	assert_int_equal(tree_unlink("/a"), -ENOENT);
	assert_int_equal(open_error("/a", 0), -ENOENT);
	assert_int_equal(f->ops->read(f, buf, 10), 4);
	file_put(f);
}

static void directories(void **state)
{
	assert_int_equal(tree_mkdir("/d", 0755), 0);
	assert_int_equal(tree_mkdir("/d", 0755), -EEXIST);
	assert_int_equal(tree_mkdir("/", 0755), -EEXIST);
	assert_int_equal(tree_mkdir("/x/y", 0755), -ENOENT);
	assert_int_equal(tree_mkdir("/d/e", 0755), 0);
	make("/d/e/f", "");
	assert_int_equal(tree_mkdir("/d/e/f/g", 0755), -ENOTDIR);
	assert_int_equal(tree_rmdir("/d/e"), -ENOTEMPTY);
	assert_int_equal(tree_rmdir("/d/e/f"), -ENOTDIR);
	assert_int_equal(tree_unlink("/d/e"), -EISDIR);
	assert_int_equal(tree_rmdir("/"), -EBUSY);
	assert_int_equal(tree_unlink("/d/e/f"), 0);
	assert_int_equal(tree_rmdir("/d/e"), 0);
	assert_int_equal(tree_rmdir("/d"), 0);
}

/* A list that is read goes on behind what was read, whatever happens meanwhile. */
static void listing_while_names_change(void **state)
{
	struct dir_entry e;
	struct file *f;

	assert_int_equal(tree_mkdir("/d", 0755), 0);
	make("/d/a", "");
	make("/d/b", "");
	make("/d/c", "");
	f = tree_file("/d", 0);
	assert_int_equal(f->ops->readdir(f, &e), 0);
	assert_string_equal(e.name, "a");
	assert_int_equal(tree_unlink("/d/a"), 0);
	assert_int_equal(tree_unlink("/d/b"), 0);
	make("/d/z", "");
	assert_int_equal(f->ops->readdir(f, &e), 0);
	assert_string_equal(e.name, "c");
	assert_int_equal(e.type, UAPI_DT_REG);
	assert_int_equal(f->ops->readdir(f, &e), 0);
	assert_string_equal(e.name, "z");
	assert_int_equal(f->ops->readdir(f, &e), -ENOENT);
	assert_int_equal(f->ops->lseek(f, 0, UAPI_SEEK_SET), 0);
	assert_int_equal(f->ops->readdir(f, &e), 0);
	assert_string_equal(e.name, "c");
	/* A removed directory is empty. */
	tree_clear("/d");
	assert_int_equal(tree_rmdir("/d"), 0);
	assert_int_equal(f->ops->readdir(f, &e), -ENOENT);
	file_put(f);
}

static void renaming(void **state)
{
	assert_int_equal(tree_mkdir("/d", 0755), 0);
	assert_int_equal(tree_mkdir("/d/sub", 0755), 0);
	assert_int_equal(tree_mkdir("/empty", 0755), 0);
	make("/a", "A");
	make("/b", "B");
	assert_int_equal(tree_rename("/a", "/d/a"), 0);
	expect("/d/a", "A");
	assert_int_equal(open_error("/a", 0), -ENOENT);
	assert_int_equal(tree_rename("/b", "/d/a"), 0); /* takes its place */
	expect("/d/a", "B");
	assert_int_equal(tree_rename("/d/a", "/d/a"), 0);
	assert_int_equal(tree_rename("/none", "/x"), -ENOENT);
	assert_int_equal(tree_rename("/d/a", "/none/x"), -ENOENT);
	assert_int_equal(tree_rename("/d/a", "/empty"), -EISDIR);
	assert_int_equal(tree_rename("/empty", "/d/a"), -ENOTDIR);
	assert_int_equal(tree_rename("/empty", "/d"), -ENOTEMPTY);
	assert_int_equal(tree_rename("/d", "/d/sub/d"), -EINVAL);
	assert_int_equal(tree_rename("/", "/x"), -EBUSY);
	assert_int_equal(tree_rename("/empty", "/"), -EBUSY);
	assert_int_equal(tree_rename("/d", "/empty"), 0);
	expect("/empty/a", "B");
	assert_int_equal(tree_rename("/empty", "/emptyx"), 0); /* no part of itself */
	expect("/emptyx/a", "B");
}

static void links(void **state)
{
	struct inode *inode;

	make("/a", "text");
	assert_int_equal(tree_link("/a", "/b"), 0);
	assert_int_equal(tree_link("/a", "/b"), -EEXIST);
	assert_int_equal(tree_link("/none", "/c"), -ENOENT);
	assert_int_equal(tree_link("/tmp", "/c"), -EPERM);
	assert_int_equal(tree_rename("/a", "/b"), 0); /* are the same: nothing to do */
	inode = tree_lookup("/b");
	assert_int_equal(inode->nlink, 2);
	assert_int_equal(tree_unlink("/a"), 0);
	assert_int_equal(inode->nlink, 1);
	inode_put(inode);
	expect("/b", "text");
}

static void paths_of_inodes(void **state)
{
	struct inode *inode;
	char buf[16];

	assert_int_equal(tree_mkdir("/dir", 0755), 0);
	make("/dir/file", "");
	inode = tree_lookup("/dir/file");
	assert_int_equal(tree_path(inode, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "/dir/file");
	assert_int_equal(tree_path(inode, buf, 10), 0);
	assert_string_equal(buf, "/dir/file");
	assert_int_equal(tree_path(inode, buf, 9), -ENAMETOOLONG);
	assert_int_equal(tree_rename("/dir", "/d"), 0);
	assert_int_equal(tree_path(inode, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "/d/file");
	assert_int_equal(tree_unlink("/d/file"), 0);
	assert_int_equal(tree_path(inode, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "(deleted)");
	inode_put(inode);
	inode = tree_lookup("/");
	assert_int_equal(tree_path(inode, buf, sizeof(buf)), 0);
	assert_string_equal(buf, "/");
	inode_put(inode);
}

static int set(const char *path, struct uapi_attributes a)
{
	struct inode *inode = tree_lookup(path);
	int err = inode_set_attributes(inode, &a);

	inode_put(inode);
	return err;
}

static int may(const char *path, unsigned want)
{
	struct inode *inode = tree_lookup(path);
	int err = inode_may(inode, want);

	inode_put(inode);
	return err;
}

static void permissions(void **state)
{
	assert_int_equal(tree_mkdir("/d", 0755), 0);
	make("/d/f", "");
	assert_int_equal(may("/d/f", UAPI_R_OK | UAPI_W_OK), 0);
	assert_int_equal(may("/d/f", UAPI_X_OK), -EACCES); /* nobody can */
	become(1000);
	assert_int_equal(may("/d/f", UAPI_R_OK), 0);
	assert_int_equal(may("/d/f", UAPI_W_OK), -EACCES);
	assert_int_equal(open_error("/d/g", UAPI_O_CREAT), -EACCES);
	assert_int_equal(tree_mkdir("/d/g", 0755), -EACCES);
	assert_int_equal(tree_unlink("/d/f"), -EACCES);
	assert_int_equal(tree_rename("/d/f", "/tmp/f"), -EACCES);
	assert_int_equal(tree_link("/d/f", "/d/g"), -EACCES);
	assert_int_equal(
	    set("/d/f", (struct uapi_attributes){.valid = UAPI_ATTR_MODE, .mode = 0777}), -EPERM);
	assert_int_equal(set("/d/f", (struct uapi_attributes){.valid = UAPI_ATTR_TOUCH}), -EACCES);
	become(0);
	assert_int_equal(set("/d", (struct uapi_attributes){.valid = UAPI_ATTR_MODE, .mode = 0700}),
			 0);
	become(1000);
	assert_int_equal(open_error("/d/f", 0), -EACCES); /* closed on the way */
	become(0);
	assert_int_equal(open_error("/d/f", 0), 0);
}

static void owners(void **state)
{
	become(1000);
	make("/tmp/mine", "x");
	assert_int_equal(
	    set("/tmp/mine", (struct uapi_attributes){.valid = UAPI_ATTR_MODE, .mode = 0}), 0);
	assert_int_equal(may("/tmp/mine", UAPI_R_OK), -EACCES);
	assert_int_equal(
	    set("/tmp/mine", (struct uapi_attributes){.valid = UAPI_ATTR_MODE, .mode = 04755}),
	    -EINVAL);
	assert_int_equal(
	    set("/tmp/mine", (struct uapi_attributes){.valid = UAPI_ATTR_UID, .uid = 1001}),
	    -EPERM);
	assert_int_equal(
	    set("/tmp/mine", (struct uapi_attributes){.valid = UAPI_ATTR_UID, .uid = 1000}), 0);
	assert_int_equal(set("/tmp/mine", (struct uapi_attributes){.valid = 0x100}), -EINVAL);
	/* In a directory for everybody, one removes one's own. */
	become(1001);
	assert_int_equal(tree_unlink("/tmp/mine"), -EPERM);
	assert_int_equal(tree_rename("/tmp/mine", "/tmp/yours"), -EPERM);
	make("/tmp/other", "");
	assert_int_equal(tree_rename("/tmp/other", "/tmp/mine"), -EPERM);
	become(0);
	assert_int_equal(
	    set("/tmp/mine", (struct uapi_attributes){.valid = UAPI_ATTR_UID, .uid = 1001}), 0);
	become(1001);
	assert_int_equal(tree_unlink("/tmp/mine"), 0);
}

static void times(void **state)
{
	struct uapi_attributes a = {.valid = UAPI_ATTR_TIMES, .atime = {5, 6}, .mtime = {7, 8}};
	struct inode *inode;
	struct uapi_stat st;

	make("/f", "");
	assert_int_equal(set("/f", a), 0);
	a.mtime.nsec = 1000000000;
	assert_int_equal(set("/f", a), -EINVAL);
	inode = tree_lookup("/f");
	inode_stat(inode, &st);
	assert_int_equal(st.atime.sec, 5);
	assert_int_equal(st.mtime.sec, 7);
	assert_int_equal(st.mtime.nsec, 8);
	host_clock = 9000000000;
	assert_int_equal(set("/f", (struct uapi_attributes){.valid = UAPI_ATTR_TOUCH}), 0);
	inode_stat(inode, &st);
	assert_int_equal(st.atime.sec, 9);
	host_clock = 11000000000;
	make("/f", "x");
	inode_stat(inode, &st);
	assert_int_equal(st.mtime.sec, 11);
	inode_put(inode);
}

static void no_memory(void **state)
{
	struct file *f = tree_file("/f", UAPI_O_CREAT | UAPI_O_RDWR);
	long before = host_allocations;

	memory = false;
	assert_int_equal(open_error("/a", UAPI_O_CREAT), -ENOSPC);
	assert_int_equal(tree_mkdir("/a", 0755), -ENOSPC);
	assert_int_equal(tree_link("/f", "/a"), -ENOSPC);
	assert_int_equal(tree_rename("/f", "/a"), -ENOSPC);
	assert_int_equal(f->ops->write(f, "x", 1), -ENOSPC);
	memory = true;
	for (unsigned n = 1; n <= 2; n++) {
		host_fail_alloc = n;
		assert_int_equal(open_error("/a", UAPI_O_CREAT), -ENOSPC);
	}
	host_fail_alloc = 1;
	assert_int_equal(f->ops->write(f, "x", 1), -ENOSPC);
	assert_int_equal(host_allocations, before);
	assert_int_equal(f->ops->write(f, "x", 1), 1);
	file_put(f);
}

static u8 big[3 * PAGE_SIZE] __aligned(PAGE_SIZE);

static void sparse_files(void **state)
{
	struct file *f = tree_file("/f", UAPI_O_CREAT | UAPI_O_RDWR);
	struct uapi_stat st;

	assert_int_equal(f->ops->pwrite(f, "end", 3, 100000000000), 3);
	assert_int_equal(f->ops->pread(f, big, 5, 99999999998), 5);
	assert_memory_equal(big, "\0\0end", 5);
	f->ops->stat(f, &st);
	assert_int_equal(st.size, 100000000003);
	assert_int_equal(st.blocks, 8);
	assert_int_equal(f->ops->pread(f, big, sizeof(big), 0), sizeof(big));
	for (size_t i = 0; i < sizeof(big); i++)
		assert_int_equal(big[i], 0);
	assert_int_equal(f->ops->truncate(f, 3), 0);
	assert_int_equal(f->ops->truncate(f, PAGE_TREE_MAX << PAGE_SHIFT), 0);
	assert_int_equal(f->ops->truncate(f, (PAGE_TREE_MAX << PAGE_SHIFT) + 1), -EFBIG);
	assert_int_equal(f->ops->pwrite(f, "xy", 2, (PAGE_TREE_MAX << PAGE_SHIFT) - 1), 1);
	assert_int_equal(f->ops->pwrite(f, "xy", 2, PAGE_TREE_MAX << PAGE_SHIFT), -EFBIG);
	file_put(f);
}

/* What was cut off does not come back, within a page neither. */
static void cutting(void **state)
{
	struct file *f = tree_file("/f", UAPI_O_CREAT | UAPI_O_RDWR);
	long before = host_allocations;

	memset(big, 'x', sizeof(big));
	assert_int_equal(f->ops->write(f, big, sizeof(big)), sizeof(big));
	assert_int_equal(host_allocations, before + 4);
	assert_int_equal(f->ops->truncate(f, PAGE_SIZE + 10), 0);
	assert_int_equal(host_allocations, before + 3);
	assert_int_equal(f->ops->truncate(f, 2 * PAGE_SIZE), 0);
	assert_int_equal(f->ops->pread(f, big, sizeof(big), PAGE_SIZE), PAGE_SIZE);
	for (size_t i = 0; i < PAGE_SIZE; i++)
		assert_int_equal(big[i], i < 10 ? 'x' : 0);
	assert_int_equal(f->ops->truncate(f, 0), 0);
	assert_int_equal(host_allocations, before);
	file_put(f);
}

static void positions(void **state)
{
	struct file *f = tree_file("/f", UAPI_O_CREAT | UAPI_O_RDWR), *a;
	char buf[16];

	assert_int_equal(f->ops->write(f, "0123456789", 10), 10);
	assert_int_equal(f->ops->read(f, buf, 4), 0);
	assert_int_equal(f->ops->lseek(f, -3, UAPI_SEEK_END), 7);
	assert_int_equal(f->ops->read(f, buf, 16), 3);
	assert_memory_equal(buf, "789", 3);
	assert_int_equal(f->ops->lseek(f, 2, UAPI_SEEK_SET), 2);
	assert_int_equal(f->ops->pwrite(f, "X", 1, 0), 1);
	assert_int_equal(f->pos, 2);
	a = tree_file("/f", UAPI_O_WRONLY | UAPI_O_APPEND);
	assert_int_equal(a->ops->write(a, "end", 3), 3);
	assert_int_equal(a->pos, 13);
	expect("/f", "X123456789end");
	file_put(a);
	file_put(f);
}

static void bad_user_memory(void **state)
{
	struct file *f = tree_file("/f", UAPI_O_CREAT | UAPI_O_RDWR);

	memset(big, 'x', sizeof(big));
	bad_start = big + PAGE_SIZE;
	bad_end = big + 2 * PAGE_SIZE;
	/* All that lies before the bad page, and nothing of what the page in the file held before.
	 */
	assert_int_equal(f->ops->write(f, big + PAGE_SIZE - 5, 100), 5);
	assert_int_equal(f->ops->write(f, big + PAGE_SIZE, 1), -EFAULT);
	assert_int_equal(f->ops->pread(f, big + PAGE_SIZE - 2, 5, 0), 2);
	assert_int_equal(f->ops->pread(f, big + PAGE_SIZE, 5, 0), -EFAULT);
	bad_start = bad_end = NULL;
	expect("/f", "xxxxx");
	file_put(f);
}

/* A write of which nothing was read leaves no page, however far out it was to be. */
static void failed_writes_keep_nothing(void **state)
{
	struct file *f = tree_file("/f", UAPI_O_CREAT | UAPI_O_RDWR);
	struct uapi_stat st;
	long before;

	assert_int_equal(f->ops->write(f, "x", 1), 1);
	before = host_allocations;
	bad_start = big;
	bad_end = big + PAGE_SIZE;
	for (loff_t pos = 0; pos <= 100000000000; pos = 3 * pos + PAGE_SIZE)
		assert_int_equal(f->ops->pwrite(f, big, 10, pos), -EFAULT);
	bad_start = bad_end = NULL;
	assert_int_equal(host_allocations, before);
	f->ops->stat(f, &st);
	assert_int_equal(st.size, 1);
	assert_int_equal(st.blocks, 8);
	expect("/f", "x");
	file_put(f);
}

/* An image is what the file was; that of an archived one costs nothing. */
static void images(void **state)
{
	struct file_image image, again;
	struct file *f = tree_file("/f", UAPI_O_CREAT | UAPI_O_RDWR);

	assert_int_equal(f->ops->write(f, "before", 6), 6);
	assert_int_equal(file_image(f, &image), 0);
	assert_int_equal(f->ops->pwrite(f, "after!", 6, 0), 6);
	assert_int_equal(file_image(f, &again), 0);
	assert_int_equal(image.size, 6);
	assert_memory_equal(image.data, "before", 6);
	assert_memory_equal(again.data, "after!", 6);
	assert_int_not_equal(image.version, again.version);
	assert_string_equal(image.path, "/f");
	vmap_free(image.copy, image.copy_pages);
	vmap_free(again.copy, again.copy_pages);
	host_fail_alloc = 1;
	assert_int_equal(file_image(f, &image), -ENOMEM);
	file_put(f);
	f = tree_file("/tmp", 0);
	assert_int_equal(file_image(f, &image), -ENODEV);
	file_put(f);
}

#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    TEST(files_are_made_and_removed),
	    TEST(directories),
	    TEST(listing_while_names_change),
	    TEST(renaming),
	    TEST(links),
	    TEST(paths_of_inodes),
	    TEST(permissions),
	    TEST(owners),
	    TEST(times),
	    TEST(no_memory),
	    TEST(sparse_files),
	    TEST(cutting),
	    TEST(positions),
	    TEST(bad_user_memory),
	    TEST(failed_writes_keep_nothing),
	    TEST(images),
	};

	return cmocka_run_group_tests(tests, tree_group_setup, NULL);
}
