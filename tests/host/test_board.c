/* SPDX-License-Identifier: MIT */
/*
 * boot/board.c, boot/fdt_boot.c and boot/atags.c: a start by each kind of hand-over, and what is
 * said of one that is missing, damaged, or another board's.
 */
#include <stdio.h>
#include <stdlib.h>

#include "host.h"

#include "fdt_image.h"
#include "phys_memory.h"
#include <hotregs/board.h>
#include <hotregs/printk.h>

#define TREE  (MEMORY_START + 0x1000)
#define ATAGS (MEMORY_START + 0x100)

static const struct board_entry devices[] = {
    {.compatible = "arm,pl011", .reg = {{0x1000, 0x200}}, .irq = 5},
    {.compatible = "test,timer", .reg = {{0x2000, 0x100}, {0x3000, 0x80}}, .irq = -1},
    {.compatible = "arm,pl011", .reg = {{0x4000, 0x200}}, .irq = 6},
};

/* What is a constant of boards/<board>.c in an image. */
struct board test_board __asm__("board");

static char said[4096];
static phys_addr_t moved_to;

void printk(const char *fmt, ...)
{
	size_t n = strlen(said);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(said + n, sizeof(said) - n, fmt, ap);
	va_end(ap);
}

void early_console_move(phys_addr_t uart)
{
	moved_to = uart;
}

/* Where the tests put another board's memory: 1 MiB of it can be seen. */
#define FOREIGN 0x40000000UL
static u8 foreign[16384];
static phys_addr_t foreign_seen;

void *arm_early_device(phys_addr_t pa)
{
	foreign_seen = pa;
	return pa - FOREIGN < sizeof(foreign) ? foreign + (pa - FOREIGN) : foreign;
}

/* A controller with specifiers of two cells, of which the first tells that it is one of its. */
int irq_line(const u32 *cell, unsigned n)
{
	return n == 2 && cell[0] == 1 ? (int)cell[1] : -EINVAL;
}

static int setup(void **state)
{
	memset(memory, 0, sizeof(memory));
	memset(&boot_info, 0, sizeof(boot_info));
	boot_fdt = NULL;
	boot_psci = BOOT_PSCI_NONE;
	said[0] = '\0';
	moved_to = 0;
	test_board = (struct board){
	    .name = "Test board",
	    .compatible = "test,board",
	    .ram = {.start = MEMORY_START, .size = MEMORY_SIZE},
	    .devices = devices,
	    .nr_devices = ARRAY_SIZE(devices),
	    .ram_untold = 0x3000,
	};
	return 0;
}

static int teardown(void **state)
{
	memory_hide();
	return 0;
}

static int start(phys_addr_t r2)
{
	return boot_parse_arm(0xc42, r2, memory_window);
}

static void assert_said(const char *part)
{
	if (!strstr(said, part))
		fail_msg("\"%s\" is not in: %s", part, said);
}

static void assert_region(const struct boot_region *region, u64 first, u64 size)
{
	assert_int_equal(region->start, first);
	assert_int_equal(region->size, size);
}

/* --- Device trees --- */

static void tree_begin(void)
{
	image_start();
	node("");
	property("compatible", "test,board-v2\0test,board", 25);
	string("model", "Test board, version 2");
	cells("#address-cells", 1, 1);
	cells("#size-cells", 1, 1);
	cells("interrupt-parent", 1, 1);
}

static void tree_memory(u32 first, u32 size)
{
	node("memory@0");
	string("device_type", "memory");
	cells("reg", 2, first, size);
	end();
}

static void tree_end(phys_addr_t pa)
{
	end();
	image_finish(memory + (pa - MEMORY_START));
}

static void tree_with_all(phys_addr_t pa)
{
	tree_begin();
	reservation(MEMORY_START, 0x80);
	tree_memory(MEMORY_START, 0x100000);
	tree_memory(0x200000, 0x10000);
	node("chosen");
	string("bootargs", "a=b -- c");
	cells("linux,initrd-start", 1, (u32)MEMORY_START + 0x3000);
	cells("linux,initrd-end", 1, (u32)MEMORY_START + 0x3010);
	string("stdout-path", "/uart@9000");
	cells("kaslr-seed", 2, 0x01020304, 0x05060708);
	property("rng-seed", "\xf0\x10\x20", 3);
	end();
	node("reserved-memory");
	cells("#address-cells", 1, 1);
	cells("#size-cells", 1, 1);
	property("ranges", "", 0);
	node("pool"); /* has no place yet */
	cells("size", 1, 0x1000);
	end();
	node("secure@20000");
	cells("reg", 2, 0x20000, 0x5000);
	end();
	end();
	node("psci");
	property("compatible", "arm,psci-1.0\0arm,psci-0.2", 26);
	string("method", "smc");
	end();
	node("gic");
	cells("phandle", 1, 1);
	cells("#interrupt-cells", 1, 2);
	end();
	node("uart@9000");
	string("compatible", "arm,pl011");
	cells("reg", 2, 0x9000, 0x100);
	cells("interrupts", 2, 1, 33);
	end();
	node("uart@a000");
	string("compatible", "arm,pl011");
	cells("reg", 4, 0xa000, 0x100, 0xb000, 0x40);
	cells("interrupts", 2, 0, 1);
	end();
	tree_end(pa);
}

static void tree_fills_boot_info(void **state)
{
	tree_with_all(TREE);
	assert_int_equal(start(TREE), 0);
	assert_string_equal(said, "");
	assert_string_equal(boot_info.protocol, "device tree");
	assert_string_equal(boot_info.cmdline, "a=b -- c");
	/* Every byte of the random ones counts. */
	assert_true(boot_info.seed == 0x0405060708f11223);
	assert_int_equal(boot_info.nr_ram, 2);
	assert_region(&boot_info.ram[0], MEMORY_START, 0x100000);
	assert_region(&boot_info.ram[1], 0x200000, 0x10000);
	assert_region(&boot_info.archive, MEMORY_START + 0x3000, 0x10);
	assert_int_equal(boot_info.nr_reserved, 3);
	assert_region(&boot_info.reserved[0], MEMORY_START, 0x80);
	assert_region(&boot_info.reserved[1], 0x20000, 0x5000);
	assert_int_equal(boot_info.reserved[2].start, TREE); /* the tree itself */
	assert_in_range(boot_info.reserved[2].size, 0x100, 0x1000);
	assert_int_equal(boot_psci, BOOT_PSCI_SMC);
	assert_non_null(boot_fdt);
}

static void firmware_of_the_board_is_left_alone(void **state)
{
	test_board.firmware = (struct boot_region){.start = 0, .size = 0x1000};
	tree_with_all(TREE);
	assert_int_equal(start(TREE), 0);
	assert_region(&boot_info.reserved[0], 0, 0x1000);
	assert_int_equal(boot_info.nr_reserved, 4);
}

static void too_many_reservations_are_no_silent_loss(void **state)
{
	for (unsigned n = BOOT_MAX_RESERVED - 1; n <= BOOT_MAX_RESERVED; n++) {
		setup(NULL);
		tree_begin();
		tree_memory(MEMORY_START, 0x100000);
		for (unsigned i = 0; i < n; i++)
			reservation(MEMORY_START + 0x80 * i, 0x80);
		reservation(MEMORY_START, 0); /* is none */
		tree_end(TREE);
		/* The tree itself is one more. */
		assert_int_equal(start(TREE), n < BOOT_MAX_RESERVED ? 0 : -E2BIG);
		if (n == BOOT_MAX_RESERVED)
			assert_said("more than 16 reserved ranges");
		memory_hide();
	}
}

static void tree_lies_at_the_start_of_ram_without_r2(void **state)
{
	test_board.nr_devices = 0;
	tree_with_all(MEMORY_START);
	assert_int_equal(start(0), 0);
	assert_string_equal(boot_info.protocol, "device tree");
}

static void devices_come_from_the_tree(void **state)
{
	struct board_device dev = {0};

	tree_with_all(TREE);
	assert_int_equal(start(TREE), 0);
	assert_true(board_next_device(&dev, "arm,pl011"));
	assert_region(&dev.reg[0], 0x9000, 0x100);
	assert_region(&dev.reg[1], 0, 0);
	assert_int_equal(board_device_irq(&dev), 33);
	assert_true(board_next_device(&dev, "arm,pl011"));
	assert_region(&dev.reg[0], 0xa000, 0x100);
	assert_region(&dev.reg[1], 0xb000, 0x40);
	assert_int_equal(board_device_irq(&dev), -EINVAL);
	assert_false(board_next_device(&dev, "arm,pl011"));
	dev = (struct board_device){0};
	assert_false(board_next_device(&dev, "test,timer"));
}

static size_t other_boards_tree(u8 *p)
{
	image_start();
	node("");
	string("compatible", "other,board");
	string("model", "The other board");
	cells("#address-cells", 1, 1);
	cells("#size-cells", 1, 1);
	node("chosen");
	string("stdout-path", "serial0:115200n8");
	end();
	node("aliases");
	string("serial0", "/uart@9000");
	end();
	node("uart@9000");
	property("compatible", "arm,pl011\0arm,primecell", 24);
	cells("reg", 2, 0x9000, 0x100);
	end();
	end();
	return image_finish(p);
}

static void other_boards_tree_is_said_where_it_is_read(void **state)
{
	other_boards_tree(memory + (TREE - MEMORY_START));
	assert_int_equal(start(TREE), -ENODEV);
	assert_int_equal(moved_to, 0x9000);
	assert_said("Test board (test,board)");
	assert_said("The other board (other,board)");
}

/* The tree lies where this board has no RAM. */
static void other_boards_tree_is_found_beyond_our_ram(void **state)
{
	other_boards_tree(foreign + 0x100);
	assert_int_equal(start(FOREIGN + 0x100), -ENOENT);
	assert_int_equal(moved_to, 0x9000);
	assert_said("no RAM of Test board");
	assert_said("The other board (other,board)");
	assert_null(boot_fdt);
	/* One that can not be seen whole is not looked at. */
	setup(NULL);
	assert_int_equal(start(FOREIGN + 0xffff8), -ENOENT);
	assert_int_equal(foreign_seen, FOREIGN + 0x100);
	assert_int_equal(moved_to, 0);
}

/* What "stdout-path" leads to is moved to only if we can drive it. */
static void other_boards_port_may_be_unusable(void **state)
{
	static const char *const paths[] = {"",       "/",   "/none", "serial9", "/uart@9000/x",
					    "/odd@1", "/far"};

	for (size_t i = 0; i < ARRAY_SIZE(paths); i++) {
		setup(NULL);
		image_start();
		node("");
		node("chosen");
		string("stdout-path", paths[i]);
		end();
		node("odd@1");
		string("compatible", "ns16550a");
		cells("reg", 2, 1, 2);
		end();
		node("far");
		string("compatible", "arm,pl011");
		end();
		tree_end(TREE);
		assert_int_equal(start(TREE), -ENODEV);
		assert_int_equal(moved_to, 0);
		assert_said("a board without name (compatible with nothing)");
	}
}

static void damaged_tree_is_said(void **state)
{
	tree_with_all(TREE);
	memory[TREE - MEMORY_START + 9] ^= 0xff;
	assert_int_equal(start(TREE), -EINVAL);
	assert_said("device tree");
	assert_said("damaged");
	assert_null(boot_fdt);
}

static void memory_of_the_secure_world_is_not_ours(void **state)
{
	tree_begin();
	tree_memory(MEMORY_START, MEMORY_SIZE);
	node("secram@e000000");
	string("device_type", "memory");
	cells("reg", 2, 0xe000000, 0x1000000);
	string("status", "disabled");
	string("secure-status", "okay");
	end();
	tree_end(TREE);
	assert_int_equal(start(TREE), 0);
	assert_int_equal(boot_info.nr_ram, 1);
}

static void tree_without_memory_is_said(void **state)
{
	tree_begin();
	tree_end(TREE);
	assert_int_equal(start(TREE), -ENOMEM);
	assert_said("/memory");
	setup(NULL);
	tree_begin();
	tree_memory(0x1000, 0);
	tree_end(TREE);
	assert_int_equal(start(TREE), -ENOMEM);
}

/* Drivers read the tree when RAM alone is mapped. */
static void tree_outside_its_own_ram_is_said(void **state)
{
	tree_begin();
	tree_memory(MEMORY_START + MEMORY_SIZE, 0x10000000);
	tree_end(TREE);
	assert_int_equal(start(TREE), -EFAULT);
	assert_said("not in the RAM that it names");
}

static void command_line_fits_or_is_refused(void **state)
{
	static char line[BOOT_CMDLINE_MAX + 1];

	for (size_t n = BOOT_CMDLINE_MAX - 1; n <= BOOT_CMDLINE_MAX; n++) {
		setup(NULL);
		memset(line, 'x', n);
		tree_begin();
		tree_memory(MEMORY_START, MEMORY_SIZE);
		node("chosen");
		string("bootargs", line);
		end();
		tree_end(TREE);
		assert_int_equal(start(TREE), n < BOOT_CMDLINE_MAX ? 0 : -E2BIG);
	}
	assert_said("command line");
}

/* An archive that is not in RAM, and one in RAM that cannot be shown. */
static void archive_out_of_reach_is_said(void **state)
{
	for (u32 high = 0; high < 2; high++) {
		setup(NULL);
		tree_begin();
		tree_memory(MEMORY_START, 0x10000000);
		node("chosen");
		cells("linux,initrd-start", 2, high, 0x1000000);
		cells("linux,initrd-end", 2, high, 0x1001000);
		end();
		tree_end(TREE);
		assert_int_equal(start(TREE), -EFAULT);
		assert_said(high ? "archive at 0x101000000, 4 KiB" : "archive at 0x1000000, 4 KiB");
	}
}

static void psci_of_the_first_version_is_none(void **state)
{
	tree_begin();
	tree_memory(MEMORY_START, MEMORY_SIZE);
	node("psci");
	string("compatible", "arm,psci");
	string("method", "hvc");
	end();
	tree_end(TREE);
	assert_int_equal(start(TREE), 0);
	assert_int_equal(boot_psci, BOOT_PSCI_NONE);
}

static void tree_cpu(u32 reg, const char *method, const char *status)
{
	char name[16];

	snprintf(name, sizeof(name), "cpu@%x", reg);
	node(name);
	string("device_type", "cpu");
	cells("reg", 1, reg);
	if (method)
		string("enable-method", method);
	if (status)
		string("status", status);
	end();
}

static void processors_are_those_that_are_ours(void **state)
{
	tree_begin();
	tree_memory(MEMORY_START, MEMORY_SIZE);
	node("cpus");
	cells("#address-cells", 1, 1);
	cells("#size-cells", 1, 0);
	tree_cpu(0x100, "psci", "okay");
	tree_cpu(0x101, "psci", "disabled");
	tree_cpu(0x102, "acme,jumper", NULL);
	tree_cpu(0x200, NULL, NULL);
	node("l2-cache");
	string("device_type", "cache");
	end();
	end();
	tree_end(TREE);
	assert_int_equal(start(TREE), 0);
	assert_int_equal(boot_cpus.nr, 3);
	assert_int_equal(boot_cpus.cpu[0].hwid, 0x100);
	assert_true(boot_cpus.cpu[0].psci);
	assert_int_equal(boot_cpus.cpu[1].hwid, 0x102);
	assert_false(boot_cpus.cpu[1].psci);
	assert_int_equal(boot_cpus.cpu[2].hwid, 0x200);
	assert_false(boot_cpus.cpu[2].psci);
}

static void processors_too_many_are_counted(void **state)
{
	tree_begin();
	tree_memory(MEMORY_START, MEMORY_SIZE);
	node("cpus");
	for (u32 i = 0; i < BOOT_MAX_CPUS + 3; i++)
		tree_cpu(i, "psci", NULL);
	end();
	tree_end(TREE);
	assert_int_equal(start(TREE), 0);
	assert_int_equal(boot_cpus.nr, BOOT_MAX_CPUS + 3);
	assert_int_equal(boot_cpus.cpu[BOOT_MAX_CPUS - 1].hwid, BOOT_MAX_CPUS - 1);
}

/* --- ATAGs --- */

static u32 *tag_at;

static void tag(u32 name, unsigned n, ...)
{
	va_list ap;

	*tag_at++ = n + 2;
	*tag_at++ = name;
	va_start(ap, n);
	while (n--)
		*tag_at++ = va_arg(ap, u32);
	va_end(ap);
}

static void tags_begin(void)
{
	tag_at = (u32 *)(memory + (ATAGS - MEMORY_START));
	tag(0x54410001, 3, 0, 0, 0);
	tag(0x54410002, 2, 0x100000, (u32)MEMORY_START); /* size, start */
}

static void tags_end(void)
{
	*tag_at++ = 0;
	*tag_at++ = 0;
}

static void atags_fill_boot_info(void **state)
{
	tags_begin();
	tag(0x54410002, 2, 0x200000, (u32)MEMORY_START + 0x100000);
	tag(0x54410009, 2, 0x20623d61 /* "a=b " */, 0x00002d2d);
	tag(0x54410007, 1, 99); /* some other one */
	tag(0x54420005, 2, (u32)MEMORY_START + 0x3000, 16);
	tags_end();
	assert_int_equal(start(ATAGS), 0);
	assert_string_equal(boot_info.protocol, "ATAGs");
	assert_string_equal(boot_info.cmdline, "a=b --");
	assert_int_equal(boot_info.nr_ram, 1);
	assert_region(&boot_info.ram[0], MEMORY_START, 0x300000);
	assert_region(&boot_info.archive, MEMORY_START + 0x3000, 16);
	assert_null(boot_fdt);
}

static void damaged_atags_are_said(void **state)
{
	for (unsigned kind = 0; kind < 6; kind++) {
		setup(NULL);
		tags_begin();
		if (kind == 0)
			tag(0x54410002, 1, 0x1000); /* cut short */
		else if (kind == 1)
			tag(0x54420005, 1, 0x1000);
		else if (kind == 2)
			tag(0x54410009, 2, 0x61616161, 0x61616161); /* no end */
		else if (kind == 3)
			*tag_at++ = 1; /* smaller than itself */
		else if (kind == 4)
			*tag_at++ = 0x7fffffff;
		else
			*tag_at++ = 4097;
		if (kind > 2)
			*tag_at++ = 0x54410007;
		tags_end();
		assert_int_equal(start(ATAGS), -EINVAL);
		assert_said("ATAGs");
		assert_said("damaged");
		memory_hide();
	}
}

static void atags_without_memory_are_said(void **state)
{
	tag_at = (u32 *)(memory + (ATAGS - MEMORY_START));
	tag(0x54410001, 0);
	tags_end();
	assert_int_equal(start(ATAGS), -ENOMEM);
	assert_said("ATAGs name no memory");
}

static void endless_atags_end(void **state)
{
	tags_begin();
	while (tag_at < (u32 *)(memory + MEMORY_SIZE) - 2)
		tag(0x54410007, 0);
	assert_int_equal(start(ATAGS), -EINVAL);
}

static void random_atags_are_harmless(void **state)
{
	srand(1);
	for (int round = 0; round < 20000; round++) {
		setup(NULL);
		tags_begin();
		tag(0x54410009, 2, 0x20623d61, 0);
		tag(0x54420005, 2, 0x20000, 16);
		tags_end();
		for (int i = 0; i < 3; i++)
			memory[ATAGS - MEMORY_START + 20 + rand() % 60] = rand() % 12;
		start(ATAGS);
		memory_hide();
	}
}

/* --- Neither --- */

static void bare_start_goes_by_the_table(void **state)
{
	struct board_device dev = {0};

	assert_int_equal(start(0), 0);
	assert_string_equal(boot_info.protocol, "bare");
	assert_int_equal(boot_info.nr_ram, 1);
	assert_region(&boot_info.ram[0], MEMORY_START, 0x3000);
	assert_said("no device tree and no ATAGs: r1 = 0xc42, r2 = 0");

	assert_true(board_next_device(&dev, "arm,pl011"));
	assert_region(&dev.reg[0], 0x1000, 0x200);
	assert_int_equal(board_device_irq(&dev), 5);
	assert_true(board_next_device(&dev, "arm,pl011"));
	assert_int_equal(board_device_irq(&dev), 6);
	assert_false(board_next_device(&dev, "arm,pl011"));
	dev = (struct board_device){0};
	assert_true(board_next_device(&dev, "test,timer"));
	assert_region(&dev.reg[1], 0x3000, 0x80);
}

static void board_that_needs_a_tree_says_what_is_there(void **state)
{
	test_board.nr_devices = 0;
	memcpy(memory + 0x200,
	       "\x7f"
	       "ELF",
	       4);
	assert_int_equal(start(MEMORY_START + 0x200), -ENOENT);
	assert_said("r2 should be the address of a device tree, or 0");
	assert_said("there is 7f 45 4c 46");
	setup(NULL);
	test_board.nr_devices = 0;
	assert_int_equal(start(0), -ENOENT);
	assert_said("Test board needs a device tree");
	setup(NULL);
	test_board.nr_devices = 0;
	assert_int_equal(start(0x1234), -ENOENT);
	assert_said("r2 = 0x1234");
	assert_said("no RAM of Test board");
	assert_said("r2 should be the address of a device tree, or 0");
	/* It does not take ATAGs for one, either. */
	setup(NULL);
	test_board.nr_devices = 0;
	tags_begin();
	tags_end();
	assert_int_equal(start(ATAGS), -ENOENT);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
	    TEST(tree_fills_boot_info),
	    TEST(firmware_of_the_board_is_left_alone),
	    TEST(too_many_reservations_are_no_silent_loss),
	    TEST(tree_lies_at_the_start_of_ram_without_r2),
	    TEST(devices_come_from_the_tree),
	    TEST(other_boards_tree_is_said_where_it_is_read),
	    TEST(other_boards_tree_is_found_beyond_our_ram),
	    TEST(other_boards_port_may_be_unusable),
	    TEST(damaged_tree_is_said),
	    TEST(memory_of_the_secure_world_is_not_ours),
	    TEST(tree_without_memory_is_said),
	    TEST(tree_outside_its_own_ram_is_said),
	    TEST(command_line_fits_or_is_refused),
	    TEST(archive_out_of_reach_is_said),
	    TEST(psci_of_the_first_version_is_none),
	    TEST(processors_are_those_that_are_ours),
	    TEST(processors_too_many_are_counted),
	    TEST(atags_fill_boot_info),
	    TEST(damaged_atags_are_said),
	    TEST(atags_without_memory_are_said),
	    TEST(endless_atags_end),
	    TEST(random_atags_are_harmless),
	    TEST(bare_start_goes_by_the_table),
	    TEST(board_that_needs_a_tree_says_what_is_there),
	};

	return cmocka_run_group_tests_name("board", tests, NULL, NULL);
}
