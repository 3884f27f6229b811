/* SPDX-License-Identifier: MIT */
/*
 * The information of a Multiboot2 loader (specification 2.0, 3.4 to 3.6): a block of tags with the
 * command line, modules, memory maps of BIOS and UEFI, the screen, and copies of ACPI's root
 * pointer. What else there may be is not needed. UEFI's boot services have been ended by the
 * loader, which the header in arch/x86_64/boot/head.S leaves to it.
 */
#include <hotregs/boot_info.h>
#include <hotregs/string.h>

#define MAX_SIZE  (1U << 20) /* more is not such a block */
#define TAG_ALIGN 8

struct tag {
	u32 type;
	u32 size; /* with this, without what fills up to TAG_ALIGN */
};
enum {
	TAG_END = 0,
	TAG_CMDLINE = 1,
	TAG_MODULE = 3,
	TAG_MEMORY_MAP = 6,
	TAG_FRAMEBUFFER = 8,
	TAG_EFI_SYSTEM_TABLE = 12, /* of a 64-bit UEFI */
	TAG_RSDP_V1 = 14,
	TAG_RSDP_V2 = 15,
	TAG_EFI_MEMORY_MAP = 17,
	TAG_EFI_BOOT_SERVICES = 18, /* not ended */
};
#define RSDP_SIZE_V1 20
#define RSDP_SIZE_V2 36

struct module_tag {
	struct tag tag;
	u32 start, end; /* a string follows */
};

/* Both maps: entries follow, of a size that the loader says since it may grow. */
struct map_tag {
	struct tag tag;
	u32 entry_size, version;
};

struct map_entry {
	u64 start, size;
	u32 type, reserved;
};
#define MEMORY_TYPE_RAM 1

struct efi_map_entry { /* UEFI specification 2.10, 7.2.3 */
	u32 type, reserved;
	u64 start, virtual, pages, attributes;
};
#define EFI_PAGE_SHIFT 12
#define EFI_MEMORY_SP  BIT(18) /* set aside for some special purpose */
enum {                         /* what is free once the boot services have ended (7.2.1) */
       EFI_LOADER_CODE = 1,
       EFI_LOADER_DATA = 2,
       EFI_BOOT_SERVICES_CODE = 3,
       EFI_BOOT_SERVICES_DATA = 4,
       EFI_CONVENTIONAL = 7,
};

struct framebuffer_tag {
	struct tag tag;
	u64 start;
	u32 pitch, width, height;
	u8 bits, type;
	u16 reserved; /* what follows depends on the type */
};
enum { FRAMEBUFFER_RGB = 1, FRAMEBUFFER_TEXT = 2 }; /* a third type has a palette */
#define MAX_SCREEN 32768U

struct block {
	const u8 *data; /* aligned as tags are */
	u32 size;
};

/* Finds the block, and sees that its tags lie in it and that the last one is its end. */
static int open_block(struct block *b, phys_addr_t pa, phys_window_t window)
{
	const u32 *header = pa % TAG_ALIGN ? NULL : window(pa, 2 * sizeof(*header));
	const struct tag *tag;
	u32 at = 2 * sizeof(*header);

	if (!header || *header < at || *header > MAX_SIZE)
		return -EINVAL;
	b->size = *header;
	b->data = window(pa, b->size);
	if (!b->data)
		return -EINVAL;
	while (at <= b->size && b->size - at >= sizeof(*tag)) {
		tag = (const void *)(b->data + at);
		if (tag->size < sizeof(*tag) || tag->size > b->size - at)
			return -EINVAL;
		if (tag->type == TAG_END)
			return 0;
		at += ALIGN_UP(tag->size, TAG_ALIGN);
	}
	return -EINVAL;
}

/* The next tag of @type, from the first one on or behind @tag; NULL: none. */
static const void *next_tag(const struct block *b, const void *tag, u32 type)
{
	const u8 *p = tag ? tag : b->data;

	do {
		p += tag ? ALIGN_UP(((const struct tag *)p)->size, TAG_ALIGN) : 2 * sizeof(u32);
		tag = p;
		if (((const struct tag *)tag)->type == type)
			return tag;
	} while (((const struct tag *)tag)->type != TAG_END);
	return NULL;
}

static int parse_cmdline(struct boot_info *info, const struct block *b)
{
	const struct tag *tag = next_tag(b, NULL, TAG_CMDLINE);
	const char *text;
	size_t size;

	if (!tag)
		return 0;
	text = (const char *)(tag + 1);
	size = tag->size - sizeof(*tag);
	if (next_tag(b, tag, TAG_CMDLINE) || strnlen(text, size) == size ||
	    strlcpy(info->cmdline, text, sizeof(info->cmdline)) >= sizeof(info->cmdline))
		return -EINVAL;
	return 0;
}

static int parse_modules(struct boot_info *info, const struct block *b)
{
	const struct module_tag *module = next_tag(b, NULL, TAG_MODULE);

	if (!module)
		return 0;
	if (module->tag.size < sizeof(*module) || module->end < module->start ||
	    next_tag(b, module, TAG_MODULE))
		return -EINVAL;
	info->archive =
	    (struct boot_region){.start = module->start, .size = module->end - module->start};
	return boot_in_ram(info, &info->archive) ? 0 : -EINVAL;
}

/* A range that a map names, with end <= start when it is none. */
struct range {
	u64 start, end;
	bool ram;
};

static struct range bios_range(const void *entry)
{
	const struct map_entry *e = entry;

	return (struct range){e->start, e->start + e->size, e->type == MEMORY_TYPE_RAM};
}

static struct range efi_range(const void *entry)
{
	const struct efi_map_entry *e = entry;
	u64 size = e->pages << EFI_PAGE_SHIFT;
	bool ram = e->type == EFI_CONVENTIONAL ||
		   (e->type >= EFI_LOADER_CODE && e->type <= EFI_BOOT_SERVICES_DATA);

	if (size >> EFI_PAGE_SHIFT != e->pages)
		size = 0;
	return (struct range){e->start, e->start + size, ram && !(e->attributes & EFI_MEMORY_SP)};
}

/* RAM first, then out of it what else the map says of the same addresses: firmware contradicts
 * itself. */
static int parse_map(struct boot_info *info, const struct map_tag *map, size_t least,
		     struct range (*read)(const void *entry))
{
	u32 count;

	if (map->tag.size < sizeof(*map) || map->entry_size < least || map->entry_size % TAG_ALIGN)
		return -EINVAL;
	count = (map->tag.size - sizeof(*map)) / map->entry_size;
	for (int ram = 1; ram >= 0; ram--)
		for (u32 i = 0; i < count; i++) {
			struct range r = read((const u8 *)(map + 1) + i * map->entry_size);

			if (r.end <= r.start || r.ram != ram)
				continue;
			if (ram)
				boot_add_ram(info, r.start, r.end);
			else
				boot_remove_ram(info, r.start, r.end);
		}
	return info->nr_ram ? 0 : -ENOMEM;
}

/* UEFI's own map says more than what the loader made of it. */
static int parse_memory(struct boot_info *info, const struct block *b)
{
	const struct map_tag *map = next_tag(b, NULL, TAG_EFI_MEMORY_MAP);

	if (map)
		return parse_map(info, map, sizeof(struct efi_map_entry), efi_range);
	map = next_tag(b, NULL, TAG_MEMORY_MAP);
	if (!map)
		return -EINVAL;
	return parse_map(info, map, sizeof(struct map_entry), bios_range);
}

/* A screen that says where it is and is sound; it is RAM of nobody, whatever the map says. */
static int parse_framebuffer(struct boot_info *info, const struct block *b)
{
	const struct framebuffer_tag *fb = next_tag(b, NULL, TAG_FRAMEBUFFER);
	u32 bytes;
	u64 end;

	if (!fb)
		return 0;
	if (fb->tag.size < sizeof(*fb))
		return -EINVAL;
	if (fb->type != FRAMEBUFFER_RGB && fb->type != FRAMEBUFFER_TEXT)
		return 0;
	bytes = fb->type == FRAMEBUFFER_TEXT ? 2 : (fb->bits + 7) / 8;
	end = fb->start + (u64)fb->pitch * fb->height;
	if (!fb->width || fb->width > MAX_SCREEN || !fb->height || fb->height > MAX_SCREEN ||
	    fb->pitch < fb->width * bytes || end <= fb->start)
		return -EINVAL;
	info->framebuffer = (struct boot_framebuffer){.start = fb->start,
						      .pitch = fb->pitch,
						      .width = fb->width,
						      .height = fb->height,
						      .bits = fb->bits,
						      .text = fb->type == FRAMEBUFFER_TEXT};
	boot_remove_ram(info, fb->start, end);
	return info->nr_ram ? 0 : -ENOMEM;
}

/* The tag holds a copy of the pointer, which is as good as the pointer. */
static int parse_rsdp(struct boot_info *info, const struct block *b, phys_addr_t pa)
{
	const struct tag *tag = next_tag(b, NULL, TAG_RSDP_V2);
	size_t size = RSDP_SIZE_V2;

	if (!tag) {
		tag = next_tag(b, NULL, TAG_RSDP_V1);
		size = RSDP_SIZE_V1;
	}
	if (!tag)
		return 0;
	if (tag->size < sizeof(*tag) + size)
		return -EINVAL;
	info->rsdp = pa + ((const u8 *)(tag + 1) - b->data);
	return 0;
}

int multiboot2_parse(struct boot_info *info, phys_addr_t pa, phys_window_t window)
{
	struct block b;
	int err;

	memset(info, 0, sizeof(*info));
	info->protocol = "multiboot2";
	err = open_block(&b, pa, window);
	if (err)
		return err;
	if (next_tag(&b, NULL, TAG_EFI_BOOT_SERVICES))
		return -EBUSY;
	if (next_tag(&b, NULL, TAG_EFI_SYSTEM_TABLE))
		info->protocol = "multiboot2 by UEFI";
	info->reserved[info->nr_reserved++] = (struct boot_region){.start = pa, .size = b.size};
	err = parse_memory(info, &b);
	if (!err)
		err = parse_framebuffer(info, &b);
	if (!err)
		err = parse_cmdline(info, &b);
	if (!err)
		err = parse_modules(info, &b);
	if (!err)
		err = parse_rsdp(info, &b, pa);
	return err;
}
