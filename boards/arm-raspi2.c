/* SPDX-License-Identifier: MIT */
/*
 * Raspberry Pi 2 Model B (BCM2835 ARM Peripherals; BCM2836 "QA7", rev 3.4). Its firmware hands over
 * a device tree; QEMU and older firmware, ATAGs or nothing.
 */
#include <hotregs/board.h>

#define PERIPHERALS 0x3f000000 /* where this chip has what the manual puts at 0x7e000000 */
#define UART0       (PERIPHERALS + 0x201000)

static const struct board_entry devices[] = {
    {.compatible = "brcm,bcm2836-l1-intc", .reg = {{0x40000000, 0x100}}, .irq = -1},
    {.compatible = "brcm,bcm2836-armctrl-ic", .reg = {{PERIPHERALS + 0xb200, 0x200}}, .irq = -1},
    {.compatible = "arm,pl011", .reg = {{UART0, 0x200}}, .irq = 57},
    {.compatible = "brcm,bcm2835-aux-uart", .reg = {{PERIPHERALS + 0x215040, 0x40}}, .irq = 29},
};

const struct board board = {
    .name = "Raspberry Pi 2 Model B",
    .compatible = "brcm,bcm2836",
    .ram = {.start = 0, .size = PERIPHERALS},
    .firmware = {.start = 0, .size = 0x1000},
    .uart = UART0,
    .uart_hz = 48000000,
    .devices = devices,
    .nr_devices = sizeof(devices) / sizeof(devices[0]),
    .ram_untold =
	0x3c000000, /* the rest of 1 GiB is the VideoCore's, unless config.txt says less */
};
