/* SPDX-License-Identifier: MIT */
/* The generic timer's registers for its driver's test, which answers. */
#pragma once

#include <hotregs/types.h>

#define CNTV_CTL_ENABLE 1U

/* What asm/clock.h has beside clock_cycles(). */
extern struct arm_clock {
	u64 base;
	u32 fraction, whole;
} arm_clock;

u32 read_cntfrq(void);
void write_cntv_ctl(u32 value);
void write_cntv_cval(u64 value);
