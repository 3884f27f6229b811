/* SPDX-License-Identifier: MIT */
/* The time of day: that of the board's clock at boot, or what somebody has set since. */
#include <hotregs/time.h>

#define NSEC_PER_SEC 1000000000ULL

static u64 set_by; /* nanoseconds, modulo 2^64; atomic */

u64 clock_realtime_at(u64 ns)
{
	return clock_boot_epoch * NSEC_PER_SEC + __atomic_load_n(&set_by, __ATOMIC_RELAXED) + ns;
}

u64 clock_realtime_ns(void)
{
	return clock_realtime_at(clock_ns());
}

void clock_set_realtime(u64 ns)
{
	__atomic_store_n(&set_by, ns - clock_boot_epoch * NSEC_PER_SEC - clock_ns(),
			 __ATOMIC_RELAXED);
}
