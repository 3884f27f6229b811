/* SPDX-License-Identifier: MIT */
/*
 * Division of 64-bit numbers, for which the processor has no instruction: what aeabi_divide.S makes
 * functions of the run-time ABI of. libgcc's have no unwind tables.
 */
#include "divide.h"

/* Of a number that is not 0. */
static inline unsigned leading_zeroes(uint64_t n)
{
	uint32_t high = n >> 32;

	return high ? __builtin_clz(high) : 32 + __builtin_clz((uint32_t)n);
}

/* Bit by bit, as on paper. A quotient that is not defined is 0, as UDIV has it. */
uint64_t divide_unsigned(uint64_t n, uint64_t d, uint64_t *remainder)
{
	uint64_t quotient = 0;

	if (!((n | d) >> 32) && d) {
		*remainder = (uint32_t)n % (uint32_t)d;
		return (uint32_t)n / (uint32_t)d;
	}
	if (d && d <= n) {
		unsigned bits = leading_zeroes(d) - leading_zeroes(n) + 1;

		for (d <<= bits - 1; bits; bits--, d >>= 1) {
			quotient <<= 1;
			if (n >= d) {
				n -= d;
				quotient |= 1;
			}
		}
	}
	*remainder = n;
	return quotient;
}

static inline uint64_t magnitude(int64_t n)
{
	return n < 0 ? -(uint64_t)n : (uint64_t)n;
}

/* Towards zero; the remainder has the sign of @n. */
int64_t divide_signed(int64_t n, int64_t d, int64_t *remainder)
{
	uint64_t left;
	uint64_t quotient = divide_unsigned(magnitude(n), magnitude(d), &left);

	*remainder = n < 0 ? -left : left;
	return (n < 0) != (d < 0) ? -quotient : quotient;
}
