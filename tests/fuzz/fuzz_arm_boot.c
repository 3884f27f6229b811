/* SPDX-License-Identifier: MIT */
/* boot/board.c, fdt_boot.c, atags.c: whatever an ARM boot loader hands over, reading it stays
 * inside. */
#include "boot_checks.h"
#include "fdt_image.h"
#include <hotregs/board.h>
#include <hotregs/printk.h>

#define BASE 0x1000UL

static const struct board_entry devices[] = {
    {.compatible = "arm,pl011", .reg = {{0x1000, 0x200}}, .irq = 5}};

const struct board board = {
    .name = "Test board",
    .compatible = "test,board",
    .ram = {.start = BASE, .size = 0x100000},
    .devices = devices,
    .nr_devices = ARRAY_SIZE(devices),
    .ram_untold = 0x3000,
};

void printk(const char *fmt, ...)
{
}

void early_console_move(phys_addr_t uart)
{
}

void *arm_early_device(phys_addr_t pa)
{
	static u8 foreign[1 << 20];

	return foreign;
}

int irq_line(const u32 *cell, unsigned n)
{
	return n == 3 ? (int)cell[1] : -EINVAL;
}

/* The address in R2, in units of 4 bytes from BASE, then memory. */
static void add(const void *data, size_t size)
{
	static u8 whole[16384];

	whole[0] = 0;
	memcpy(whole + 1, data, size);
	fuzz_add_example(whole, size + 1);
}

void fuzz_examples(void)
{
	static const u32 atags[] = {5, 0x54410001, 0,          4096,   0, /* CORE */
				    4, 0x54410002, 0x10000,    BASE,      /* MEM */
				    4, 0x54420005, BASE + 16,  32,        /* INITRD2 */
				    5, 0x54410009, 0x2d2d2061, 0x6220, 0, /* CMDLINE */
				    0, 0};
	static u8 tree[16384];

	add(atags, sizeof(atags));
	image_example(); /* of another machine's memory */
	add(tree, image_finish(tree));
	image_start();
	reservation(BASE, 0x80);
	node("");
	property("compatible", "test,board", 11);
	cells("#address-cells", 1, 1);
	cells("#size-cells", 1, 1);
	node("memory");
	string("device_type", "memory");
	cells("reg", 2, (u32)BASE, 0x100000);
	end();
	node("chosen");
	string("bootargs", "a=b -- c");
	cells("linux,initrd-start", 1, (u32)BASE + 16);
	cells("linux,initrd-end", 1, (u32)BASE + 32);
	cells("kaslr-seed", 2, 1, 2);
	end();
	node("reserved-memory");
	cells("#address-cells", 1, 1);
	cells("#size-cells", 1, 1);
	node("a");
	cells("reg", 2, 0x20000, 0x1000);
	end();
	end();
	node("psci");
	string("compatible", "arm,psci-0.2");
	string("method", "hvc");
	end();
	node("uart");
	string("compatible", "arm,pl011");
	cells("reg", 2, 0x9000, 0x100);
	cells("interrupts", 3, 0, 33, 4);
	end();
	end();
	add(tree, image_finish(tree));
}

static void find_devices(void)
{
	struct board_device dev = {};

	for (unsigned i = 0; i < 64 && board_next_device(&dev, "arm,pl011"); i++)
		board_device_irq(&dev);
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	int err;

	if (!size)
		return 0;
	memset(&boot_info, 0, sizeof(boot_info));
	boot_fdt = NULL;
	fuzz_memory(BASE, data + 1, size - 1);
	err = boot_parse_arm(0, BASE + 4 * data[0], fuzz_window);
	if (!err) {
		check_boot_info(&boot_info);
		find_devices();
	}
	fuzz_free_copies();
	return 0;
}
