/* SPDX-License-Identifier: MIT */
/*
 * The time-stamp counter as the kernel's clock (Intel SDM vol. 3, 17.17). Measures it, and in the
 * same window the local APIC's timer, against a counter of known frequency.
 */
#include <hotregs/device.h>
#include <hotregs/printk.h>
#include <hotregs/time.h>

#include "../irq/lapic.h"
#include "calibration.h"

/*
 * The window is as long as its ends are vague: a host that takes its processor away in the middle
 * of a sample, or slow device reads, make it longer, not the result wrong. Midpoints halve the
 * rest.
 */
#define PRECISION     2000
#define MIN_TICKS     4000 /* of the reference, which is read to a whole one */
#define MIN_WINDOW_US 250UL
#define MAX_ATTEMPTS  10
#define FIRST_SAMPLES 5

struct sample {
	u64 tsc;   /* middle of the time it was taken in */
	u64 width; /* length of that time */
	u64 reference;
	u32 lapic; /* counts down */
};

u64 tsc_base, tsc_mult;
static u64 tsc_hz;
static const struct time_reference *reference;

u64 clock_hz(void)
{
	return tsc_hz;
}

static struct sample take_sample(void)
{
	struct sample s;
	u64 begin = clock_cycles();

	s.reference = reference->read();
	s.lapic = lapic_read(LAPIC_CURRENT_COUNT);
	s.width = clock_cycles() - begin;
	s.tsc = begin + s.width / 2;
	return s;
}

static bool precise(const struct sample *a, const struct sample *b)
{
	u64 ticks = b->reference - a->reference;

	return ticks >= MIN_TICKS && ticks >= reference->hz * MIN_WINDOW_US / 1000000 &&
	       (a->width + b->width) * PRECISION <= b->tsc - a->tsc;
}

/*
 * Fills the ends of one window; false when one of the counters ran out on the way, as it does when
 * the host stops the machine for long.
 */
static bool measure(struct sample *first, struct sample *last)
{
	lapic_write(LAPIC_INITIAL_COUNT, UINT32_MAX);
	reference->start();
	*first = take_sample();
	for (int i = 1; i < FIRST_SAMPLES; i++) {
		*last = take_sample();
		if (last->width < first->width)
			*first = *last;
	}
	do {
		*last = take_sample();
		if (first->reference == TIME_REFERENCE_LOST ||
		    last->reference == TIME_REFERENCE_LOST || last->lapic == 0)
			return false;
	} while (!precise(first, last));
	return true;
}

/* The two frequencies, from one window. */
static void calibrate(u64 *tsc, u64 *lapic)
{
	struct sample first, last;
	u64 ticks;
	int attempts = 0;

	lapic_write(LAPIC_DIVIDE, LAPIC_DIVIDE_BY_1);
	lapic_write(LAPIC_LVT_TIMER, LAPIC_LVT_MASKED);
	while (!measure(&first, &last))
		if (++attempts == MAX_ATTEMPTS)
			panic("cannot calibrate the TSC by %s", reference->name);
	lapic_write(LAPIC_INITIAL_COUNT, 0);

	ticks = last.reference - first.reference;
	*tsc = (last.tsc - first.tsc) * reference->hz / ticks;
	*lapic = (first.lapic - last.lapic) * reference->hz / ticks;
}

static void clocks_init(void)
{
	u64 lapic_hz;

	reference = hpet_probe();
	if (!reference)
		reference = &pit_reference;
	calibrate(&tsc_hz, &lapic_hz);
	tsc_mult = (1000000000UL << 32) / tsc_hz;
	printk("tsc: %llu kHz, lapic timer: %llu kHz, by %s\n", tsc_hz / 1000, lapic_hz / 1000,
	       reference->name);
	lapic_timer_start(lapic_hz);
}
INITCALL(2, clocks_init);
