/* SPDX-License-Identifier: MIT */
/* ARMv7-A part of arch/clock.h: the generic timer's virtual count (ARM DDI 0406C, B8.1). */
#pragma once

/* ns = (count - base) * ns_per_count >> 32; the factor is drivers/timer/arm_generic_timer.c's. */
extern struct arm_clock {
	u64 base;
	u32 fraction, whole; /* of ns_per_count */
} arm_clock;

static inline u64 clock_cycles(void)
{
	u32 lo, hi;

	/* Not synchronised: a read may be early by the length of the pipeline, but not by more. */
	__asm__ volatile("mrrc p15, 1, %0, %1, c14" : "=r"(lo), "=r"(hi));
	return (u64)hi << 32 | lo;
}

/* @sum + @a * @b: the processor has no larger product. */
static inline u64 arm_add_product(u64 sum, u32 a, u32 b)
{
	__asm__("umlal %Q0, %R0, %1, %2" : "+r"(sum) : "r"(a), "r"(b));
	return sum;
}

static inline u64 clock_cycles_to_ns(u64 cycles)
{
	u64 count = cycles - arm_clock.base;
	u32 lo = count, hi = count >> 32;
	u64 ns = (u64)lo * arm_clock.fraction >> 32;

	ns = arm_add_product(ns, lo, arm_clock.whole);
	ns = arm_add_product(ns, hi, arm_clock.fraction);
	return ns + ((u64)(hi * arm_clock.whole) << 32);
}

static inline u64 clock_ns_per_cycle(void)
{
	return (u64)arm_clock.whole << 32 | arm_clock.fraction;
}

/* The system counter is one for all; only Hyp mode could set a processor's offset (B8.1.3). */
static inline int clock_adjust(s64 cycles)
{
	return -ENOSYS;
}
