/* SPDX-License-Identifier: MIT */
/* Host part of arch/clock.h: time is a variable that the test moves. */
#pragma once

extern u64 host_clock; /* ns */

static inline u64 clock_cycles(void)
{
	return host_clock;
}

static inline u64 clock_cycles_to_ns(u64 cycles)
{
	return cycles;
}

static inline u64 clock_ns_per_cycle(void)
{
	return 1ULL << 32;
}

static inline int clock_adjust(s64 cycles)
{
	host_clock += cycles;
	return 0;
}
