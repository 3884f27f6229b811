/* SPDX-License-Identifier: MIT */
/* AArch64 part of arch/clock.h: the generic timer's virtual count (Arm ARM DDI 0487, D11.1). */
#pragma once

#include <asm/sysreg.h>

/* ns = (count - base) * ns_per_count >> 32; the factor is drivers/timer/arm_generic_timer.c's. */
extern struct arm_clock {
	u64 base;
	union {
		struct {
			u32 fraction, whole;
		};
		u64 ns_per_count;
	};
} arm_clock;

/* Not synchronised: a read may be early by the length of the pipeline, but not by more. */
static inline u64 clock_cycles(void)
{
	return sysreg_read(CNTVCT_EL0);
}

static inline u64 clock_cycles_to_ns(u64 cycles)
{
	return (unsigned __int128)(cycles - arm_clock.base) * arm_clock.ns_per_count >> 32;
}

static inline u64 clock_ns_per_cycle(void)
{
	return arm_clock.ns_per_count;
}

/* The system counter is one for all; only EL2 could set a processor's offset (D11.2.1). */
static inline int clock_adjust(s64 cycles)
{
	return -ENOSYS;
}
