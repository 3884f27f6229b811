/* SPDX-License-Identifier: MIT */
/* Between the PC's timer drivers: a counter of known frequency, and who is calibrated with it. */
#pragma once

#include <hotregs/types.h>

#define TIME_REFERENCE_LOST UINT64_MAX

struct time_reference {
	const char *name;
	u64 hz;
	/* Makes the next read() one of a new measurement. */
	void (*start)(void);
	/* A rising count, or TIME_REFERENCE_LOST when it may have wrapped since start(). */
	u64 (*read)(void);
};

/* The HPET's counter; NULL when the machine has none that is usable. */
const struct time_reference *hpet_probe(void);

/* What every PC has. */
extern const struct time_reference pit_reference;

/* Makes the local APIC's timer, whose input has frequency @hz, the clock-event device. */
void lapic_timer_start(u64 hz);
