/* SPDX-License-Identifier: MIT */
/* boot/pvh.c: whatever a PVH loader hands over, reading it stays inside. */
#include "boot_checks.h"

#define BASE 0x1000UL

static const struct {
	u32 magic, version, flags, nr_modules;
	u64 modules, cmdline, rsdp, map;
	u32 nr_map, reserved;
	u64 module[4];
	struct {
		u64 start, size;
		u32 type, reserved;
	} entry[3];
	char line[24];
} example = {
    .magic = 0x336ec578,
    .version = 1,
    .nr_modules = 1,
    .modules = BASE + 56,
    .cmdline = BASE + 160,
    .map = BASE + 88,
    .nr_map = 3,
    .module = {0x200000, 0x1000},
    .entry = {{0x100000, 0x700000, 1, 0}, {0, 0x9f000, 1, 0}, {0x9f000, 0x1000, 2, 0}},
    .line = "key=value -- init",
};

void fuzz_examples(void)
{
	fuzz_add_example(&example, sizeof(example));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct boot_info info;
	const void *start;
	int err;

	fuzz_memory(BASE, data, size);
	start = fuzz_window(BASE, 56);
	if (!start)
		return 0;
	err = pvh_parse(&info, start, fuzz_window);
	CHECK(!err || err == -EINVAL || err == -ENOMEM);
	if (!err)
		check_boot_info(&info);
	fuzz_free_copies();
	return 0;
}
