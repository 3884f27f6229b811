/* SPDX-License-Identifier: MIT */
/*
 * The BCM2835's mini UART (BCM2835 ARM Peripherals, 2.2) as export channel, for machines without a
 * faster one, whose registration replaces this one. Firmware routes its pins on a real board.
 */
#include <hotregs/board.h>
#include <hotregs/device.h>
#include <hotregs/mm.h>
#include <hotregs/printk.h>

#include <arch/io.h>

/* Relative to the port's own registers, in front of which the block's enables are. */
#define AUX_ENABLES   (0x04 - 0x40)
#define AUX_MINI_UART BIT(0)
#define MU_IO         0x00
#define MU_IER        0x04
#define MU_LCR        0x0c
#define LCR_8_BITS    3 /* the manual's 1 is an error of its (its errata, page 14) */
#define MU_LSR        0x14
#define LSR_ROOM      BIT(5)
#define MU_CNTL       0x20
#define CNTL_SEND     BIT(1)
#define MU_BAUD       0x28
#define MU_SIZE       0x40

#define CORE_HZ 250000000
#define BAUD    115200

static volatile u8 *regs;

/* The wait is bounded, so that hardware that stops cannot stop the caller. */
static int mini_uart_write(const void *buf, size_t n)
{
	for (const u8 *p = buf; n; n--) {
		for (u32 tries = 1000000; !(mmio_read32(regs + MU_LSR) & LSR_ROOM);)
			if (!--tries)
				return -EIO;
		mmio_write32(regs + MU_IO, *p++);
	}
	return 0;
}

static void mini_uart_start(void)
{
	static const struct export_channel channel = {.name = "mini UART",
						      .write = mini_uart_write};
	struct board_device dev = {0};

	if (!board_next_device(&dev, "brcm,bcm2835-aux-uart") || dev.reg[0].size < MU_SIZE ||
	    dev.reg[0].start % PAGE_SIZE < 0x40)
		return;
	regs = ioremap(dev.reg[0].start, MU_SIZE);
	if (!regs)
		panic("no memory to map the mini UART");
	mmio_write32(regs + AUX_ENABLES, mmio_read32(regs + AUX_ENABLES) | AUX_MINI_UART);
	mmio_write32(regs + MU_IER, 0);
	mmio_write32(regs + MU_CNTL, 0);
	mmio_write32(regs + MU_LCR, LCR_8_BITS);
	mmio_write32(regs + MU_BAUD, CORE_HZ / (8 * BAUD) - 1);
	mmio_write32(regs + MU_CNTL, CNTL_SEND);
	export_register(&channel);
	printk("mini-uart: export channel at %#llx, 115200 baud\n", dev.reg[0].start);
}
INITCALL(3, mini_uart_start);
