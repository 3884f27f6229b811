/* SPDX-License-Identifier: MIT */
/* kernel/fs/files.c: numbers are the lowest free ones, and every reference is dropped once. */
#include "host.h"
#include "user_memory.h"
#include <hotregs/fs.h>

static int released;

static void count_release(struct file *f)
{
	released++;
}

static const struct file_ops ops = {.release = count_release};

static int setup(void **state)
{
	released = 0;
	current->files = files_create();
	return IS_ERR(current->files);
}

static int teardown(void **state)
{
	files_put(current->files);
	return host_allocations != 0; /* a leak fails the test */
}

static struct file *new_file(void)
{
	return file_create(&ops, 0, NULL);
}

static int install(void)
{
	return fd_install(new_file(), 0, false);
}

/* Is @fd open? */
static bool is_open(int fd)
{
	struct file *f = fd_get(fd);

	if (IS_ERR(f)) {
		assert_int_equal(PTR_ERR(f), -EBADF);
		return false;
	}
	file_put(f);
	return true;
}

static void lowest_number_first(void **state)
{
	for (int i = 0; i < 5; i++)
		assert_int_equal(install(), i);
	assert_int_equal(fd_close(1), 0);
	assert_int_equal(fd_close(3), 0);
	assert_int_equal(released, 2);
	assert_int_equal(fd_install(new_file(), 2, false), 3);
	assert_int_equal(install(), 1);
	assert_int_equal(install(), 5);
}

static void numbers_run_out(void **state)
{
	struct file *f = new_file();

	for (int i = 0; i < MAX_FILES; i++)
		assert_int_equal(install(), i);
	assert_int_equal(fd_install(f, 0, false), -EMFILE);
	assert_int_equal(fd_install(f, MAX_FILES, false), -EMFILE);
	file_put(f); /* it is still ours */
	assert_int_equal(released, 1);
}

static void bad_numbers(void **state)
{
	install();
	for (int fd = -2; fd < 0; fd++) {
		assert_false(is_open(fd));
		assert_int_equal(fd_close(fd), -EBADF);
		assert_int_equal(fd_dup2(0, fd), -EBADF);
	}
	assert_false(is_open(1));
	assert_false(is_open(MAX_FILES));
	assert_int_equal(fd_close(MAX_FILES), -EBADF);
	assert_int_equal(fd_dup2(0, MAX_FILES), -EBADF);
	assert_int_equal(fd_dup2(7, 7), -EBADF);
	assert_int_equal(released, 0);
}

static void dup2_replaces(void **state)
{
	install();
	fd_install(new_file(), 0, true);
	assert_int_equal(fd_dup2(0, 0), 0);
	assert_int_equal(fd_dup2(0, 1), 1);
	assert_int_equal(released, 1);
	assert_false(fd_cloexec(1)); /* the flag is not the file's */
	assert_int_equal(fd_dup2(1, 9), 9);
	assert_int_equal(current->files->file[0]->refs.n, 3);
	fd_close(0);
	fd_close(1);
	assert_int_equal(released, 1);
	fd_close(9);
	assert_int_equal(released, 2);
}

static void close_on_exec(void **state)
{
	for (int i = 0; i < 4; i++)
		fd_install(new_file(), 0, i % 2);
	fd_set_cloexec(0, true);
	fd_set_cloexec(1, false);
	fd_set_cloexec(20, true); /* not open: no later file may inherit it */
	assert_true(fd_cloexec(0));
	files_close_on_exec(current->files);
	assert_false(is_open(0));
	assert_true(is_open(1));
	assert_true(is_open(2));
	assert_false(is_open(3));
	assert_false(fd_cloexec(20));
	assert_int_equal(install(), 0);
	assert_false(fd_cloexec(0));
}

static void fork_shares_open_files(void **state)
{
	struct files *child;

	install();
	fd_install(new_file(), 0, true);
	child = files_fork(current->files);
	fd_close(0);
	assert_int_equal(released, 0);
	assert_int_equal(child->cloexec, 2);
	assert_non_null(child->file[0]);
	files_put(child);
	assert_int_equal(released, 1);
	assert_true(is_open(1));
	host_fail_alloc = 1;
	assert_int_equal(PTR_ERR(files_fork(current->files)), -ENOMEM);
}

static void a_shared_table_is_locked(void **state)
{
	install();
	current->files->refs.n = 2;
	assert_true(is_open(0));
	assert_false(is_open(1));
	assert_int_equal(current->files->file[0]->refs.n, 1);
	current->files->refs.n = 1;
}

#define FILES_TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
	    FILES_TEST(lowest_number_first),
	    FILES_TEST(numbers_run_out),
	    FILES_TEST(bad_numbers),
	    FILES_TEST(dup2_replaces),
	    FILES_TEST(close_on_exec),
	    FILES_TEST(fork_shares_open_files),
	    FILES_TEST(a_shared_table_is_locked),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
