/* SPDX-License-Identifier: MIT */
/* kernel/fs/path.c: every rule by example, and each result again resolved to itself. */
#include "host.h"
#include <hotregs/fs.h>
#include <hotregs/string.h>

static void check(const char *cwd, const char *path, const char *want, int want_ret)
{
	char out[FS_PATH_MAX], again[FS_PATH_MAX];

	assert_int_equal(path_resolve(cwd, path, out, sizeof(out)), want_ret);
	assert_string_equal(out, want);
	assert_int_equal(path_resolve("/elsewhere", out, again, sizeof(again)), !out[1]);
	assert_string_equal(again, out);
}

static void absolute_paths(void **state)
{
	check("/tmp", "/bin/perf", "/bin/perf", 0);
	check("/tmp", "//bin///perf", "/bin/perf", 0);
	check("/tmp", "/./bin/./perf", "/bin/perf", 0);
	check("/tmp", "/bin/../etc/x", "/etc/x", 0);
	check("/tmp", "/...", "/...", 0);
	check("/tmp", "/.a/..b", "/.a/..b", 0);
}

static void relative_paths(void **state)
{
	check("/", "bin", "/bin", 0);
	check("/usr/lib", "a", "/usr/lib/a", 0);
	check("/usr/lib", "../bin/a", "/usr/bin/a", 0);
	check("", "a", "/a", 0);
}

static void only_a_directory_will_do(void **state)
{
	check("/", "/", "/", 1);
	check("/a/b", ".", "/a/b", 1);
	check("/a/b", "..", "/a", 1);
	check("/", "x/", "/x", 1);
	check("/", "x/.", "/x", 1);
	check("/", "x/y/..", "/x", 1);
	check("/a", "..", "/", 1);
}

static void the_root_is_its_own_parent(void **state)
{
	check("/", "../../x", "/x", 0);
	check("/a", "/../../..", "/", 1);
}

static void empty_path(void **state)
{
	char out[8];

	assert_int_equal(path_resolve("/", "", out, sizeof(out)), -ENOENT);
}

static void length_limit_is_exact(void **state)
{
	char out[8 + 1];

	out[8] = 'x'; /* not ours to write */
	assert_int_equal(path_resolve("/", "/abc/de", out, 8), 0);
	assert_string_equal(out, "/abc/de");
	assert_int_equal(path_resolve("/", "/abc/def", out, 8), -ENAMETOOLONG);
	assert_int_equal(path_resolve("/abc", "def", out, 8), -ENAMETOOLONG);
	assert_int_equal(path_resolve("/too/long/", "/x", out, 8), 0);
	/* Detours count only while they last. */
	assert_int_equal(path_resolve("/", "/ab/../cd/../ef/../gh", out, 8), 0);
	assert_string_equal(out, "/gh");
	assert_int_equal(out[8], 'x');
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(absolute_paths),
	    cmocka_unit_test(relative_paths),
	    cmocka_unit_test(only_a_directory_will_do),
	    cmocka_unit_test(the_root_is_its_own_parent),
	    cmocka_unit_test(empty_path),
	    cmocka_unit_test(length_limit_is_exact),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
