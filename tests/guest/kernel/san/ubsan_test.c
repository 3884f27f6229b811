/* SPDX-License-Identifier: MIT */
/* The sanitizer's reports: one of each kind is made, and says what it is about. */
#include <hotregs/string.h>

#include "../ktest.h"

/* The compiler must not see the values. */
static volatile int zero = 0, one = 1, big = INT32_MAX, small = INT32_MIN, minus = -1;
static volatile s64 wide = INT64_MAX;
static volatile unsigned long sink;

KTEST(ubsan_arithmetic)
{
	EXPECT_REPORT("2147483647 + 1 overflows 'int'", sink = big + one);
	EXPECT_REPORT("-2147483648 - 1 overflows 'int'", sink = small - one);
	EXPECT_REPORT("2147483647 * 2147483647 overflows 'int'", sink = big * big);
	EXPECT_REPORT("-(-2147483648) overflows 'int'", sink = -small);
	EXPECT_REPORT("9223372036854775807 overflows 'long long int'", wide += wide);
}

KTEST(ubsan_shifts)
{
	EXPECT_REPORT("1 of type 'int' shifted by 33", sink = one << (one + 32));
	EXPECT_REPORT("1 of type 'int' shifted by -1", sink = one << minus);
	EXPECT_REPORT("2147483647 of type 'int' shifted by 1", sink = big << one);
}

KTEST(ubsan_bounds)
{
	struct {
		int before, array[4], behind;
	} s = {0};

	EXPECT_REPORT("index 4 of 'int [4]'", sink = s.array[one + 3]);
	EXPECT_REPORT("index -1 of 'int [4]'", sink = s.array[minus]);
}

/* A page that holds zeroes lies at address 0 on none of the boards: nothing is read. */
KTEST(ubsan_pointers)
{
	static u64 two[2];
	u64 *volatile misaligned = (u64 *)((char *)two + 1);
	struct ktest *volatile null = NULL;

	EXPECT_REPORT("which is not aligned to 8", sink = *misaligned);
	EXPECT_REPORT("member access in 'struct ktest' at NULL", sink = (unsigned long)&null->run);
}

KTEST(ubsan_invalid_values)
{
	union {
		volatile u8 byte;
		volatile bool truth;
	} u = {.byte = 2};

	EXPECT_REPORT("2 is no '_Bool'", sink = u.truth);
}

static noinline void overflow(void)
{
	sink = big + one;
}

/* A place is told once. */
KTEST(ubsan_says_it_once)
{
	check_expect();
	for (int i = 0; i < 3; i++)
		overflow();
	EXPECT(check_expected() != NULL);
}

KTEST(ubsan_says_where)
{
	EXPECT_REPORT("tests/guest/kernel/san/ubsan_test.c:", sink = small - one);
}
