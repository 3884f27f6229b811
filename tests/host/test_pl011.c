/* SPDX-License-Identifier: MIT */
/* drivers/serial/pl011.c on a model of the UART (Arm DDI 0183G, 3.3): two FIFOs of 16 bytes. */
#include <stdio.h>

#include "host.h"

#include "../../drivers/serial/pl011.c"

#define UART 0x9000000UL

static struct {
	char sent[256], fifo[16], received[16];
	size_t nr_sent, in_fifo, nr_received;
	unsigned reads_until_drained; /* 0: stuck */
	u32 integer, fraction, line, latched_line, control, mask, cleared;
} model;
static u8 space[0x1000], early_space[0x1000];
static phys_addr_t early_at;
static struct board_device in_tree[2];
static int irq_in_tree[2];
static char input[64];
static size_t nr_input;
static struct console *registered;
static irq_handler_t handler;
static unsigned handler_irq;
static int register_error;

struct board test_board __asm__("board");

static size_t reg_of(const volatile void *p)
{
	size_t reg = (const u8 *)p - space;

	return reg < sizeof(space) ? reg : (size_t)((const u8 *)p - early_space);
}

void mmio_write32(volatile void *p, u32 value)
{
	switch (reg_of(p)) {
	case 0x00:
		assert_true(model.in_fifo < sizeof(model.fifo)); /* or the byte is lost */
		model.fifo[model.in_fifo++] = value;
		model.sent[model.nr_sent++ % sizeof(model.sent)] = value;
		break;
	case 0x24:
		model.integer = value;
		break;
	case 0x28:
		model.fraction = value;
		break;
	case 0x2c: /* what was written to the two before counts from here on (3.3.7) */
		model.line = value;
		model.latched_line = model.integer * 64 + model.fraction;
		break;
	case 0x30:
		model.control = value;
		break;
	case 0x34:
		assert_int_equal(value & 0x38, 0); /* receive: at an eighth */
		break;
	case 0x38:
		model.mask = value;
		break;
	case 0x44:
		model.cleared |= value;
		break;
	default:
		fail_msg("write of %#zx", reg_of(p));
	}
}

u32 mmio_read32(const volatile void *p)
{
	static unsigned reads;
	u32 flags = 0;

	switch (reg_of(p)) {
	case 0x00:
		assert_true(model.nr_received > 0);
		flags = (u8)model.received[0];
		memmove(model.received, model.received + 1, --model.nr_received);
		return flags | 0x400; /* with an error bit above it, as a break has */
	case 0x18:
		if (model.reads_until_drained && ++reads % model.reads_until_drained == 0)
			model.in_fifo = 0;
		return (model.in_fifo == sizeof(model.fifo) ? 0x20 : 0) | (model.in_fifo ? 8 : 0) |
		       (model.nr_received ? 0 : 0x10);
	case 0x30:
		return model.control;
	default:
		fail_msg("read of %#zx", reg_of(p));
		return 0;
	}
}

void *ioremap(phys_addr_t pa, size_t size)
{
	assert_int_equal(pa, UART);
	return space;
}

void *arm_early_device(phys_addr_t pa)
{
	early_at = pa;
	return early_space;
}

bool board_next_device(struct board_device *dev, const char *compatible)
{
	unsigned next = dev->next;

	if (strcmp(compatible, "arm,pl011") || next == 2 || !in_tree[next].reg[0].start)
		return false;
	*dev = in_tree[next];
	dev->next = next + 1;
	return true;
}

int board_device_irq(const struct board_device *dev)
{
	return irq_in_tree[dev->next - 1];
}

void console_register(struct console *console)
{
	registered = console;
}

void console_input(char c)
{
	input[nr_input++] = c;
}

int irq_register(unsigned irq, irq_handler_t new_handler, void *ctx)
{
	handler_irq = irq;
	handler = register_error ? NULL : new_handler;
	return register_error;
}

static int setup(void **state)
{
	memset(&model, 0, sizeof(model));
	model.reads_until_drained = 40;
	test_board = (struct board){.uart = UART, .uart_hz = 24000000};
	in_tree[0] = (struct board_device){.reg = {{0x1000, 0x1000}}};
	in_tree[1] = (struct board_device){.reg = {{UART, 0x1000}}};
	irq_in_tree[0] = 9;
	irq_in_tree[1] = 1;
	nr_input = 0;
	registered = NULL;
	handler = NULL;
	register_error = 0;
	early_uart = early_at = 0;
	return 0;
}

static void assert_sent(const char *text)
{
	assert_int_equal(model.nr_sent, strlen(text));
	assert_memory_equal(model.sent, text, strlen(text));
}

static void baud_rate_is_of_the_boards_clock(void **state)
{
	pl011_start();
	assert_int_equal(model.latched_line, 13 * 64 + 1); /* 24 MHz / (16 * 115200) = 13.02 */
	assert_int_equal(model.line & 0x70, 0x70);         /* 8 bits, FIFOs on */
	assert_int_equal(model.control & 0x301, 0x301);
	setup(NULL);
	test_board.uart_hz = 48000000;
	pl011_start();
	assert_int_equal(model.latched_line, 26 * 64 + 2); /* 26.04 */
}

static void running_port_keeps_its_rate(void **state)
{
	model.control = 0x301;
	model.latched_line = 1234;
	pl011_start();
	assert_int_equal(model.latched_line, 1234);
	assert_int_equal(model.cleared & 0x50, 0x50);
}

static void sends_all_without_overrun(void **state)
{
	static const char text[] =
	    "a line that is a good deal longer than the FIFO of this device\r\n";

	pl011_start();
	registered->write(text, strlen(text));
	assert_sent(text);
}

static void stuck_port_does_not_stop_us(void **state)
{
	model.reads_until_drained = 0;
	pl011_start();
	registered->write("0123456789abcdefXY", 18);
	assert_int_equal(model.nr_sent, 16);
}

static void drained_means_that_all_has_left(void **state)
{
	pl011_start();
	registered->write("last words", 10);
	assert_int_equal(model.in_fifo, 10);
	registered->drain();
	assert_int_equal(model.in_fifo, 0);
	model.reads_until_drained = 0;
	registered->write("stuck", 5);
	registered->drain(); /* returns */
}

static void input_comes_by_the_boards_own_line(void **state)
{
	pl011_start();
	assert_int_equal(handler_irq, 1); /* not that of the port the tree lists first */
	assert_int_equal(model.mask, 0x50);
	memcpy(model.received, "hello\xe9", 6);
	model.nr_received = 6;
	handler(NULL);
	assert_int_equal(nr_input, 6);
	assert_memory_equal(input, "hello\xe9", 6);
	assert_int_equal(model.nr_received, 0);
}

/* Without a line the console is one for output, and asks for no interrupt. */
static void port_without_interrupt_still_sends(void **state)
{
	for (int kind = 0; kind < 3; kind++) {
		setup(NULL);
		if (kind == 0)
			irq_in_tree[1] = -EINVAL;
		else if (kind == 1)
			in_tree[0].reg[0].start = 0;
		else
			register_error = -EBUSY;
		pl011_start();
		assert_null(handler);
		assert_int_equal(model.mask, 0);
		registered->write("x", 1);
		assert_sent("x");
	}
}

static void early_messages_go_to_the_boards_port(void **state)
{
	early_console_write("first", 5);
	assert_int_equal(early_at, UART);
	assert_sent("first");
	assert_int_equal(model.control & 0x301, 0x301);
	early_console_write("!", 1);
	assert_sent("first!");
}

static void early_messages_can_be_moved(void **state)
{
	early_console_move(0x3f201000);
	early_console_write("moved", 5);
	assert_int_equal(early_at, 0x3f201000);
	assert_sent("moved");
	assert_int_equal(model.control, 0); /* its clock is not ours to know */
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup(f, setup)
	const struct CMUnitTest tests[] = {
	    TEST(early_messages_go_to_the_boards_port),
	    TEST(early_messages_can_be_moved),
	    TEST(baud_rate_is_of_the_boards_clock),
	    TEST(running_port_keeps_its_rate),
	    TEST(sends_all_without_overrun),
	    TEST(stuck_port_does_not_stop_us),
	    TEST(drained_means_that_all_has_left),
	    TEST(input_comes_by_the_boards_own_line),
	    TEST(port_without_interrupt_still_sends),
	};

	return cmocka_run_group_tests_name("pl011", tests, NULL, NULL);
}
