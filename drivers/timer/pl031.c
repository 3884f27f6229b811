/* SPDX-License-Identifier: MIT */
/* PL031 real-time clock (Arm DDI 0224C): read once, for the time of day. */
#include <hotregs/board.h>
#include <hotregs/device.h>
#include <hotregs/mm.h>
#include <hotregs/printk.h>
#include <hotregs/time.h>

#include <arch/io.h>

#define RTC_DR   0x00 /* seconds, since 1970 by convention (3.3.1) */
#define REG_SIZE 0x1000

static void pl031_start(void)
{
	struct board_device dev = {0};
	volatile u8 *regs;
	u32 now;

	if (!board_next_device(&dev, "arm,pl031") || !dev.reg[0].size)
		return;
	regs = ioremap(dev.reg[0].start, REG_SIZE);
	if (!regs)
		panic("no memory to map the real-time clock");
	now = mmio_read32(regs + RTC_DR);
	clock_boot_epoch = now - clock_ns() / 1000000000;
	printk("rtc: %u s since 1970\n", now);
}
INITCALL(3, pl031_start);
