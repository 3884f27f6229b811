/* SPDX-License-Identifier: MIT */
/* The generic timer's registers (Arm ARM DDI 0487, D11.2.4 and D17.11). */
#pragma once

#include <arch/cache.h>
#include <asm/sysreg.h>

#define CNTV_CTL_ENABLE 1U /* and not masked, IMASK being bit 1 */

/* Counts a second; whatever the firmware has written. */
static inline u32 read_cntfrq(void)
{
	return sysreg_read(CNTFRQ_EL0);
}

/* Done when this returns: off, the timer asks no more when its interrupt is ended. */
static inline void write_cntv_ctl(u32 value)
{
	sysreg_write(CNTV_CTL_EL0, value);
	synchronize_context();
}

/* The interrupt comes when the virtual count has reached @value. */
static inline void write_cntv_cval(u64 value)
{
	sysreg_write(CNTV_CVAL_EL0, value);
}
