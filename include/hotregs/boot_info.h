/* SPDX-License-Identifier: MIT */
/* What the boot loader handed over, in one form whatever the protocol was. Filled by boot/. */
#pragma once

#include <hotregs/types.h>

#define BOOT_MAX_REGIONS  64
#define BOOT_MAX_RESERVED 16
#define BOOT_MAX_CPUS     8
#define BOOT_CMDLINE_MAX  2048

struct boot_region {
	phys_addr_t start;
	u64 size; /* bytes */
};

/* The screen as the loader left it. */
struct boot_framebuffer {
	phys_addr_t start;
	u32 pitch;         /* bytes from a line to the next */
	u32 width, height; /* in pixels; of a text mode in characters of two bytes; 0: none */
	u8 bits;           /* of a pixel */
	bool text;
};

struct boot_info {
	const char *protocol;                     /* "pvh", ... for messages */
	char cmdline[BOOT_CMDLINE_MAX];           /* NUL-terminated */
	struct boot_region ram[BOOT_MAX_REGIONS]; /* usable RAM, rising, not overlapping */
	unsigned nr_ram;
	struct boot_region reserved[BOOT_MAX_RESERVED]; /* RAM that is somebody else's, any order */
	unsigned nr_reserved;
	struct boot_region archive; /* newc cpio image; size 0: none */
	phys_addr_t rsdp;           /* ACPI root pointer; 0: unknown */
	struct boot_framebuffer framebuffer;
	u64 seed; /* random, if the loader gave something */
};

extern struct boot_info boot_info;

/*
 * Adds [start, end) to @info's RAM, joining the regions that it touches. RAM for which there is no
 * entry left is not used.
 */
void boot_add_ram(struct boot_info *info, u64 start, u64 end);

/* Takes what lies in [start, end) out of @info's RAM. Where that leaves a part too many, it is
 * lost. */
void boot_remove_ram(struct boot_info *info, u64 start, u64 end);

/* Is @r all RAM, as far as what was handed over tells? Any context. */
bool boot_in_ram(const struct boot_info *info, const struct boot_region *r);

/*
 * Shows a parser @size bytes of physical memory at @pa; NULL when the boot mappings do not reach
 * them. This is all of the hand-over that a parser can touch.
 */
typedef const void *(*phys_window_t)(phys_addr_t pa, size_t size);

/*
 * Fills boot_info (and acpi_info) on a PC from what the loader handed over at @pa, below 4 GiB.
 * @magic: EAX of a Multiboot2 loader; 0: by PVH. Once, while the boot code's page tables are
 * loaded: they show the first 4 GiB. Errors: those of the protocol's parser; -EINVAL: another
 * @magic.
 */
int boot_parse_pc(u32 magic, phys_addr_t pa);

/*
 * Fills @info from a PVH start-of-day structure and memory as @window shows it. -EINVAL: not such a
 * structure, or one that asks for what this kernel does not do (more than one module, a command
 * line that does not fit). -ENOMEM: it names no RAM.
 */
int pvh_parse(struct boot_info *info, const void *start_info, phys_window_t window);

/*
 * Fills @info from the Multiboot2 information at @pa, which stays reserved since the copy of ACPI's
 * root pointer is in it. Errors as of pvh_parse(), also for a module that is not in RAM; -EBUSY:
 * UEFI's boot services are still on, so that memory is not ours.
 */
int multiboot2_parse(struct boot_info *info, phys_addr_t pa, phys_window_t window);

/*
 * Looks up @key in the kernel command line ("key=value" or bare "key"); what follows " -- " belongs
 * to init and is not searched. The last one of several counts. Copies the value (empty for a bare
 * key) into @value, cut to @size. Returns 0, -ENOENT when absent, -ENOSPC when cut. Any context.
 */
int cmdline_get(const char *key, char *value, size_t size);

/* The part after " -- " of the command line, for init; "" when there is none. */
const char *cmdline_init_args(void);
