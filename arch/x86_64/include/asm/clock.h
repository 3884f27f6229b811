/* SPDX-License-Identifier: MIT */
/* x86_64 part of arch/clock.h: the time-stamp counter (Intel SDM vol. 3, 17.17). */
#pragma once

#include <asm/msr.h>

/* Set by drivers/timer/tsc.c: ns = (tsc - base) * mult >> 32. */
extern u64 tsc_base, tsc_mult;

static inline u64 clock_cycles(void)
{
	u32 lo, hi;

	__asm__ volatile("rdtsc" : "=a"(lo), "=d"(hi));
	return (u64)hi << 32 | lo;
}

static inline u64 clock_cycles_to_ns(u64 cycles)
{
	return (unsigned __int128)(cycles - tsc_base) * tsc_mult >> 32;
}

static inline u64 clock_ns_per_cycle(void)
{
	return tsc_mult;
}

#define CPUID7_EBX_TSC_ADJUST BIT(1)

/* Adding to this register adds to the counter (SDM vol. 3, 17.17.3); to write that itself would
 * take away the time that passes meanwhile. */
static inline int clock_adjust(s64 cycles)
{
	if (!(cpuid(7).ebx & CPUID7_EBX_TSC_ADJUST))
		return -ENOSYS;
	wrmsr(MSR_TSC_ADJUST, rdmsr(MSR_TSC_ADJUST) + cycles);
	return 0;
}
