/* SPDX-License-Identifier: MIT */
/* What a boot_info has to be, whoever filled it. */
#pragma once

#include "fuzz.h"

static inline void check_boot_info(const struct boot_info *info)
{
	u64 end = 0;

	CHECK(info->protocol &&
	      strnlen(info->cmdline, sizeof(info->cmdline)) < sizeof(info->cmdline));
	CHECK(info->nr_ram && info->nr_ram <= BOOT_MAX_REGIONS);
	for (unsigned i = 0; i < info->nr_ram; i++) {
		const struct boot_region *r = &info->ram[i];

		/* Rising, and regions that touch are one. */
		CHECK(r->size && r->start + r->size > r->start && (!i || r->start > end));
		end = r->start + r->size;
	}
	CHECK(info->nr_reserved <= BOOT_MAX_RESERVED);
	CHECK(info->archive.start + info->archive.size >= info->archive.start);
}
