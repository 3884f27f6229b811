/* SPDX-License-Identifier: MIT */
/* boot/multiboot2.c: whatever a Multiboot2 loader hands over, reading it stays inside. */
#include "boot_checks.h"

#define BASE 0x1000UL

static struct {
	u8 bytes[2048];
	u32 size;
} out;

static void put(const void *data, u32 n)
{
	memcpy(out.bytes + out.size, data, n);
	out.size += n;
}

static void tag(u32 type, const void *body, u32 n)
{
	u32 head[2] = {type, sizeof(head) + n};

	out.size = ALIGN_UP(out.size, 8);
	put(head, sizeof(head));
	put(body, n);
}

/* A map's entry size and version, then @n entries of @size bytes. */
static void map_tag(u32 type, const void *entries, u32 size, u32 n)
{
	u8 body[512];
	u32 head[2] = {size, 0};

	memcpy(body, head, sizeof(head));
	memcpy(body + sizeof(head), entries, size * n);
	tag(type, body, sizeof(head) + size * n);
}

static void finish(void)
{
	tag(0, "", 0);
	memcpy(out.bytes, &out.size, sizeof(out.size));
	fuzz_add_example(out.bytes, out.size);
	memset(&out, 0, sizeof(out));
}

void fuzz_examples(void)
{
	static const u64 bios[] = {0, 0x9f000, 1, 0x100000, 0x7f00000, 1, 0xf0000, 0x10000, 2};
	static const u64 efi[] = {7,  0x100000, 0,  0x7f00,    0, 4, 0x8000000, 0,
				  16, 0,        10, 0x9000000, 0, 1, 0};
	static const u32 module[] = {0x200000, 0x300000, 0};
	static const u64 screen[] = {0xb8000, 160ULL | 80ULL << 32,
				     25ULL | 16ULL << 32 | 2ULL << 40};
	static const u8 rsdp[36] = "RSD PTR ";

	out.size = 8;
	tag(1, "key=value -- init", 18);
	tag(3, module, sizeof(module));
	map_tag(6, bios, 24, 3);
	tag(8, screen, sizeof(screen));
	tag(14, rsdp, 20);
	finish();
	out.size = 8;
	tag(12, &(u64){0}, 8);
	tag(15, rsdp, sizeof(rsdp));
	map_tag(17, efi, 40, 3);
	finish();
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	static struct boot_info info;
	int err;

	fuzz_memory(BASE, data, size);
	err = multiboot2_parse(&info, BASE, fuzz_window);
	CHECK(!err || err == -EINVAL || err == -ENOMEM || err == -EBUSY);
	if (!err)
		check_boot_info(&info);
	fuzz_free_copies();
	return 0;
}
