/* SPDX-License-Identifier: MIT */
/*
 * Programmable interval timer (Intel 8254 data sheet): channel 2, whose gate and output the PC has
 * in port 0x61, as the counter of known frequency where there is no HPET.
 */
#include <arch/io.h>

#include "calibration.h"

#define PIT_HZ         1193182
#define PIT_CHANNEL_2  0x42
#define PIT_CONTROL    0x43
#define PORT_B         0x61
#define PORT_B_GATE    0x01
#define PORT_B_SPEAKER 0x02

#define CONTROL_ONE_SHOT  0xb0 /* channel 2, low then high byte, mode 0: output rises at zero */
#define CONTROL_READ_BACK 0xc8 /* latch status and count of channel 2 */
#define STATUS_OUTPUT     0x80
#define START_COUNT       0xffff

static void pit_start(void)
{
	outb(PORT_B, (inb(PORT_B) & ~PORT_B_SPEAKER) | PORT_B_GATE);
	outb(PIT_CONTROL, CONTROL_ONE_SHOT);
	outb(PIT_CHANNEL_2, START_COUNT & 0xff);
	outb(PIT_CHANNEL_2, START_COUNT >> 8);
}

static u64 pit_read(void)
{
	u8 status, low, high;

	outb(PIT_CONTROL, CONTROL_READ_BACK);
	status = inb(PIT_CHANNEL_2);
	low = inb(PIT_CHANNEL_2);
	high = inb(PIT_CHANNEL_2);
	if (status & STATUS_OUTPUT)
		return TIME_REFERENCE_LOST;
	return START_COUNT - (high << 8 | low);
}

const struct time_reference pit_reference = {
    .name = "PIT",
    .hz = PIT_HZ,
    .start = pit_start,
    .read = pit_read,
};
