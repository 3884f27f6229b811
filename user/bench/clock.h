/* SPDX-License-Identifier: MIT */
/*
 * The clock of the benchmarks. Under QEMU's -icount shift=0 one guest instruction takes one
 * nanosecond of the guest's time, and x86's TSC ticks once for it.
 */
#pragma once

#include <stdint.h>
#include <time.h>

static inline uint64_t clock_instructions(void)
{
#if defined(__x86_64__)
	uint32_t low, high;

	__asm__ volatile("rdtsc" : "=a"(low), "=d"(high)::"memory");
	return (uint64_t)high << 32 | low;
#else
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
#endif
}
