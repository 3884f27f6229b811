/* SPDX-License-Identifier: MIT */
/* kernel/proc/words.c: init's arguments, quoted as for a shell. */
#include <string.h>

#include "host.h"
#include <hotregs/process.h>

#define MAX_WORDS 4

static void check(const char *line, int nr, ...)
{
	char buf[64], *word[MAX_WORDS];
	va_list ap;

	strcpy(buf, line);
	assert_int_equal(split_words(buf, word, MAX_WORDS), nr);
	va_start(ap, nr);
	for (int i = 0; i < nr; i++)
		assert_string_equal(word[i], va_arg(ap, const char *));
	va_end(ap);
}

static void blanks_separate(void **state)
{
	check("", 0);
	check("  \t ", 0);
	check("a", 1, "a");
	check("  perf\trecord  -g ", 3, "perf", "record", "-g");
}

static void quotes_keep_together(void **state)
{
	check("'a b' c", 2, "a b", "c");
	check("\"a b\"c", 1, "a bc");
	check("x'y'\"z\"", 1, "xyz");
	check("'' \"\"", 2, "", "");
	check("'a\"b' \"c'd\"", 2, "a\"b", "c'd");
}

static void backslash_takes_the_next_character(void **state)
{
	check("a\\ b", 1, "a b");
	check("\"a\\\"b\\\\\"", 1, "a\"b\\");
	check("\"a\\n\"", 1, "a\\n");
	check("\"it\\'s\" it\\'s", 2, "it's", "it's"); /* as GRUB writes it */
	check("'a\\'", 1, "a\\");
	check("a\\", 1, "a\\");
}

static void errors(void **state)
{
	check("a 'b", -EINVAL);
	check("\"", -EINVAL);
	check("\"a\\\"", -EINVAL);
	check("1 2 3 4", 4, "1", "2", "3", "4");
	check("1 2 3 4 5", -E2BIG);
	check("1 2 3 4   ", 4, "1", "2", "3", "4");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(blanks_separate),
	    cmocka_unit_test(quotes_keep_together),
	    cmocka_unit_test(backslash_takes_the_next_character),
	    cmocka_unit_test(errors),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
