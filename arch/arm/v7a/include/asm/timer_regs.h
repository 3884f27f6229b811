/* SPDX-License-Identifier: MIT */
/* The generic timer's registers (Arm ARM DDI 0406C, B8.1.2 and table B8-1). */
#pragma once

#include <arch/cache.h>

#define CNTV_CTL_ENABLE 1U /* and not masked, IMASK being bit 1 */

/* Counts a second; whatever the firmware has written. */
static inline u32 read_cntfrq(void)
{
	u32 hz;

	__asm__ volatile("mrc p15, 0, %0, c14, c0, 0" : "=r"(hz));
	return hz;
}

/* Done when this returns: off, the timer asks no more when its interrupt is ended (B3.15.5). */
static inline void write_cntv_ctl(u32 value)
{
	__asm__ volatile("mcr p15, 0, %0, c14, c3, 1" ::"r"(value));
	synchronize_context();
}

/* The interrupt comes when the virtual count has reached @value. */
static inline void write_cntv_cval(u64 value)
{
	__asm__ volatile("mcrr p15, 3, %Q0, %R0, c14" ::"r"(value));
}
