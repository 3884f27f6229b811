/* SPDX-License-Identifier: MIT */
/* Architecture contract: the cycle counter behind clock_ns(). */
#pragma once

#include <hotregs/types.h>

/* Reads the counter, which programs may read too. NMI-safe. */
static inline u64 clock_cycles(void);

/* Nanoseconds since the calibration's zero point. NMI-safe. */
static inline u64 clock_cycles_to_ns(u64 cycles);

/* How long a cycle is in that, in ns / 2^32. */
static inline u64 clock_ns_per_cycle(void);

/* Counter frequency in Hz, 0 before calibration. */
u64 clock_hz(void);

/* Moves the calling CPU's counter, and nobody else's. -ENOSYS: that is not possible here. */
static inline int clock_adjust(s64 cycles);

#include <asm/clock.h>
