/* SPDX-License-Identifier: MIT */
/* boot/cmdline.c: what belongs to the kernel, what to init. */
#include "host.h"
#include <hotregs/boot_info.h>
#include <hotregs/string.h>

static char value[16];

static int get(const char *cmdline, const char *key)
{
	strcpy(boot_info.cmdline, cmdline);
	memset(value, '#', sizeof(value));
	return cmdline_get(key, value, sizeof(value));
}

static void finds_values(void **state)
{
	assert_int_equal(get("init=/bin/sh quiet x=", "init"), 0);
	assert_string_equal(value, "/bin/sh");
	assert_int_equal(get("init=/bin/sh quiet x=", "quiet"), 0);
	assert_string_equal(value, "");
	assert_int_equal(get("init=/bin/sh quiet x=", "x"), 0);
	assert_string_equal(value, "");
	assert_int_equal(get("   a=1   b=c=d  ", "b"), 0);
	assert_string_equal(value, "c=d");
}

static void whole_keys_only(void **state)
{
	assert_int_equal(get("xinit=1 initx=2 ini=3", "init"), -ENOENT);
	assert_int_equal(value[0], '#');
	assert_int_equal(get("", "init"), -ENOENT);
	assert_int_equal(get("a=init", "init"), -ENOENT);
}

static void last_one_counts(void **state)
{
	assert_int_equal(get("m=1 m=2 m=3", "m"), 0);
	assert_string_equal(value, "3");
	assert_int_equal(get("m=1 m", "m"), 0);
	assert_string_equal(value, "");
}

static void cut_values_are_told(void **state)
{
	strcpy(boot_info.cmdline, "k=abcdef");
	assert_int_equal(cmdline_get("k", value, 7), 0);
	assert_string_equal(value, "abcdef");
	assert_int_equal(cmdline_get("k", value, 6), -ENOSPC);
	assert_string_equal(value, "abcde");
	assert_int_equal(cmdline_get("k", value, 1), -ENOSPC);
	assert_string_equal(value, "");
	value[0] = '#';
	assert_int_equal(cmdline_get("k", value, 0), -ENOSPC);
	assert_int_equal(value[0], '#');
}

static void init_has_its_own_words(void **state)
{
	const char *line = "a=1 -- perf record -e x -- prog a=2 b=3";

	assert_int_equal(get(line, "a"), 0);
	assert_string_equal(value, "1");
	assert_int_equal(get(line, "b"), -ENOENT);
	assert_string_equal(cmdline_init_args(), "perf record -e x -- prog a=2 b=3");
	assert_int_equal(get("--  x  y", "x"), -ENOENT);
	assert_string_equal(cmdline_init_args(), "x  y");
	strcpy(boot_info.cmdline, "a=1 --");
	assert_string_equal(cmdline_init_args(), "");
	strcpy(boot_info.cmdline, "a=1 ");
	assert_string_equal(cmdline_init_args(), "");
	/* Only the word "--" alone separates. */
	strcpy(boot_info.cmdline, "--x a--b --- -- z");
	assert_string_equal(cmdline_init_args(), "z");
	assert_int_equal(cmdline_get("---", value, sizeof(value)), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(finds_values),           cmocka_unit_test(whole_keys_only),
	    cmocka_unit_test(last_one_counts),        cmocka_unit_test(cut_values_are_told),
	    cmocka_unit_test(init_has_its_own_words),
	};

	return cmocka_run_group_tests_name("cmdline", tests, NULL, NULL);
}
