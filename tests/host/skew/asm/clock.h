/* SPDX-License-Identifier: MIT */
/* Clocks of two processors, which are threads: test_skew.c has them. */
#pragma once

u64 skewed_clock_cycles(void);
int skewed_clock_adjust(s64 cycles);

static inline u64 clock_cycles(void)
{
	return skewed_clock_cycles();
}

static inline int clock_adjust(s64 cycles)
{
	return skewed_clock_adjust(cycles);
}

static inline u64 clock_ns_per_cycle(void)
{
	return 1ULL << 32;
}

static inline u64 clock_cycles_to_ns(u64 cycles)
{
	return cycles;
}
