/* SPDX-License-Identifier: MIT */
/* The first serial port of a PC as console: polled output, input by interrupt. */
#include <hotregs/device.h>
#include <hotregs/irq.h>
#include <hotregs/printk.h>

#include "uart16550.h"

#define COM1_IRQ 4

/* Output of two contexts at once gets mixed, byte bursts of each being whole; nothing breaks. */
static void com1_write(const char *s, size_t n)
{
	uart_write(UART_COM1, (const u8 *)s, n);
}

static void com1_drain(void)
{
	uart_wait(UART_COM1, UART_LSR_TEMT);
}

void early_console_write(const char *s, size_t n)
{
	static bool initialised;

	if (!uart_present(UART_COM1))
		return;
	if (!initialised)
		uart_init(UART_COM1);
	initialised = true;
	com1_write(s, n);
	com1_drain();
}

static void com1_interrupt(void *ctx)
{
	while (inb(UART_COM1 + UART_LSR) & UART_LSR_DR)
		console_input(inb(UART_COM1 + UART_DATA));
}

static struct console com1 = {.name = "COM1", .write = com1_write, .drain = com1_drain};

static void uart16550_start(void)
{
	if (!uart_present(UART_COM1))
		return;
	uart_init(UART_COM1);
	console_register(&com1);
}
INITCALL(0, uart16550_start);

static void uart16550_start_input(void)
{
	int err;

	if (!uart_present(UART_COM1))
		return;
	printk("uart16550: console at COM1, 115200 baud\n");
	err = irq_register(COM1_IRQ, com1_interrupt, NULL);
	if (err) {
		printk("uart16550: no input: interrupt %u is not available (error %d)\n", COM1_IRQ,
		       -err);
		return;
	}
	outb(UART_COM1 + UART_IER, UART_IER_RX);
}
INITCALL(4, uart16550_start_input);
