/* SPDX-License-Identifier: MIT */
/*
 * boot/acpi.c: whatever firmware left, reading it stays inside. Checksums are made right for most
 * inputs, since nobody guesses them.
 */
#include "fuzz.h"
#include <hotregs/acpi.h>

#define BASE 0x1000UL /* where the root pointer is */

static u8 memory[4096];

static void fix_sum(size_t at, size_t sum_at, size_t n, size_t size)
{
	u8 sum = 0;

	if (at + n > size || sum_at >= size)
		return;
	memory[sum_at] = 0;
	for (size_t i = 0; i < n; i++)
		sum += memory[at + i];
	memory[sum_at] = -sum;
}

/* Of the root pointer, and of whatever has the signature of a table. */
static void fix_sums(size_t size)
{
	static const char signatures[][5] = {"RSDT", "XSDT", "APIC", "HPET", "FACP"};

	for (size_t at = 0; at + 36 <= size; at++)
		for (unsigned i = 0; i < ARRAY_SIZE(signatures); i++) {
			u32 length;

			if (memcmp(memory + at, signatures[i], 4))
				continue;
			memcpy(&length, memory + at + 4, sizeof(length));
			if (length <= size)
				fix_sum(at, at + 9, length, size);
		}
	fix_sum(0, 8, 20, size);
	fix_sum(0, 32, 36, size);
}

static size_t table(u8 *to, const char *signature, const void *body, u32 n)
{
	u32 length = 36 + n;

	memcpy(to, signature, 4);
	memcpy(to + 4, &length, 4);
	memcpy(to + 36, body, n);
	return length;
}

void fuzz_examples(void)
{
	static const u8 madt[] = {0, 0, 0xe0, 0xfe, 1, 0,  0, 0, /* LAPIC, flags */
				  0, 8, 0,    0,    1, 0,  0, 0, 1, 12, 0, 0, 0,  0, 0xc0, 0xfe,
				  0, 0, 0,    0,    2, 10, 0, 9, 9, 0,  0, 0, 15, 0, 9,    16,
				  0, 0, 0,    1,    0, 0,  1, 0, 0, 0,  7, 0, 0,  0};
	static const u8 zeroes[200];
	u8 whole[1024] = "\1RSD PTR \0OEMOEM\2"; /* the first byte is the fuzzer's own */
	u8 *m = whole + 1;
	u64 tables[] = {BASE + 256, BASE + 400, BASE + 512};
	u32 size = 36, rsdt = BASE + 64;
	u64 xsdt = BASE + 128;

	memcpy(m + 16, &rsdt, 4);
	memcpy(m + 20, &size, 4);
	memcpy(m + 24, &xsdt, 8);
	table(m + 64, "RSDT", &(u32){BASE + 256}, 4);
	table(m + 128, "XSDT", tables, sizeof(tables));
	table(m + 256, "APIC", madt, sizeof(madt));
	table(m + 400, "HPET", zeroes, 20);
	table(m + 512, "FACP", zeroes, 100);
	fuzz_add_example(whole, sizeof(whole));
	/* The same of revision 0, by the RSDT alone. */
	m[15] = 0;
	fuzz_add_example(whole, sizeof(whole));
}

int LLVMFuzzerTestOneInput(const u8 *data, size_t size)
{
	struct acpi_info info;
	int err;

	if (!size || size - 1 > sizeof(memory))
		return 0;
	memcpy(memory, data + 1, size - 1);
	if (data[0] & 3)
		fix_sums(size - 1);
	fuzz_memory(BASE, memory, size - 1);
	err = acpi_parse(&info, BASE, fuzz_window);
	CHECK(!err || err == -EINVAL);
	CHECK(info.nr_ioapics <= ACPI_MAX_IOAPICS && info.nr_overrides <= ACPI_MAX_OVERRIDES);
	fuzz_free_copies();
	return 0;
}
