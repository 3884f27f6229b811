/* SPDX-License-Identifier: MIT */
/* boot/multiboot2.c: every tag that it reads, and information that is cut, damaged or hostile. */
#include "host.h"
#include "phys_memory.h"
#include <hotregs/string.h>

/* Of the specification, written down a second time on purpose. */
enum {
	END,
	CMDLINE,
	LOADER,
	MODULE,
	BASIC,
	MAP = 6,
	FRAMEBUFFER = 8,
	EFI64 = 12,
	RSDP1 = 14,
	RSDP2,
	EFI_MAP = 17,
	BOOT_SERVICES
};
enum { RAM = 1, RESERVED = 2 };

#define INFO MEMORY_START

static struct boot_info info;
static u32 at; /* where the next tag goes, as an offset into memory[] */

static void put(const void *data, size_t size)
{
	memcpy(memory + at, data, size);
	at += size;
}

static void put32(u32 value)
{
	put(&value, sizeof(value));
}

static void put64(u64 value)
{
	put(&value, sizeof(value));
}

static void tag(u32 type, u32 payload)
{
	at = ALIGN_UP(at, 8);
	put32(type);
	put32(8 + payload);
}

static void string_tag(u32 type, const char *text)
{
	tag(type, strlen(text) + 1);
	put(text, strlen(text) + 1);
}

static void module_tag(u32 start, u32 end)
{
	tag(MODULE, 8 + 5);
	put32(start);
	put32(end);
	put("name", 5);
}

static void framebuffer_tag(u64 start, u32 pitch, u32 width, u32 height, u8 bits, u8 type)
{
	tag(FRAMEBUFFER, 24 + 6);
	put64(start);
	put32(pitch);
	put32(width);
	put32(height);
	put(&bits, 1);
	put(&type, 1);
	at += 2 + 6; /* what are which colour's bits */
}

struct area {
	u64 start, size;
	u32 type;
};

static void bios_map(const struct area *areas, u32 n, u32 entry_size)
{
	tag(MAP, 8 + n * entry_size);
	put32(entry_size);
	put32(0);
	for (; n; n--, areas++) {
		put64(areas->start);
		put64(areas->size);
		put32(areas->type);
		at += entry_size - 20;
	}
}

static void efi_map(const struct area *areas, u32 n, u32 entry_size, u64 attributes)
{
	tag(EFI_MAP, 8 + n * entry_size);
	put32(entry_size);
	put32(1);
	for (; n; n--, areas++) {
		put32(areas->type);
		put32(0);
		put64(areas->start);
		put64(0);
		put64(areas->size >> 12);
		put64(attributes);
		at += entry_size - 40;
	}
}

/* Closes the information; its size. */
static u32 finish(void)
{
	u32 size;

	tag(END, 0);
	size = at;
	at = 0;
	put32(size);
	at = size;
	return size;
}

static const struct area plain[] = {{0, 0x9f000, RAM}, {0x100000, 0x7f00000, RAM}};

static void begin(void)
{
	memset(memory, 0, sizeof(memory));
	memset(&info, 0xee, sizeof(info));
	at = 8;
}

static int setup(void **state)
{
	begin();
	return 0;
}

static int parse(void)
{
	int err = multiboot2_parse(&info, INFO, memory_window);

	memory_hide();
	return err;
}

static int parse_finished(void)
{
	finish();
	return parse();
}

static void everything(void)
{
	string_tag(CMDLINE, "a=b -- c");
	string_tag(LOADER, "some loader 1.0");
	module_tag(0x200000, 0x212345);
	tag(BASIC, 8);
	put64(0);
	bios_map(plain, 2, 24);
	framebuffer_tag(0xe0000000, 4096, 1024, 768, 32, 1);
	tag(RSDP1, 20);
	put("RSD PTR v1 ---------", 20);
	tag(RSDP2, 36);
	put("RSD PTR v2 -------------------------", 36);
}

static void check_everything(void)
{
	assert_string_equal(info.protocol, "multiboot2");
	assert_string_equal(info.cmdline, "a=b -- c");
	assert_int_equal(info.archive.start, 0x200000);
	assert_int_equal(info.archive.size, 0x12345);
	assert_int_equal(info.nr_ram, 2);
	assert_int_equal(info.ram[1].start, 0x100000);
	assert_int_equal(info.ram[1].size, 0x7f00000);
	assert_memory_equal(memory + (info.rsdp - MEMORY_START), "RSD PTR v2", 10);
	assert_int_equal(info.nr_reserved, 1);
	assert_int_equal(info.reserved[0].start, INFO);
	assert_int_equal(info.reserved[0].size, at);
}

static void fills_boot_info(void **state)
{
	everything();
	assert_int_equal(parse_finished(), 0);
	check_everything();
}

static void order_does_not_matter(void **state)
{
	tag(RSDP2, 36);
	put("RSD PTR v2 -------------------------", 36);
	module_tag(0x200000, 0x212345);
	tag(RSDP1, 20);
	put("RSD PTR v1 ---------", 20);
	bios_map(plain, 2, 32); /* with larger entries than are known */
	string_tag(CMDLINE, "a=b -- c");
	tag(4711, 3);
	at += 3;
	assert_int_equal(parse_finished(), 0);
	check_everything();
}

static void optional_parts_may_be_missing(void **state)
{
	bios_map(plain, 2, 24);
	assert_int_equal(parse_finished(), 0);
	assert_string_equal(info.cmdline, "");
	assert_int_equal(info.archive.size, 0);
	assert_int_equal(info.rsdp, 0);
	begin();
	bios_map(plain, 2, 24);
	tag(RSDP1, 20);
	put("RSD PTR v1 ---------", 20);
	assert_int_equal(parse_finished(), 0);
	assert_memory_equal(memory + (info.rsdp - MEMORY_START), "RSD PTR v1", 10);
}

/* Whatever size it claims to have below the true one, it has lost its end. */
static void cut_anywhere_it_is_refused(void **state)
{
	u32 whole;

	everything();
	whole = finish();
	for (u32 size = 0; size < whole; size++) {
		memcpy(memory, &size, sizeof(size));
		assert_int_equal(parse(), -EINVAL);
	}
	memcpy(memory, &whole, sizeof(whole));
	assert_int_equal(parse(), 0);
	for (u32 size = whole + 1; size <= MEMORY_SIZE; size += 7) {
		memcpy(memory, &size, sizeof(size));
		assert_int_equal(parse(), 0); /* the end counts */
	}
	memcpy(memory, &(u32){MEMORY_SIZE + 1}, 4);
	assert_int_equal(parse(), -EINVAL);
	memcpy(memory, &(u32){UINT32_MAX}, 4);
	assert_int_equal(parse(), -EINVAL);
}

/* Each tag but its neighbours, with every size that it might claim. */
static void sizes_of_tags_are_checked(void **state)
{
	u32 whole, size;

	everything();
	whole = finish();
	for (u32 pos = 8; pos < whole; pos += ALIGN_UP(size, 8)) {
		u32 none[] = {0, 1, 7, whole - pos + 1, 0x7ffffff8, 0xfffffff8, UINT32_MAX};

		memcpy(&size, memory + pos + 4, 4);
		for (unsigned i = 0; i < ARRAY_SIZE(none); i++) {
			u32 type;

			memcpy(&type, memory + pos, 4);
			memcpy(memory + pos + 4, &none[i], 4);
			if (type != END || none[i] != whole - pos + 1)
				assert_int_equal(parse(), -EINVAL);
		}
		memcpy(memory + pos + 4, &size, 4);
	}
	assert_int_equal(parse(), 0);
	check_everything();
}

static void tags_shorter_than_what_is_in_them(void **state)
{
	for (u32 payload = 0; payload < 8; payload++) {
		begin();
		bios_map(plain, 2, 24);
		tag(MODULE, payload);
		at += payload;
		assert_int_equal(parse_finished(), -EINVAL);
		begin();
		tag(MAP, payload);
		at += payload;
		assert_int_equal(parse_finished(), -EINVAL);
		begin();
		tag(EFI_MAP, payload);
		at += payload;
		assert_int_equal(parse_finished(), -EINVAL);
	}
	for (u32 payload = 0; payload < 36; payload++) {
		for (u32 type = RSDP1; type <= RSDP2; type++) {
			begin();
			bios_map(plain, 2, 24);
			tag(type, payload);
			at += payload;
			assert_int_equal(parse_finished(),
					 payload < (type == RSDP1 ? 20 : 36) ? -EINVAL : 0);
		}
	}
}

static void information_lies_where_it_must(void **state)
{
	everything();
	finish();
	for (phys_addr_t pa = INFO + 1; pa < INFO + 8; pa++) {
		assert_int_equal(multiboot2_parse(&info, pa, memory_window), -EINVAL);
		memory_hide();
	}
	assert_int_equal(multiboot2_parse(&info, 0, memory_window), -EINVAL);
	assert_int_equal(multiboot2_parse(&info, INFO + MEMORY_SIZE, memory_window), -EINVAL);
	assert_int_equal(multiboot2_parse(&info, INFO + MEMORY_SIZE - 4, memory_window), -EINVAL);
}

static void command_line_fits_or_is_refused(void **state)
{
	static char line[BOOT_CMDLINE_MAX + 1];

	memset(line, 'x', BOOT_CMDLINE_MAX - 1);
	bios_map(plain, 2, 24);
	string_tag(CMDLINE, line);
	assert_int_equal(parse_finished(), 0);
	assert_int_equal(strlen(info.cmdline), BOOT_CMDLINE_MAX - 1);
	begin();
	line[BOOT_CMDLINE_MAX - 1] = 'x';
	bios_map(plain, 2, 24);
	string_tag(CMDLINE, line);
	assert_int_equal(parse_finished(), -EINVAL);
	begin(); /* one without its NUL, and one that is not even empty */
	bios_map(plain, 2, 24);
	tag(CMDLINE, 3);
	put("abc", 3);
	assert_int_equal(parse_finished(), -EINVAL);
	begin();
	bios_map(plain, 2, 24);
	tag(CMDLINE, 0);
	assert_int_equal(parse_finished(), -EINVAL);
	begin();
	bios_map(plain, 2, 24);
	string_tag(CMDLINE, "one");
	string_tag(CMDLINE, "two");
	assert_int_equal(parse_finished(), -EINVAL);
}

static void one_module_in_ram(void **state)
{
	static const struct {
		u32 start, end;
		int err;
	} cases[] = {
	    {0x100000, 0x8000000, 0},          {0x100000, 0x100000, 0}, /* of no size: none */
	    {0x100000, 0x8000001, -EINVAL},    {0x9e000, 0x100001, -EINVAL},
	    {0x8000000, 0x8000010, -EINVAL},   {0x200000, 0x1fffff, -EINVAL},
	    {0xfee00000, 0xfee01000, -EINVAL},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		begin();
		module_tag(cases[i].start, cases[i].end);
		bios_map(plain, 2, 24);
		assert_int_equal(parse_finished(), cases[i].err);
	}
	begin();
	bios_map(plain, 2, 24);
	module_tag(0x200000, 0x201000);
	module_tag(0x300000, 0x301000);
	assert_int_equal(parse_finished(), -EINVAL);
}

static void screens(void **state)
{
	static const struct {
		u64 start;
		u32 pitch, width, height;
		u8 bits, type;
		int err;
		u32 found_width;
	} cases[] = {
	    {0xe0000000, 4096, 1024, 768, 32, 1, 0, 1024},
	    {0x1000000000, 4096, 1024, 768, 32, 1, 0, 1024},
	    {0xe0000000, 3072, 1024, 768, 24, 1, 0, 1024},
	    {0xb8000, 160, 80, 25, 16, 2, 0, 80},
	    {0xe0000000, 1024, 1024, 768, 8, 0, 0, 0}, /* with a palette */
	    {0xe0000000, 4092, 1024, 768, 32, 1, -EINVAL, 0},
	    {0xb8000, 158, 80, 25, 16, 2, -EINVAL, 0},
	    {0xe0000000, 4096, 0, 768, 32, 1, -EINVAL, 0},
	    {0xe0000000, 4096, 1024, 0, 32, 1, -EINVAL, 0},
	    {0xe0000000, 4096, 0x40000001, 768, 32, 1, -EINVAL, 0},
	    {0xe0000000, 4096, 1024, 0xffffffff, 32, 1, -EINVAL, 0},
	    {~0UL - 4096, 4096, 1024, 768, 32, 1, -EINVAL, 0},
	};

	for (unsigned i = 0; i < ARRAY_SIZE(cases); i++) {
		begin();
		bios_map(plain, 2, 24);
		framebuffer_tag(cases[i].start, cases[i].pitch, cases[i].width, cases[i].height,
				cases[i].bits, cases[i].type);
		assert_int_equal(parse_finished(), cases[i].err);
		assert_int_equal(info.framebuffer.width, cases[i].found_width);
		if (!cases[i].found_width)
			continue;
		assert_int_equal(info.framebuffer.start, cases[i].start);
		assert_int_equal(info.framebuffer.pitch, cases[i].pitch);
		assert_int_equal(info.framebuffer.height, cases[i].height);
		assert_int_equal(info.framebuffer.bits, cases[i].bits);
		assert_int_equal(info.framebuffer.text, cases[i].type == 2);
	}
	for (u32 payload = 0; payload < 24; payload++) {
		begin();
		bios_map(plain, 2, 24);
		tag(FRAMEBUFFER, payload);
		at += payload;
		assert_int_equal(parse_finished(), -EINVAL);
	}
	/* One within what the map calls RAM is none of it. */
	begin();
	bios_map(plain, 2, 24);
	framebuffer_tag(0x200000, 4096, 1024, 256, 32, 1);
	assert_int_equal(parse_finished(), 0);
	assert_int_equal(info.nr_ram, 3);
	assert_int_equal(info.ram[1].size, 0x100000);
	assert_int_equal(info.ram[2].start, 0x300000);
	/* One that leaves none. */
	begin();
	bios_map(plain, 2, 24);
	framebuffer_tag(0, 0x10000000, 4096, 4096, 32, 1);
	assert_int_equal(parse_finished(), -ENOMEM);
}

static void maps_that_name_no_ram(void **state)
{
	static const struct area wraps = {~0UL - 100, 4096, RAM}, empty = {4096, 0, RAM},
				 other = {0, 0x10000000, RESERVED};

	assert_int_equal(parse_finished(), -EINVAL); /* no map at all */
	begin();
	bios_map(NULL, 0, 24);
	assert_int_equal(parse_finished(), -ENOMEM);
	begin();
	bios_map(&wraps, 1, 24);
	assert_int_equal(parse_finished(), -ENOMEM);
	begin();
	bios_map(&empty, 1, 24);
	assert_int_equal(parse_finished(), -ENOMEM);
	begin();
	bios_map(&other, 1, 24);
	assert_int_equal(parse_finished(), -ENOMEM);
}

static void sizes_of_entries(void **state)
{
	for (u32 size = 0; size < 64; size++) {
		begin();
		bios_map(plain, 2, 24);
		memcpy(memory + 16, &size, 4);
		finish();
		assert_int_equal(parse(), size < 24 || size % 8 ? -EINVAL
					  : size <= 48          ? 0
								: -ENOMEM);
		begin();
		efi_map(plain, 1, 64, 0);
		memory[24] = 7;
		memcpy(memory + 16, &size, 4);
		finish();
		assert_int_equal(parse(), size < 40 || size % 8 ? -EINVAL : 0);
	}
	begin();
	bios_map(plain, 2, 24);
	memcpy(memory + 16, &(u32){0xfffffff8}, 4);
	finish();
	assert_int_equal(parse(), -ENOMEM);
}

/* Firmware that says two things of the same memory: what is not RAM wins, in any order. */
static void what_is_not_ram_is_cut_out(void **state)
{
	static const struct area areas[] = {
	    {0x7000000, 0x1000, RESERVED},   {0, 0x8000000, RAM},
	    {0x9f000, 0x61000, 3},           {0x7fff000, 0x10000, 4},
	    {0x100000000, 0x100000000, RAM},
	};

	bios_map(areas, ARRAY_SIZE(areas), 24);
	assert_int_equal(parse_finished(), 0);
	assert_int_equal(info.nr_ram, 4);
	assert_int_equal(info.ram[0].size, 0x9f000);
	assert_int_equal(info.ram[1].start, 0x100000);
	assert_int_equal(info.ram[1].size, 0x6f00000);
	assert_int_equal(info.ram[2].start, 0x7001000);
	assert_int_equal(info.ram[2].size, 0xffe000);
	assert_int_equal(info.ram[3].start, 0x100000000);
	assert_int_equal(info.ram[3].size, 0x100000000);
}

static void types_of_uefi(void **state)
{
	/* Free once the boot services have ended: loader, boot services, conventional. */
	static const bool free_types[18] = {
	    [1] = true, [2] = true, [3] = true, [4] = true, [7] = true};

	for (u32 type = 0; type < ARRAY_SIZE(free_types); type++) {
		const struct area area = {0x100000, 0x10000, type};

		begin();
		bios_map(plain, 2, 24); /* does not count beside it */
		efi_map(&area, 1, 48, 0xf);
		assert_int_equal(parse_finished(), free_types[type] ? 0 : -ENOMEM);
		if (free_types[type]) {
			assert_int_equal(info.nr_ram, 1);
			assert_int_equal(info.ram[0].start, 0x100000);
			assert_int_equal(info.ram[0].size, 0x10000);
		}
		begin();
		efi_map(&area, 1, 48, 0x40000); /* for a special purpose */
		assert_int_equal(parse_finished(), -ENOMEM);
	}
}

static void ranges_of_uefi_that_wrap(void **state)
{
	static const struct area areas[] = {{0x1000, 0x1000, 7}, {0x100000, 0x10000, 7}};

	efi_map(areas, 2, 40, 0xf);
	memcpy(memory + 8 + 16 + 24, &(u64){1UL << 52}, 8); /* pages of the first: 2^64 bytes */
	finish();
	assert_int_equal(parse(), 0);
	assert_int_equal(info.nr_ram, 1);
	memcpy(memory + 8 + 16 + 24, &(u64){(1UL << 52) - 1}, 8);
	assert_int_equal(parse(), 0);
	assert_int_equal(info.nr_ram, 1);
}

static void uefi_is_told_and_must_be_over(void **state)
{
	bios_map(plain, 2, 24);
	tag(EFI64, 8);
	put64(0x1234);
	assert_int_equal(parse_finished(), 0);
	assert_string_equal(info.protocol, "multiboot2 by UEFI");
	begin();
	bios_map(plain, 2, 24);
	tag(BOOT_SERVICES, 0);
	assert_int_equal(parse_finished(), -EBUSY);
}

/* Whatever is damaged, nothing outside of what was asked for is read, and it ends. */
static void random_damage_is_survived(void **state)
{
	u32 whole;

	srand(4);
	for (int round = 0; round < 50000; round++) {
		static const u8 likely[] = {0, 1, 3, 6, 7, 8, 12, 14, 15, 17, 18, 0xff};

		begin();
		everything();
		efi_map(plain, rand() % 3, 48, 0);
		whole = finish();
		for (int n = rand() % 6 + 1; n; n--)
			memory[rand() % whole] =
			    rand() % 2 ? rand() : likely[rand() % sizeof(likely)];
		parse();
		assert_true(info.nr_ram <= BOOT_MAX_REGIONS);
		assert_true(memchr(info.cmdline, 0, sizeof(info.cmdline)));
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup(f, setup)
	const struct CMUnitTest tests[] = {
	    TEST(fills_boot_info),
	    TEST(order_does_not_matter),
	    TEST(optional_parts_may_be_missing),
	    TEST(cut_anywhere_it_is_refused),
	    TEST(sizes_of_tags_are_checked),
	    TEST(tags_shorter_than_what_is_in_them),
	    TEST(information_lies_where_it_must),
	    TEST(command_line_fits_or_is_refused),
	    TEST(one_module_in_ram),
	    TEST(screens),
	    TEST(maps_that_name_no_ram),
	    TEST(sizes_of_entries),
	    TEST(what_is_not_ram_is_cut_out),
	    TEST(types_of_uefi),
	    TEST(ranges_of_uefi_that_wrap),
	    TEST(uefi_is_told_and_must_be_over),
	    TEST(random_damage_is_survived),
	};

	return cmocka_run_group_tests_name("multiboot2", tests, NULL, NULL);
}
