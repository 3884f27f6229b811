/* SPDX-License-Identifier: MIT */
/*
 * The PC's two legacy interrupt controllers (Intel 8259A data sheet): moved away from the vectors
 * of exceptions and masked for good.
 */
#include <hotregs/device.h>

#include <arch/io.h>
#include <asm/vectors.h>

#define MASTER_COMMAND 0x20
#define MASTER_DATA    0x21
#define SLAVE_COMMAND  0xa0
#define SLAVE_DATA     0xa1

#define ICW1_INIT   0x11 /* edge triggered, cascaded, ICW4 follows; forgets pending requests */
#define ICW4_8086   0x01
#define CASCADE_PIN 2

static void i8259_init(void)
{
	outb(MASTER_COMMAND, ICW1_INIT);
	outb(MASTER_DATA, VECTOR_8259);
	outb(MASTER_DATA, 1 << CASCADE_PIN);
	outb(MASTER_DATA, ICW4_8086);
	outb(SLAVE_COMMAND, ICW1_INIT);
	outb(SLAVE_DATA, VECTOR_8259 + 8);
	outb(SLAVE_DATA, CASCADE_PIN);
	outb(SLAVE_DATA, ICW4_8086);
	outb(MASTER_DATA, 0xff);
	outb(SLAVE_DATA, 0xff);
}
INITCALL(1, i8259_init);
