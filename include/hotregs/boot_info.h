/* SPDX-License-Identifier: MIT */
/* What the boot loader handed over, in one form whatever the protocol was. Filled by boot/. */
#pragma once

#include <hotregs/types.h>

#define BOOT_MAX_REGIONS 64
#define BOOT_MAX_CPUS    8
#define BOOT_CMDLINE_MAX 2048

struct boot_region {
	phys_addr_t start;
	u64 size; /* bytes */
};

struct boot_info {
	const char *protocol;                     /* "pvh", ... for the banner */
	char cmdline[BOOT_CMDLINE_MAX];           /* NUL-terminated */
	struct boot_region ram[BOOT_MAX_REGIONS]; /* usable RAM, rising, not overlapping */
	unsigned nr_ram;
	struct boot_region archive;     /* newc cpio image; size 0: none */
	phys_addr_t rsdp;               /* ACPI root pointer; 0: unknown */
	struct boot_region framebuffer; /* size 0: none */
};

extern struct boot_info boot_info;

/* Fills boot_info from a PVH start-of-day structure at direct-map address @start_info; -EINVAL. */
int boot_parse_pvh(const void *start_info);

/*
 * Looks up @key in the kernel command line ("key=value" or bare "key"); what follows " -- " belongs
 * to init and is not searched. Copies the value (empty for a bare key) into @value, cut to @size.
 * Returns 0, -ENOENT when absent, -ENOSPC when cut. Any context.
 */
int cmdline_get(const char *key, char *value, size_t size);

/* The part after " -- " of the command line, for init; "" when there is none. */
const char *cmdline_init_args(void);
