/* SPDX-License-Identifier: MIT */
/*
 * The clock of the benchmarks. Under QEMU's -icount shift=0 one guest instruction takes one
 * nanosecond of the guest's time. x86's TSC ticks once for it; ARM's generic timer (ARM DDI 0406C,
 * B8.1; DDI 0487, D11.1) once for 16, which is nothing beside a batch.
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
#elif defined(__arm__)
	uint32_t low, high, hz;

	__asm__ volatile("mrc p15, 0, %0, c14, c0, 0" : "=r"(hz));                      /* CNTFRQ */
	__asm__ volatile("mrrc p15, 1, %0, %1, c14" : "=r"(low), "=r"(high)::"memory"); /* CNTVCT */
	return ((uint64_t)high << 32 | low) * (1000000000 / hz);
#elif defined(__aarch64__)
	uint64_t hz, count;

	__asm__ volatile("mrs %0, cntfrq_el0" : "=r"(hz));
	__asm__ volatile("mrs %0, cntvct_el0" : "=r"(count)::"memory");
	return count * (1000000000 / hz);
#else
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
#endif
}
