/* SPDX-License-Identifier: MIT */
/* boot/ram.c: the list of RAM against a map of units, whatever is added and taken out. */
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include <hotregs/boot_info.h>

enum { UNITS = 60, UNIT = 0x1000 };

static struct boot_info info;
static bool want[UNITS];

static void check(void)
{
	bool have[UNITS] = {false};

	for (unsigned i = 0; i < info.nr_ram; i++) {
		const struct boot_region *r = &info.ram[i];

		assert_true(r->size > 0);
		assert_true(i == 0 || r->start > r[-1].start + r[-1].size);
		for (u64 u = r->start / UNIT; u < (r->start + r->size) / UNIT; u++)
			have[u] = true;
	}
	assert_memory_equal(want, have, sizeof(want));
}

static void any_order_gives_the_same_set(void **state)
{
	srand(3);
	for (int round = 0; round < 3000; round++) {
		memset(&info, 0, sizeof(info));
		memset(want, 0, sizeof(want));
		for (int i = 0; i < 30; i++) {
			u64 start = rand() % UNITS, end = start + rand() % (UNITS - start + 1);
			bool add = rand() % 2;

			if (start == end)
				continue;
			(add ? boot_add_ram : boot_remove_ram)(&info, start * UNIT, end * UNIT);
			for (u64 u = start; u < end; u++)
				want[u] = add;
			check();
		}
	}
}

static void a_part_too_many_is_lost(void **state)
{
	memset(&info, 0, sizeof(info));
	for (u64 i = 0; i < BOOT_MAX_REGIONS; i++)
		boot_add_ram(&info, i * 16 * UNIT, (i * 16 + 8) * UNIT);
	assert_int_equal(info.nr_ram, BOOT_MAX_REGIONS);
	boot_remove_ram(&info, 2 * UNIT, 4 * UNIT);
	assert_int_equal(info.nr_ram, BOOT_MAX_REGIONS);
	assert_int_equal(info.ram[0].size, 2 * UNIT);
	assert_int_equal(info.ram[1].start, 16 * UNIT);
	boot_remove_ram(&info, 0, UINT64_MAX);
	assert_int_equal(info.nr_ram, 0);
}

static void inside_means_in_one_region(void **state)
{
	struct boot_region r = {2 * UNIT, UNIT};

	memset(&info, 0, sizeof(info));
	boot_add_ram(&info, UNIT, 4 * UNIT);
	assert_true(boot_in_ram(&info, &r));
	boot_remove_ram(&info, 2 * UNIT + 1, 2 * UNIT + 2);
	assert_false(boot_in_ram(&info, &r));
	r.size = 1;
	assert_true(boot_in_ram(&info, &r));
	r.size = UINT64_MAX; /* wraps */
	assert_false(boot_in_ram(&info, &r));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(any_order_gives_the_same_set),
	    cmocka_unit_test(a_part_too_many_is_lost),
	    cmocka_unit_test(inside_means_in_one_region),
	};

	return cmocka_run_group_tests_name("ram", tests, NULL, NULL);
}
