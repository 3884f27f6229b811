/* SPDX-License-Identifier: MIT */
/*
 * High precision event timer (IA-PC HPET specification 1.0a, 2.3): its free-running counter only.
 * Its timers are switched off.
 */
#include <hotregs/acpi.h>
#include <hotregs/mm.h>
#include <hotregs/printk.h>

#include <arch/io.h>

#include "calibration.h"

#define HPET_CAPABILITIES 0x000 /* 12:8 last timer; 63:32 period in fs */
#define HPET_CONFIG       0x010
#define HPET_COUNTER      0x0f0
#define HPET_TIMER(n)     (0x100 + 0x20 * (n))
#define CONFIG_ENABLE     BIT(0)
#define TIMER_INT_ENABLE  BIT(2)
#define MAX_PERIOD_FS     100000000UL /* slower is not an HPET */
#define FS_PER_S          1000000000000000UL

static volatile u8 *regs;
static u32 last;
static u64 count;

static void hpet_start(void)
{
	last = mmio_read32(regs + HPET_COUNTER);
}

/* Not every HPET counts 64 bits; 32 wrap in more than 4 s, between two reads never. */
static u64 hpet_read(void)
{
	u32 now = mmio_read32(regs + HPET_COUNTER);

	count += now - last;
	last = now;
	return count;
}

static struct time_reference reference = {
    .name = "HPET",
    .start = hpet_start,
    .read = hpet_read,
};

const struct time_reference *hpet_probe(void)
{
	u32 capabilities, period;

	if (!acpi_info.hpet)
		return NULL;
	regs = ioremap(acpi_info.hpet, 0x400);
	if (!regs)
		panic("no memory to map the HPET");
	capabilities = mmio_read32(regs + HPET_CAPABILITIES);
	period = mmio_read32(regs + HPET_CAPABILITIES + 4);
	if (period == 0 || period > MAX_PERIOD_FS) {
		printk("hpet: ignored, its period is said to be %u fs\n", period);
		return NULL;
	}
	for (u32 n = 0; n <= (capabilities >> 8 & 0x1f); n++) {
		volatile u8 *config = regs + HPET_TIMER(n);

		mmio_write32(config, mmio_read32(config) & ~TIMER_INT_ENABLE);
	}
	/* Also ends legacy routing, by which its timers take the PIT's and the RTC's interrupt. */
	mmio_write32(regs + HPET_CONFIG, CONFIG_ENABLE);
	reference.hz = FS_PER_S / period;
	return &reference;
}
