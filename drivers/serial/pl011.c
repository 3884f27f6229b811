/* SPDX-License-Identifier: MIT */
/* PL011 UART (Arm DDI 0183G) as console: polled output, input by interrupt; and early messages. */
#include <hotregs/board.h>
#include <hotregs/device.h>
#include <hotregs/irq.h>
#include <hotregs/mm.h>
#include <hotregs/printk.h>

#include <arch/io.h>
#include <arch/mmu.h>

/* Registers (3.2). */
#define UART_DR   0x00
#define UART_FR   0x18
#define FR_BUSY   BIT(3) /* not all has been sent */
#define FR_RXFE   BIT(4) /* nothing received */
#define FR_TXFF   BIT(5) /* no room to send */
#define UART_IBRD 0x24   /* baud rate divisor: whole part, 64ths */
#define UART_FBRD 0x28
#define UART_LCRH 0x2c
#define LCRH_8N1  (BIT(4) | 3U << 5) /* with FIFOs */
#define UART_CR   0x30
#define CR_UARTEN BIT(0)
#define CR_ON     (CR_UARTEN | BIT(8) | BIT(9)) /* both directions */
#define UART_IFLS 0x34                          /* FIFO levels that interrupt; 0: an eighth */
#define UART_IMSC 0x38
#define IMSC_RX   (BIT(4) | BIT(6)) /* level reached, and less than that for a while */
#define UART_ICR  0x44
#define ICR_ALL   0x7ff

#define REG_SIZE 0x1000
#define BAUD     115200

static volatile u8 *uart;
static phys_addr_t early_uart; /* 0: the board's */

/* A firmware that has switched it on knew its clock better than we do. */
static void uart_init(volatile u8 *regs)
{
	u32 divisor = (u64)board.uart_hz * 4 / BAUD; /* in 64ths of 16 clocks */

	mmio_write32(regs + UART_IMSC, 0);
	mmio_write32(regs + UART_ICR, ICR_ALL);
	if (mmio_read32(regs + UART_CR) & CR_UARTEN)
		return;
	mmio_write32(regs + UART_IBRD, divisor / 64);
	mmio_write32(regs + UART_FBRD, divisor % 64);
	mmio_write32(regs + UART_LCRH, LCRH_8N1); /* also latches the divisor */
	mmio_write32(regs + UART_CR, CR_ON);
}

/* Waits for the end of a state. Bounded, so that hardware that stops cannot stop the kernel. */
static bool uart_wait(volatile u8 *regs, u32 flag)
{
	for (u32 tries = 1000000; mmio_read32(regs + UART_FR) & flag;)
		if (!--tries)
			return false;
	return true;
}

/* Sends bytes, waiting for room before each. */
static void uart_write(volatile u8 *regs, const char *s, size_t n)
{
	while (n-- && uart_wait(regs, FR_TXFF))
		mmio_write32(regs + UART_DR, (u8)*s++);
}

void early_console_write(const char *s, size_t n)
{
	static bool initialised;
	volatile u8 *regs = arm_early_device(early_uart ? early_uart : board.uart);

	/* One that it was moved to is another board's, with a clock unknown. */
	if (!initialised && !early_uart)
		uart_init(regs);
	initialised = true;
	uart_write(regs, s, n);
	uart_wait(regs, FR_BUSY);
}

void early_console_move(phys_addr_t pa)
{
	early_uart = pa;
}

static void pl011_write(const char *s, size_t n)
{
	uart_write(uart, s, n);
}

static void pl011_drain(void)
{
	uart_wait(uart, FR_BUSY);
}

static void pl011_interrupt(void *ctx)
{
	mmio_write32(uart + UART_ICR, IMSC_RX);
	while (!(mmio_read32(uart + UART_FR) & FR_RXFE))
		console_input(mmio_read32(uart + UART_DR));
}

/* The line of the board's port: a tree may list others beside it, in any order. */
static int find_irq(void)
{
	struct board_device dev = {0};

	while (board_next_device(&dev, "arm,pl011"))
		if (dev.reg[0].start == board.uart)
			return board_device_irq(&dev);
	return -ENODEV;
}

static void pl011_start(void)
{
	static struct console console = {
	    .name = "PL011", .write = pl011_write, .drain = pl011_drain};
	int irq = find_irq(), err;

	uart = ioremap(board.uart, REG_SIZE);
	if (!uart)
		panic("no memory to map the serial port");
	uart_init(uart);
	console_register(&console);
	printk("pl011: console at %#llx\n", board.uart);
	err = irq < 0 ? irq : irq_register(irq, pl011_interrupt, NULL);
	if (err) {
		printk("pl011: no input: its interrupt is not available (error %d)\n", -err);
		return;
	}
	mmio_write32(uart + UART_IFLS, 0);
	mmio_write32(uart + UART_IMSC, IMSC_RX);
}
INITCALL(4, pl011_start);
