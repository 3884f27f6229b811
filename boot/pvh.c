/* SPDX-License-Identifier: MIT */
/*
 * The PVH protocol's start-of-day structure (Xen, public/arch-x86/hvm/start_info.h): memory map,
 * command line, boot archive, ACPI root.
 */
#include <hotregs/boot_info.h>
#include <hotregs/string.h>

#define PVH_MAGIC       0x336ec578
#define MEMORY_TYPE_RAM 1
#define MAX_MAP_ENTRIES 4096 /* more is not a memory map */

struct pvh_start_info {
	u32 magic;
	u32 version; /* 1: has a memory map */
	u32 flags;
	u32 nr_modules;
	u64 modules; /* physical addresses, here and below */
	u64 cmdline;
	u64 rsdp;
	u64 memory_map;
	u32 nr_memory_map;
	u32 reserved;
};

struct pvh_module {
	u64 start, size, cmdline, reserved;
};

struct pvh_map_entry {
	u64 start, size;
	u32 type, reserved;
};

static int parse_memory_map(struct boot_info *info, const struct pvh_start_info *si,
			    phys_window_t window)
{
	const struct pvh_map_entry *map;

	if (si->version < 1 || si->nr_memory_map > MAX_MAP_ENTRIES)
		return -EINVAL;
	map = window(si->memory_map, si->nr_memory_map * sizeof(*map));
	if (!map)
		return -EINVAL;
	for (u32 i = 0; i < si->nr_memory_map; i++) {
		u64 end = map[i].start + map[i].size;

		if (map[i].type == MEMORY_TYPE_RAM && end > map[i].start)
			boot_add_ram(info, map[i].start, end);
	}
	return info->nr_ram ? 0 : -ENOMEM;
}

static int parse_cmdline(struct boot_info *info, u64 pa, phys_window_t window)
{
	if (!pa)
		return 0;
	/* Byte by byte, for the window may end behind the string. */
	for (size_t i = 0; i < sizeof(info->cmdline); i++) {
		const char *c = window(pa + i, 1);

		if (!c)
			break;
		info->cmdline[i] = *c;
		if (!*c)
			return 0;
	}
	return -EINVAL;
}

static int parse_modules(struct boot_info *info, const struct pvh_start_info *si,
			 phys_window_t window)
{
	const struct pvh_module *module;

	if (si->nr_modules == 0)
		return 0;
	module = si->nr_modules == 1 ? window(si->modules, sizeof(*module)) : NULL;
	if (!module || module->start + module->size < module->start)
		return -EINVAL;
	info->archive = (struct boot_region){.start = module->start, .size = module->size};
	return 0;
}

int pvh_parse(struct boot_info *info, const void *start_info, phys_window_t window)
{
	const struct pvh_start_info *si = start_info;
	int err;

	memset(info, 0, sizeof(*info));
	info->protocol = "pvh";
	if (si->magic != PVH_MAGIC)
		return -EINVAL;
	info->rsdp = si->rsdp;
	err = parse_memory_map(info, si, window);
	if (!err)
		err = parse_cmdline(info, si->cmdline, window);
	if (!err)
		err = parse_modules(info, si, window);
	return err;
}
