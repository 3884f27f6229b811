/* SPDX-License-Identifier: MIT */
/*
 * The second serial port of a PC as export channel, for machines without a faster one. Registered
 * at an earlier level than the virtio driver, whose registration therefore replaces this one.
 */
#include <hotregs/device.h>
#include <hotregs/printk.h>

#include "../serial/uart16550.h"

static int com2_write(const void *buf, size_t n)
{
	/* What stands in the FIFO at the end of the machine would be lost. */
	return uart_write(UART_COM2, buf, n) && uart_wait(UART_COM2, UART_LSR_TEMT) ? 0 : -EIO;
}

static void uart_export_start(void)
{
	static const struct export_channel com2 = {.name = "COM2", .write = com2_write};

	if (!uart_present(UART_COM2))
		return;
	uart_init(UART_COM2);
	export_register(&com2);
	printk("uart-export: export channel at COM2, 115200 baud\n");
}
INITCALL(3, uart_export_start);
