/* SPDX-License-Identifier: MIT */
/* kernel/lib/string.c against the C library, over every small size, alignment and overlap. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include <hotregs/string.h>

/* The code under test takes other names, so that the C library's stay callable beside it. */
#undef strtoul
#undef strlcpy
#define memcpy  kernel_memcpy
#define memmove kernel_memmove
#define memset  kernel_memset
#define memcmp  kernel_memcmp
#define strlen  kernel_strlen
#define strnlen kernel_strnlen
#define strcmp  kernel_strcmp
#define strncmp kernel_strncmp
#define strchr  kernel_strchr
#define strrchr kernel_strrchr
#define strtoul kernel_strtoul
#define strlcpy kernel_strlcpy
#include "../../kernel/lib/string.c"
#undef memcpy
#undef memmove
#undef memset
#undef memcmp
#undef strlen
#undef strnlen
#undef strcmp
#undef strncmp
#undef strchr
#undef strrchr
#undef strtoul
#undef strlcpy

#define MAX_SIZE 200

static int sign(int v)
{
	return (v > 0) - (v < 0);
}

static void fill_random(u8 *p, size_t n)
{
	while (n--)
		*p++ = rand();
}

/* Both buffers end where the copy ends, so that ASan sees one byte too many. */
static void memcpy_copies_exactly(void **state)
{
	for (size_t n = 0; n < MAX_SIZE; n++) {
		for (size_t shift = 0; shift < 64; shift++) {
			size_t from = shift & 7, to = shift >> 3;
			u8 *src = malloc(from + n + 1) + 1, *dst = malloc(to + n + 1) + 1;

			fill_random(src, from + n);
			memset(dst, 0x5a, to + n);
			assert_ptr_equal(kernel_memcpy(dst + to, src + from, n), dst + to);
			assert_memory_equal(dst + to, src + from, n);
			for (size_t i = 0; i < to; i++)
				assert_int_equal(dst[i], 0x5a);
			free(src - 1);
			free(dst - 1);
		}
	}
}

static void memmove_handles_every_overlap(void **state)
{
	u8 area[220], want[220], start[220];

	for (size_t n = 0; n <= 100; n++) {
		for (size_t from = 0; from < 110; from += 1 + n / 40) {
			for (size_t to = 0; to < 110; to += 1 + n / 40) {
				fill_random(start, sizeof(start));
				memcpy(area, start, sizeof(area));
				memcpy(want, start, sizeof(want));
				memmove(want + to, want + from, n);
				kernel_memmove(area + to, area + from, n);
				assert_memory_equal(area, want, sizeof(area));
			}
		}
	}
}

static void memset_fills_exactly(void **state)
{
	for (size_t n = 0; n < MAX_SIZE; n++) {
		u8 *p = malloc(n + 2);

		memset(p, 0x11, n + 2);
		assert_ptr_equal(kernel_memset(p + 1, 0x1f7, n),
				 p + 1); /* only the low byte counts */
		assert_int_equal(p[0], 0x11);
		assert_int_equal(p[n + 1], 0x11);
		for (size_t i = 0; i < n; i++)
			assert_int_equal(p[1 + i], 0xf7);
		free(p);
	}
}

static void memcmp_orders_as_bytes(void **state)
{
	for (size_t n = 1; n < 80; n++) {
		u8 *a = malloc(n), *b = malloc(n);

		for (size_t at = 0; at < n; at++) {
			fill_random(a, n);
			memcpy(b, a, n);
			assert_int_equal(kernel_memcmp(a, b, n), 0);
			b[at] ^= 0x80;
			if (at + 1 < n)
				b[at + 1] ^= 1;
			assert_int_equal(sign(kernel_memcmp(a, b, n)), sign(memcmp(a, b, n)));
			assert_int_equal(kernel_memcmp(a, b, at), 0);
		}
		free(a);
		free(b);
	}
	assert_int_equal(kernel_memcmp("a", "b", 0), 0);
}

static void strings_agree_with_libc(void **state)
{
	static const char *const strings[] = {"",
					      "a",
					      "ab",
					      "b",
					      "abc",
					      "abd",
					      "\xff",
					      "a\xff",
					      "abcabc",
					      "/usr/bin/x",
					      "aaaa",
					      "aaab",
					      "longer than eight bytes"};

	for (size_t i = 0; i < ARRAY_SIZE(strings); i++) {
		const char *a = strings[i];

		assert_int_equal(kernel_strlen(a), strlen(a));
		for (size_t n = 0; n < 30; n++)
			assert_int_equal(kernel_strnlen(a, n), strnlen(a, n));
		for (const char *c = "ab/x\xff"; *c; c++) {
			assert_ptr_equal(kernel_strchr(a, *c), strchr(a, *c));
			assert_ptr_equal(kernel_strrchr(a, *c), strrchr(a, *c));
		}
		assert_ptr_equal(kernel_strchr(a, 0), a + strlen(a));
		assert_ptr_equal(kernel_strrchr(a, 0), a + strlen(a));
		for (size_t j = 0; j < ARRAY_SIZE(strings); j++) {
			const char *b = strings[j];

			assert_int_equal(sign(kernel_strcmp(a, b)), sign(strcmp(a, b)));
			for (size_t n = 0; n < 8; n++)
				assert_int_equal(sign(kernel_strncmp(a, b, n)),
						 sign(strncmp(a, b, n)));
		}
	}
}

static void strnlen_stops_at_its_bound(void **state)
{
	char *p = malloc(4);

	memset(p, 'x', 4);
	assert_int_equal(kernel_strnlen(p, 4), 4);
	free(p);
}

static void strlcpy_cuts_and_terminates(void **state)
{
	char *p = malloc(4);

	memset(p, 'x', 4);
	assert_int_equal(kernel_strlcpy(p, "abc", 4), 3);
	assert_string_equal(p, "abc");
	assert_int_equal(kernel_strlcpy(p, "12345", 4), 5);
	assert_string_equal(p, "123");
	assert_int_equal(kernel_strlcpy(p, "", 1), 0);
	assert_string_equal(p, "");
	p[0] = 'q';
	assert_int_equal(kernel_strlcpy(p, "z", 0), 1);
	assert_int_equal(p[0], 'q');
	free(p);
}

static void strtoul_knows_two_bases(void **state)
{
	static const struct {
		const char *text;
		unsigned long value;
		size_t taken;
	} cases[] = {
	    {"0", 0, 1},
	    {"123abc", 123, 3},
	    {"0x1fG", 0x1f, 4},
	    {"0XabCDef", 0xabcdef, 8},
	    {"0x", 0, 1},
	    {"0xg", 0, 1},
	    {"", 0, 0},
	    {"-1", 0, 0},
	    {"18446744073709551615", -1UL, 20},
	    {"0xffffffffffffffff", -1UL, 18},
	    {"9@", 9, 1},
	};

	for (size_t i = 0; i < ARRAY_SIZE(cases); i++) {
		const char *end;

		assert_int_equal(kernel_strtoul(cases[i].text, &end), cases[i].value);
		assert_ptr_equal(end, cases[i].text + cases[i].taken);
		assert_int_equal(kernel_strtoul(cases[i].text, NULL), cases[i].value);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(memcpy_copies_exactly),
	    cmocka_unit_test(memmove_handles_every_overlap),
	    cmocka_unit_test(memset_fills_exactly),
	    cmocka_unit_test(memcmp_orders_as_bytes),
	    cmocka_unit_test(strings_agree_with_libc),
	    cmocka_unit_test(strnlen_stops_at_its_bound),
	    cmocka_unit_test(strlcpy_cuts_and_terminates),
	    cmocka_unit_test(strtoul_knows_two_bases),
	};

	return cmocka_run_group_tests_name("string", tests, NULL, NULL);
}
