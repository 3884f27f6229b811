/* SPDX-License-Identifier: MIT */
/* What the ACPI tables say about interrupts, timers and power (ACPI 6.4, chapter 5). */
#pragma once

#include <hotregs/boot_info.h>

#define ACPI_MAX_IOAPICS   8
#define ACPI_MAX_OVERRIDES 16 /* one for each ISA interrupt */

struct acpi_ioapic {
	phys_addr_t base;
	u32 gsi_base; /* global system interrupt of its first pin */
};

/* An ISA interrupt that is not the edge-triggered, active-high GSI of its own number. */
struct acpi_override {
	u32 gsi;
	u8 source; /* ISA interrupt */
	bool active_low, level;
};

/* Zero means "the tables do not say" wherever zero is no valid value. */
struct acpi_info {
	unsigned nr_cpus;           /* enabled ones, at most BOOT_MAX_CPUS of them listed */
	u32 apic_id[BOOT_MAX_CPUS]; /* in the tables' order: the boot CPU first */
	unsigned nr_ioapics;
	struct acpi_ioapic ioapic[ACPI_MAX_IOAPICS];
	unsigned nr_overrides;
	struct acpi_override override[ACPI_MAX_OVERRIDES];
	phys_addr_t hpet;
	u16 pm1a_control;   /* I/O port that takes the sleep command */
	u8 rtc_century;     /* CMOS register of the century */
	phys_addr_t beyond; /* a table that the window does not show */
};

/* Filled by boot_parse_*() when the loader names a root pointer; all zero before. */
extern struct acpi_info acpi_info;

/*
 * Reads the tables below the root pointer at @rsdp. A table that is not what it should be is as if
 * it were absent. -EINVAL when the root itself is not: @info is all zero then. Any context.
 */
int acpi_parse(struct acpi_info *info, phys_addr_t rsdp, phys_window_t window);
