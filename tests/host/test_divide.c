/* SPDX-License-Identifier: MIT */
/* The 64-bit division of ARM programs, against the compiler's own. */
#include "host.h"

#include "../../user/libc/arm/divide.h"

static const uint64_t edges[] = {
    0,          1,          2,          3,          10,         0x7fffffff,
    0x80000000, 0xffffffff, 1ull << 32, 1ull << 33, 1000000000, 0xffffffff00000000,
    INT64_MAX,  1ull << 63, -3ull,      -2ull,      -1ull,      0x123456789abcdef0,
};
#define NR_EDGES (sizeof(edges) / sizeof(edges[0]))

static void check(uint64_t n, uint64_t d)
{
	uint64_t rest;
	int64_t signed_rest, sn = n, sd = d;

	assert_int_equal(divide_unsigned(n, d, &rest), d ? n / d : 0);
	assert_int_equal(rest, d ? n % d : n);
	if (!d || (sn == INT64_MIN && sd == -1))
		return;
	assert_int_equal(divide_signed(sn, sd, &signed_rest), sn / sd);
	assert_int_equal(signed_rest, sn % sd);
}

static void divides_at_the_edges(void **state)
{
	for (size_t i = 0; i < NR_EDGES; i++)
		for (size_t j = 0; j < NR_EDGES; j++)
			check(edges[i], edges[j]);
}

static void divides_numbers_of_every_length(void **state)
{
	uint64_t n = 88172645463325252u, d = 1181783497276652981u;

	for (unsigned i = 0; i < 200000; i++) {
		/* Marsaglia's xorshift */
		n ^= n << 13, n ^= n >> 7, n ^= n << 17;
		d ^= d << 13, d ^= d >> 7, d ^= d << 17;
		check(n >> i % 64, d >> i / 64 % 64);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(divides_at_the_edges),
	    cmocka_unit_test(divides_numbers_of_every_length),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
