/* SPDX-License-Identifier: MIT */
/* The PC's battery-backed clock (Motorola MC146818A data sheet): read once, for the time of day. */
#include <hotregs/acpi.h>
#include <hotregs/device.h>
#include <hotregs/printk.h>
#include <hotregs/string.h>
#include <hotregs/time.h>

#include <arch/io.h>

#define CMOS_INDEX 0x70
#define CMOS_DATA  0x71

#define REG_STATUS_A    0x0a
#define STATUS_A_BUSY   BIT(7)
#define REG_STATUS_B    0x0b
#define STATUS_B_24H    BIT(1)
#define STATUS_B_BINARY BIT(2)
#define HOUR_PM         0x80

enum { SECOND, MINUTE, HOUR, DAY, MONTH, YEAR, CENTURY, NR_FIELDS };
static const u8 field_register[NR_FIELDS] = {0x00, 0x02, 0x04, 0x07, 0x08, 0x09};

/* An update takes 2 ms at most; a read is at least 0.1 us. */
#define MAX_BUSY_READS 20000

static u8 cmos_read(u8 reg)
{
	outb(CMOS_INDEX, reg);
	return inb(CMOS_DATA);
}

static void read_fields(u8 field[NR_FIELDS])
{
	for (unsigned n = 0; n < MAX_BUSY_READS && cmos_read(REG_STATUS_A) & STATUS_A_BUSY; n++)
		;
	for (int i = 0; i < CENTURY; i++)
		field[i] = cmos_read(field_register[i]);
	/* Which register has the century only ACPI knows. */
	field[CENTURY] = acpi_info.rtc_century ? cmos_read(acpi_info.rtc_century) : 0;
}

/* Two readings that agree were not cut by an update; false when there are none. */
static bool read_stable(u8 field[NR_FIELDS])
{
	u8 again[NR_FIELDS];

	read_fields(field);
	for (int tries = 0; tries < 5; tries++) {
		read_fields(again);
		if (!memcmp(field, again, sizeof(again)))
			return true;
		memcpy(field, again, sizeof(again));
	}
	return false;
}

/* Turns the chip's coding into numbers; an hour of twelve has its PM bit beside the digits. */
static void decode(u8 field[NR_FIELDS])
{
	u8 status = cmos_read(REG_STATUS_B);
	bool pm = !(status & STATUS_B_24H) && field[HOUR] & HOUR_PM;

	if (!(status & STATUS_B_24H))
		field[HOUR] &= ~HOUR_PM;
	for (int i = 0; i < NR_FIELDS && !(status & STATUS_B_BINARY); i++)
		field[i] = (field[i] >> 4) * 10 + (field[i] & 0xf);
	if (!(status & STATUS_B_24H))
		field[HOUR] = field[HOUR] % 12 + (pm ? 12 : 0);
}

/* Days from 1 January 1970 to a date of the Gregorian calendar, whose year here begins in March. */
static u64 days_since_1970(u64 year, u64 month, u64 day)
{
	u64 y = month > 2 ? year : year - 1, m = month > 2 ? month - 3 : month + 9;

	return 365 * y + y / 4 - y / 100 + y / 400 + (153 * m + 2) / 5 + day - 1 - 719468;
}

static void cmos_rtc_init(void)
{
	u8 f[NR_FIELDS];
	u64 year, seconds;

	if (read_stable(f))
		decode(f);
	else
		f[MONTH] = 0;
	if (f[MONTH] < 1 || f[MONTH] > 12 || f[DAY] < 1 || f[DAY] > 31) {
		printk("rtc: not set, the time of day is unknown\n");
		return;
	}
	year = (f[CENTURY] ? f[CENTURY] : 20) * 100UL + f[YEAR];
	seconds = days_since_1970(year, f[MONTH], f[DAY]) * 86400 + f[HOUR] * 3600 +
		  f[MINUTE] * 60 + f[SECOND];
	clock_boot_epoch = seconds - clock_ns() / 1000000000;
	printk("rtc: %llu-%02u-%02u %02u:%02u:%02u\n", year, f[MONTH], f[DAY], f[HOUR], f[MINUTE],
	       f[SECOND]);
}
INITCALL(2, cmos_rtc_init);
