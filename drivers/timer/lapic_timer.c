/* SPDX-License-Identifier: MIT */
/* The local APIC's timer as the clock-event device of its CPU (Intel SDM vol. 3, 10.5.4). */
#include <hotregs/printk.h>
#include <hotregs/time.h>

#include <asm/vectors.h>

#include "../irq/lapic.h"
#include "calibration.h"

#define NS_PER_S 1000000000UL

static u64 ns_to_ticks; /* 32.32 fixed point */
static u64 max_ns;      /* longer waits end early, and kernel/time asks again */

static void lapic_timer_set(u64 delta_ns)
{
	u32 ticks = UINT32_MAX;

	if (delta_ns == UINT64_MAX)
		ticks = 0;          /* stops it */
	else if (delta_ns < max_ns) /* rounded up: early would be an interrupt for nothing */
		ticks = ((unsigned __int128)delta_ns * ns_to_ticks >> 32) + 1;
	lapic_write(LAPIC_INITIAL_COUNT, ticks);
}

/* One-shot mode is 0. A write of the count starts it. */
static void lapic_timer_start_cpu(void)
{
	lapic_write(LAPIC_DIVIDE, LAPIC_DIVIDE_BY_1);
	lapic_write(LAPIC_LVT_TIMER, VECTOR_TIMER);
}

static const struct clock_event lapic_timer = {
    .name = "lapic",
    .set = lapic_timer_set,
    .start_cpu = lapic_timer_start_cpu,
};

void lapic_timer_start(u64 hz)
{
	if (hz == 0)
		panic("the local APIC's timer does not count");
	ns_to_ticks = (hz << 32) / NS_PER_S;
	max_ns = UINT32_MAX * NS_PER_S / hz;
	lapic_timer_start_cpu();
	time_set_clock_event(&lapic_timer);
}
