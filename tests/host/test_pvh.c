/* SPDX-License-Identifier: MIT */
/* boot/pvh.c: well-formed and hostile start-of-day structures. */
#include "host.h"
#include "phys_memory.h"
#include <hotregs/string.h>

#define MAP     (MEMORY_START + 0x100)
#define CMDLINE (MEMORY_START + 0x2000)
#define MODULES (MEMORY_START + 0x3000)
#define RAM     1

/* As Xen's header has them, written down a second time on purpose. */
static struct {
	u32 magic, version, flags, nr_modules;
	u64 modules, cmdline, rsdp, map;
	u32 nr_map, reserved;
} si;
static struct map_entry {
	u64 start, size;
	u32 type, reserved;
} *const map = (void *)(memory + 0x100);
static struct boot_info info;

static int setup(void **state)
{
	memset(memory, 0, sizeof(memory));
	memset(&si, 0, sizeof(si));
	memset(&info, 0xee, sizeof(info));
	si.magic = 0x336ec578;
	si.version = 1;
	si.map = MAP;
	si.nr_map = 1;
	map[0] = (struct map_entry){.start = 0x100000, .size = 0x700000, .type = RAM};
	return 0;
}

static int teardown(void **state)
{
	memory_hide();
	return 0;
}

static int parse(void)
{
	int err = pvh_parse(&info, &si, memory_window);

	memory_hide();
	return err;
}

static void fills_boot_info(void **state)
{
	u64 *module = (u64 *)(memory + (MODULES - MEMORY_START));

	strcpy((char *)memory + (CMDLINE - MEMORY_START), "a=b -- c");
	module[0] = 0x654000;
	module[1] = 1234;
	si.cmdline = CMDLINE;
	si.modules = MODULES;
	si.nr_modules = 1;
	si.rsdp = 0xf1234;
	assert_int_equal(parse(), 0);
	assert_string_equal(info.protocol, "pvh");
	assert_string_equal(info.cmdline, "a=b -- c");
	assert_int_equal(info.archive.start, 0x654000);
	assert_int_equal(info.archive.size, 1234);
	assert_int_equal(info.rsdp, 0xf1234);
	assert_int_equal(info.nr_ram, 1);
	assert_int_equal(info.ram[0].start, 0x100000);
	assert_int_equal(info.ram[0].size, 0x700000);
	assert_int_equal(info.framebuffer.height, 0);
}

static void optional_parts_may_be_missing(void **state)
{
	assert_int_equal(parse(), 0);
	assert_string_equal(info.cmdline, "");
	assert_int_equal(info.archive.size, 0);
	assert_int_equal(info.rsdp, 0);
}

static void refuses_what_it_does_not_know(void **state)
{
	si.magic++;
	assert_int_equal(parse(), -EINVAL);
	si.magic--;
	si.version = 0; /* has no memory map */
	assert_int_equal(parse(), -EINVAL);
	si.version = 2; /* later ones only add */
	assert_int_equal(parse(), 0);
	si.nr_modules = 2;
	si.modules = MODULES;
	assert_int_equal(parse(), -EINVAL);
}

static void refuses_pointers_out_of_reach(void **state)
{
	si.map = MEMORY_START + MEMORY_SIZE - 8;
	assert_int_equal(parse(), -EINVAL);
	si.map = ~0UL;
	assert_int_equal(parse(), -EINVAL);
	si.map = MAP;
	si.nr_map = 0xffffffff;
	assert_int_equal(parse(), -EINVAL);
	si.nr_map = 1;
	si.cmdline = 1;
	assert_int_equal(parse(), -EINVAL);
	si.cmdline = 0;
	si.nr_modules = 1;
	si.modules = MEMORY_START + MEMORY_SIZE - 31;
	assert_int_equal(parse(), -EINVAL);
	si.modules = MODULES;
	((u64 *)(memory + (MODULES - MEMORY_START)))[0] = ~0UL; /* wraps */
	((u64 *)(memory + (MODULES - MEMORY_START)))[1] = 2;
	assert_int_equal(parse(), -EINVAL);
}

static void command_line_fits_or_is_refused(void **state)
{
	char *line = (char *)memory + (CMDLINE - MEMORY_START);

	si.cmdline = CMDLINE;
	memset(line, 'x', BOOT_CMDLINE_MAX - 1);
	assert_int_equal(parse(), 0);
	assert_int_equal(strlen(info.cmdline), BOOT_CMDLINE_MAX - 1);
	line[BOOT_CMDLINE_MAX - 1] = 'x';
	assert_int_equal(parse(), -EINVAL);
	/* One that runs out of memory, and one that ends with it. */
	si.cmdline = MEMORY_START + MEMORY_SIZE - 4;
	memset(memory + MEMORY_SIZE - 4, 'y', 4);
	assert_int_equal(parse(), -EINVAL);
	memory[MEMORY_SIZE - 1] = 0;
	assert_int_equal(parse(), 0);
	assert_string_equal(info.cmdline, "yyy");
}

static void no_ram_is_told(void **state)
{
	map[0].type = 2;
	assert_int_equal(parse(), -ENOMEM);
	map[0].type = RAM;
	map[0].size = 0;
	assert_int_equal(parse(), -ENOMEM);
	map[0].start = ~0UL - 100;
	map[0].size = 4096; /* wraps */
	assert_int_equal(parse(), -ENOMEM);
	si.nr_map = 0;
	assert_int_equal(parse(), -ENOMEM);
}

static void more_regions_than_entries(void **state)
{
	si.nr_map = BOOT_MAX_REGIONS + 10;
	for (u64 i = 0; i < si.nr_map; i++)
		map[i] =
		    (struct map_entry){.start = 0x100000 * (2 * i), .size = 0x1000, .type = RAM};
	assert_int_equal(parse(), 0);
	assert_int_equal(info.nr_ram, BOOT_MAX_REGIONS);
	/* A last one that fills a gap still joins its neighbours. */
	map[si.nr_map++] = (struct map_entry){.start = 0x1000, .size = 0x1ff000, .type = RAM};
	assert_int_equal(parse(), 0);
	assert_int_equal(info.nr_ram, BOOT_MAX_REGIONS - 1);
	assert_int_equal(info.ram[0].start, 0);
	assert_int_equal(info.ram[0].size, 0x201000);
}

/* Any entries, in any order: the result is their union, rising, with gaps between. */
static void regions_are_the_union(void **state)
{
	enum { UNITS = 60, ENTRIES = 12, UNIT = 0x1000 };

	srand(1);
	for (int round = 0; round < 5000; round++) {
		bool want[UNITS] = {false}, have[UNITS] = {false};

		si.nr_map = ENTRIES;
		for (int i = 0; i < ENTRIES; i++) {
			u64 start = rand() % UNITS, n = rand() % 12;

			n = MIN(n, UNITS - start);
			map[i] = (struct map_entry){
			    .start = (start + 1) * UNIT, .size = n * UNIT, .type = rand() % 3};
			for (u64 u = start; u < start + n && map[i].type == RAM; u++)
				want[u] = true;
		}
		parse();
		for (unsigned i = 0; i < info.nr_ram; i++) {
			const struct boot_region *r = &info.ram[i];

			assert_true(i == 0 || r->start > r[-1].start + r[-1].size);
			for (u64 u = r->start / UNIT; u < (r->start + r->size) / UNIT; u++)
				have[u - 1] = true;
		}
		assert_memory_equal(want, have, sizeof(want));
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
	    TEST(fills_boot_info),
	    TEST(optional_parts_may_be_missing),
	    TEST(refuses_what_it_does_not_know),
	    TEST(refuses_pointers_out_of_reach),
	    TEST(command_line_fits_or_is_refused),
	    TEST(no_ram_is_told),
	    TEST(more_regions_than_entries),
	    TEST(regions_are_the_union),
	};

	return cmocka_run_group_tests_name("pvh", tests, NULL, NULL);
}
