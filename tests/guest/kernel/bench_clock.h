/* SPDX-License-Identifier: MIT */
/*
 * The clock of the kernel's benchmarks: with QEMU's -icount shift=0 it counts guest instructions.
 * It wraps; no batch takes that long.
 */
#pragma once

#include <arch/clock.h>

#ifdef __arm__
/* The generic timer is too coarse: its count stands for 16 instructions. The cycle counter of the
 * performance monitors (ARM DDI 0406C, C12.8) counts each. */
static inline void bench_clock_start(void)
{
	__asm__ volatile("mcr p15, 0, %0, c9, c12, 1\n\t" /* PMCNTENSET.C */
			 "mcr p15, 0, %1, c9, c12, 0"     /* PMCR.E, not divided by 64 */
			 ::"r"(1u << 31),
			 "r"(1));
}

static inline u32 bench_clock(void)
{
	u32 count;

	__asm__ volatile("mrc p15, 0, %0, c9, c13, 0" : "=r"(count)::"memory"); /* PMCCNTR */
	return count;
}
#elif defined(__aarch64__)
/* The same (Arm ARM DDI 0487, D17.5). */
static inline void bench_clock_start(void)
{
	__asm__ volatile("msr pmcntenset_el0, %0\n\t" /* C */
			 "msr pmcr_el0, %1"           /* E */
			 ::"r"(1UL << 31),
			 "r"(1UL));
}

static inline u32 bench_clock(void)
{
	u64 count;

	__asm__ volatile("mrs %0, pmccntr_el0" : "=r"(count)::"memory");
	return count;
}
#else
static inline void bench_clock_start(void)
{
}

static inline u32 bench_clock(void)
{
	return clock_cycles();
}
#endif
