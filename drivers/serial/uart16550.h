/* SPDX-License-Identifier: MIT */
/* A 16550 UART behind I/O ports, polled: what the console and the export channel share. */
#pragma once

#include <hotregs/types.h>

#include <arch/io.h>

#define UART_COM1 0x3f8
#define UART_COM2 0x2f8

/* Registers and bits: National PC16550D data sheet, table II. */
#define UART_DATA     0 /* receive buffer, transmit holding; divisor low while LCR.DLAB */
#define UART_IER      1 /* interrupt enable; divisor high while LCR.DLAB */
#define UART_IER_RX   BIT(0)
#define UART_FCR      2    /* write: FIFO control */
#define UART_FCR_ON   0x07 /* enable, clear both; receive interrupt at one byte */
#define UART_LCR      3
#define UART_LCR_8N1  0x03
#define UART_LCR_DLAB BIT(7)
#define UART_MCR      4
#define UART_MCR_ON   0x0b /* DTR, RTS, and OUT2, which lets the interrupt through on a PC */
#define UART_LSR      5
#define UART_LSR_DR   BIT(0) /* data ready */
#define UART_LSR_THRE BIT(5) /* the transmit FIFO is empty */
#define UART_LSR_TEMT BIT(6) /* and so is the shift register */
#define UART_SCR      7      /* scratch: keeps what is written, and does nothing */

#define UART_FIFO_SIZE 16
#define UART_CLOCK     115200 /* 1.8432 MHz / 16: baud rate at divisor 1 */

/* Is there a UART at @port? Any context. */
static inline bool uart_present(u16 port)
{
	outb(port + UART_SCR, 0x5a);
	if (inb(port + UART_SCR) != 0x5a)
		return false;
	outb(port + UART_SCR, 0xa5);
	return inb(port + UART_SCR) == 0xa5;
}

/* 115200 baud, 8N1, FIFOs on, no interrupts. */
static inline void uart_init(u16 port)
{
	outb(port + UART_IER, 0);
	outb(port + UART_LCR, UART_LCR_8N1 | UART_LCR_DLAB);
	outb(port + UART_DATA, UART_CLOCK / 115200);
	outb(port + UART_IER, 0);
	outb(port + UART_LCR, UART_LCR_8N1);
	outb(port + UART_FCR, UART_FCR_ON);
	outb(port + UART_MCR, UART_MCR_ON);
}

/*
 * Waits for a state of the transmitter. Bounded, so that hardware that stops cannot stop the
 * kernel; returns false then. Any context.
 */
static inline bool uart_wait(u16 port, u8 status)
{
	u32 tries = 1000000; /* reads of about 1 us: far more than 16 bytes take */

	while (!(inb(port + UART_LSR) & status))
		if (!--tries)
			return false;
	return true;
}

/* Sends bytes, waiting for room in the FIFO: its whole depth once it has drained. Any context. */
static inline bool uart_write(u16 port, const u8 *p, size_t n)
{
	while (n) {
		size_t burst = MIN(n, (size_t)UART_FIFO_SIZE);

		if (!uart_wait(port, UART_LSR_THRE))
			return false;
		n -= burst;
		while (burst--)
			outb(port + UART_DATA, *p++);
	}
	return true;
}
