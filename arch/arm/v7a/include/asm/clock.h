/* SPDX-License-Identifier: MIT */
/* ARMv7-A part of arch/clock.h: the generic timer's virtual count (ARM DDI 0406C, B8.1). */
#pragma once

/* Set by drivers/timer/arm_generic_timer.c: ns = (count - base) * mult >> ARM_CLOCK_SHIFT. */
extern u64 arm_clock_base;
extern u32 arm_clock_mult;
#define ARM_CLOCK_SHIFT 24

static inline u64 clock_cycles(void)
{
	u32 lo, hi;

	/* Not synchronised: a read may be early by the length of the pipeline, but not by more. */
	__asm__ volatile("mrrc p15, 1, %0, %1, c14" : "=r"(lo), "=r"(hi));
	return (u64)hi << 32 | lo;
}

static inline u64 clock_cycles_to_ns(u64 cycles)
{
	u64 count = cycles - arm_clock_base;

	/* Two products of 32 by 32 bits: the processor has no larger ones. */
	return ((u64)(u32)count * arm_clock_mult >> ARM_CLOCK_SHIFT) +
	       ((u64)(u32)(count >> 32) * arm_clock_mult << (32 - ARM_CLOCK_SHIFT));
}
