/* SPDX-License-Identifier: MIT */
/* The list of RAM that every parser fills: rising, regions that touch joined; and what lies in it.
 */
#include <hotregs/boot_info.h>
#include <hotregs/string.h>

void boot_add_ram(struct boot_info *info, u64 start, u64 end)
{
	struct boot_region *ram = info->ram;
	unsigned first = 0, last;

	while (first < info->nr_ram && ram[first].start + ram[first].size < start)
		first++;
	for (last = first; last < info->nr_ram && ram[last].start <= end; last++) {
		start = MIN(start, ram[last].start);
		end = MAX(end, ram[last].start + ram[last].size);
	}
	if (last == first && info->nr_ram == BOOT_MAX_REGIONS)
		return;
	/* One entry takes the place of entries first..last-1. */
	memmove(&ram[first + 1], &ram[last], (info->nr_ram - last) * sizeof(*ram));
	info->nr_ram += 1 - (last - first);
	ram[first] = (struct boot_region){.start = start, .size = end - start};
}

void boot_remove_ram(struct boot_info *info, u64 start, u64 end)
{
	/* From the last one down: what is left of an entry takes its place, and the next one's. */
	for (unsigned i = info->nr_ram; i-- > 0;) {
		struct boot_region *ram = &info->ram[i], whole = *ram;
		u64 whole_end = whole.start + whole.size;

		if (whole_end <= start || end <= whole.start)
			continue;
		memmove(ram, ram + 1, (info->nr_ram - i - 1) * sizeof(*ram));
		info->nr_ram--;
		if (whole.start < start)
			boot_add_ram(info, whole.start, start);
		if (end < whole_end)
			boot_add_ram(info, end, whole_end);
	}
}

bool boot_in_ram(const struct boot_info *info, const struct boot_region *r)
{
	for (unsigned i = 0; i < info->nr_ram; i++) {
		const struct boot_region *ram = &info->ram[i];

		if (r->start >= ram->start && r->start - ram->start <= ram->size &&
		    r->size <= ram->size - (r->start - ram->start))
			return true;
	}
	return false;
}
