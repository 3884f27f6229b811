/* SPDX-License-Identifier: MIT */
/* kernel/lib/printf.c against the C library's snprintf(). */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include <hotregs/string.h>

/* The code under test takes other names, so that the C library's stay callable beside it. */
#define snprintf  kernel_snprintf
#define vsnprintf kernel_vsnprintf
#include "../../kernel/lib/printf.c"
#undef snprintf
#undef vsnprintf

/* Formats are made up at run time here. */
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
#pragma GCC diagnostic ignored "-Wformat-security"

#define BOTH(fmt, ...)                                                                         \
	do {                                                                                   \
		char _want[256], _got[256];                                                    \
		int _n = snprintf(_want, sizeof(_want), fmt, ##__VA_ARGS__);                   \
                                                                                               \
		assert_int_equal(kernel_snprintf(_got, sizeof(_got), fmt, ##__VA_ARGS__), _n); \
		assert_string_equal(_got, _want);                                              \
	} while (0)

static const char *const flags[] = {"", "-", "0", "-0", "#", "#0", "#-"};
static const char *const sizes[] = {"",   "1",  "5",   "12",  "40",  ".",   ".0",
				    ".1", ".3", ".18", "7.4", "1.9", "20.0"};

static void integers_agree(void **state)
{
	static const struct {
		const char *length;
		char conversions[6];
	} kinds[] = {{"hh", "diuxX"}, {"h", "diuxX"},  {"", "diuxX"},
		     {"l", "diuxX"},  {"ll", "diuxX"}, {"z", "diuxX"}};
	static const unsigned long long values[] = {0,
						    1,
						    9,
						    10,
						    42,
						    0x7f,
						    0x80,
						    0xff,
						    0x100,
						    0x7fff,
						    0x8000,
						    INT_MAX,
						    UINT_MAX,
						    1ULL << 32,
						    INT_MIN,
						    LLONG_MAX,
						    1ULL << 63,
						    ULLONG_MAX,
						    1234567890123456789ULL};
	char fmt[32];

	for (size_t f = 0; f < ARRAY_SIZE(flags); f++)
		for (size_t s = 0; s < ARRAY_SIZE(sizes); s++)
			for (size_t k = 0; k < ARRAY_SIZE(kinds); k++)
				for (const char *c = kinds[k].conversions; *c; c++) {
					if (flags[f][0] == '#' && *c != 'x' && *c != 'X')
						continue; /* undefined in C */
					snprintf(fmt, sizeof(fmt), "<%%%s%s%s%c>", flags[f],
						 sizes[s], kinds[k].length, *c);
					for (size_t v = 0; v < ARRAY_SIZE(values); v++)
						BOTH(fmt, values[v]);
				}
}

static void strings_agree(void **state)
{
	static const char *const strings[] = {"", "x", "hello", "a longer one of 26 letters"};
	char fmt[32];

	for (size_t f = 0; f < 2; f++)
		for (size_t s = 0; s < ARRAY_SIZE(sizes); s++) {
			snprintf(fmt, sizeof(fmt), "[%%%s%ss]", flags[f], sizes[s]);
			for (size_t i = 0; i < ARRAY_SIZE(strings); i++)
				BOTH(fmt, strings[i]);
		}
	BOTH("%s and %s%s", "one", "two", "");
	BOTH("%c%c%3c|%-3c|", 'a', 'b', 'c', 'd');
	BOTH("100%% of %d%%", 5);
}

static void star_takes_an_argument(void **state)
{
	BOTH("%*d|%-*d|%*d|", 6, 42, 6, 42, -6, 42);
	BOTH("%.*s|%.*s|%*.*s|", 2, "abc", -1, "abc", 5, 1, "xyz");
	BOTH("%*x|%0*x", -1, 7, 8, 0xbeef);
}

static void precision_bounds_what_is_read(void **state)
{
	char *s = malloc(3), buf[16];

	memcpy(s, "abc", 3); /* no NUL: ASan sees a read behind */
	assert_int_equal(kernel_snprintf(buf, sizeof(buf), "%.3s", s), 3);
	assert_string_equal(buf, "abc");
	free(s);
}

static void pointers_have_a_prefix(void **state)
{
	const char *volatile none = NULL; /* volatile: the compiler would refuse to print it */
	char buf[32];

	kernel_snprintf(buf, sizeof(buf), "%p %p", (void *)0xffffffff80001234UL, NULL);
	assert_string_equal(buf, "0xffffffff80001234 0x0");
	kernel_snprintf(buf, sizeof(buf), "%s", none);
	assert_string_equal(buf, "(null)");
}

static void output_is_cut_and_terminated(void **state)
{
	for (size_t size = 1; size < 24; size++) {
		char want[24], *got = malloc(size);
		int n = snprintf(want, size, "%s:%08x-%d", "name", 0xabc, -17);

		assert_int_equal(kernel_snprintf(got, size, "%s:%08x-%d", "name", 0xabc, -17), n);
		assert_string_equal(got, want);
		free(got);
	}
	assert_int_equal(kernel_snprintf(NULL, 0, "%d", 12345), 5);
}

static void incomplete_format_ends(void **state)
{
	char fmt[] = "abc%", buf[16];

	kernel_snprintf(buf, sizeof(buf), fmt);
	assert_int_equal(strncmp(buf, "abc", 3), 0);
	strcpy(fmt, "%5");
	kernel_snprintf(buf, sizeof(buf), fmt);
	strcpy(fmt, "%l");
	kernel_snprintf(buf, sizeof(buf), fmt);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(integers_agree),
	    cmocka_unit_test(strings_agree),
	    cmocka_unit_test(star_takes_an_argument),
	    cmocka_unit_test(precision_bounds_what_is_read),
	    cmocka_unit_test(pointers_have_a_prefix),
	    cmocka_unit_test(output_is_cut_and_terminated),
	    cmocka_unit_test(incomplete_format_ends),
	};

	return cmocka_run_group_tests_name("printf", tests, NULL, NULL);
}
