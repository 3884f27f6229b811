/* SPDX-License-Identifier: MIT */
/* boot/acpi.c: sound tables, and tables that lie about their length, sum or content. */
#include "host.h"
#include "phys_memory.h"
#include <hotregs/acpi.h>
#include <hotregs/string.h>

/* Where the tables are, as offsets into memory[]. */
enum { RSDP = 0, RSDT = 64, XSDT = 128, MADT = 256, HPET = 2048, FADT = 2304 };
#define AT(offset) (MEMORY_START + (offset))

static struct acpi_info info;

static void put32(unsigned at, u32 value)
{
	memcpy(memory + at, &value, 4);
}

static void put64(unsigned at, u64 value)
{
	memcpy(memory + at, &value, 8);
}

static u32 get32(unsigned at)
{
	u32 value;

	memcpy(&value, memory + at, 4);
	return value;
}

static void fix_sum(unsigned at, unsigned sum_at, unsigned size)
{
	u8 sum = 0;

	memory[sum_at] = 0;
	for (unsigned i = 0; i < size; i++)
		sum += memory[at + i];
	memory[sum_at] = -sum;
}

/* Makes a table of @length bytes valid. */
static void seal(unsigned at)
{
	fix_sum(at, at + 9, get32(at + 4));
}

static void begin(unsigned at, const char *signature, u32 length)
{
	memset(memory + at, 0, length);
	memcpy(memory + at, signature, 4);
	put32(at + 4, length);
}

/* Appends an entry to the MADT. */
static void madt_add(const void *entry, unsigned size)
{
	u32 length = get32(MADT + 4);

	memcpy(memory + MADT + length, entry, size);
	put32(MADT + 4, length + size);
	seal(MADT);
}

static void seal_rsdp(void)
{
	fix_sum(RSDP, RSDP + 8, 20);
	fix_sum(RSDP, RSDP + 32, 36);
}

static int setup(void **state)
{
	static const u8 lapic0[] = {0, 8, 0, 0, 1, 0, 0, 0}, lapic1[] = {0, 8, 1, 3, 1, 0, 0, 0},
			disabled[] = {0, 8, 2, 5, 0, 0, 0, 0},
			ioapic[] = {1, 12, 0, 0, 0, 0, 0xc0, 0xfe, 0, 0, 0, 0},
			timer[] = {2, 10, 0, 0, 2, 0, 0, 0, 0, 0},
			sci[] = {2, 10, 0, 9, 9, 0, 0, 0, 0x0f, 0},
			high[] = {2, 10, 0, 10, 10, 0, 0, 0, 0x0d, 0},
			nmi[] = {4, 6, 0xff, 0, 0, 1},
			x2apic[] = {9, 16, 0, 0, 0, 1, 0, 0, 1, 0, 0, 0, 7, 0, 0, 0};

	memset(memory, 0, sizeof(memory));
	begin(RSDT, "RSDT", 36 + 3 * 4);
	put32(RSDT + 36, AT(FADT));
	put32(RSDT + 40, AT(MADT));
	put32(RSDT + 44, AT(HPET));
	seal(RSDT);

	begin(MADT, "APIC", 44);
	madt_add(lapic0, sizeof(lapic0));
	madt_add(lapic1, sizeof(lapic1));
	madt_add(disabled, sizeof(disabled));
	madt_add(ioapic, sizeof(ioapic));
	madt_add(timer, sizeof(timer));
	madt_add(sci, sizeof(sci));
	madt_add(high, sizeof(high));
	madt_add(nmi, sizeof(nmi));
	madt_add(x2apic, sizeof(x2apic));

	begin(HPET, "HPET", 56);
	put64(HPET + 44, 0xfed00000);
	seal(HPET);

	begin(FADT, "FACP", 116);
	put32(FADT + 64, 0x604);
	memory[FADT + 108] = 0x32;
	seal(FADT);

	memcpy(memory + RSDP, "RSD PTR ", 8);
	put32(RSDP + 16, AT(RSDT));
	put32(RSDP + 20, 36);
	seal_rsdp();
	return 0;
}

static int parse(void)
{
	int err;

	memset(&info, 0xee, sizeof(info));
	err = acpi_parse(&info, AT(RSDP), memory_window);
	memory_hide();
	return err;
}

static void check_all(void)
{
	assert_int_equal(info.nr_cpus, 3);
	assert_int_equal(info.apic_id[0], 0);
	assert_int_equal(info.apic_id[1], 3);
	assert_int_equal(info.apic_id[2], 256);
	assert_int_equal(info.nr_ioapics, 1);
	assert_int_equal(info.ioapic[0].base, 0xfec00000);
	assert_int_equal(info.ioapic[0].gsi_base, 0);
	assert_int_equal(info.nr_overrides, 3);
	assert_int_equal(info.override[0].source, 0);
	assert_int_equal(info.override[0].gsi, 2);
	assert_false(info.override[0].level || info.override[0].active_low);
	assert_true(info.override[1].level && info.override[1].active_low);
	assert_true(info.override[2].level && !info.override[2].active_low);
	assert_int_equal(info.hpet, 0xfed00000);
	assert_int_equal(info.pm1a_control, 0x604);
	assert_int_equal(info.rtc_century, 0x32);
}

static void reads_by_rsdt(void **state)
{
	assert_int_equal(parse(), 0);
	check_all();
}

static void prefers_xsdt_when_it_is_sound(void **state)
{
	begin(XSDT, "XSDT", 36 + 8);
	put64(XSDT + 36, AT(HPET));
	seal(XSDT);
	memory[RSDP + 15] = 2;
	put64(RSDP + 24, AT(XSDT));
	seal_rsdp();
	assert_int_equal(parse(), 0);
	assert_int_equal(info.hpet, 0xfed00000);
	assert_int_equal(info.nr_cpus, 0);
	memory[XSDT + 20]++; /* its sum is wrong: the other one counts */
	assert_int_equal(parse(), 0);
	check_all();
	seal(XSDT);
	memory[RSDP + 33]++; /* the pointer's second sum is wrong: the same */
	assert_int_equal(parse(), 0);
	check_all();
}

static void refuses_a_bad_root(void **state)
{
	struct acpi_info zero = {0};

	memory[RSDP]++;
	assert_int_equal(parse(), -EINVAL);
	assert_memory_equal(&info, &zero, sizeof(zero));
	memory[RSDP]--;
	memory[RSDP + 8]++;
	assert_int_equal(parse(), -EINVAL);
	setup(NULL);
	put32(RSDP + 16, 0x10);
	seal_rsdp();
	assert_int_equal(parse(), -EINVAL);
	setup(NULL);
	memory[RSDT + 10]++;
	assert_int_equal(parse(), -EINVAL);
	assert_int_equal(acpi_parse(&info, 0, memory_window), -EINVAL);
	assert_int_equal(acpi_parse(&info, AT(MEMORY_SIZE - 10), memory_window), -EINVAL);
	memory_hide();
}

static void every_byte_is_under_the_sum(void **state)
{
	u32 length = get32(MADT + 4);

	for (u32 i = 0; i < length; i++) {
		memory[MADT + i]++;
		assert_int_equal(parse(), 0);
		assert_int_equal(info.nr_cpus, 0);
		assert_int_equal(info.nr_ioapics, 0);
		assert_int_equal(info.hpet, 0xfed00000); /* the others still count */
		memory[MADT + i]--;
	}
	parse();
	check_all();
}

static void lengths_are_checked(void **state)
{
	static const u32 bad[] = {0, 35, MEMORY_SIZE, 0x00100001, 0xffffffff};

	for (unsigned i = 0; i < ARRAY_SIZE(bad); i++) {
		put32(HPET + 4, bad[i]);
		assert_int_equal(parse(), 0);
		assert_int_equal(info.hpet, 0);
		assert_int_equal(info.nr_cpus, 3);
	}
	/* Sound, but too short for the field. */
	for (u32 length = 36; length < 52; length++) {
		put32(HPET + 4, length);
		seal(HPET);
		parse();
		assert_int_equal(info.hpet, 0);
	}
	for (u32 length = 36; length <= 108; length++) {
		put32(FADT + 4, length);
		seal(FADT);
		parse();
		assert_int_equal(info.pm1a_control, length < 68 ? 0 : 0x604);
		assert_int_equal(info.rtc_century, 0);
	}
	for (u32 length = 36; length < 44; length++) {
		put32(MADT + 4, length);
		seal(MADT);
		parse();
		assert_int_equal(info.nr_cpus, 0);
	}
}

static void entries_end_with_the_table(void **state)
{
	u32 full = get32(MADT + 4);

	/* Cut anywhere, the whole entries before the cut count. */
	for (u32 length = 44; length < full; length++) {
		put32(MADT + 4, length);
		seal(MADT);
		assert_int_equal(parse(), 0);
		assert_int_equal(info.nr_cpus, length < 52 ? 0 : length < 60 ? 1 : 2);
		assert_int_equal(info.nr_ioapics, length < 80 ? 0 : 1);
	}
}

static void short_entries_end_or_are_skipped(void **state)
{
	for (u8 length = 0; length < 8; length++) {
		setup(NULL);
		memory[MADT + 44 + 1] = length; /* the first processor's */
		seal(MADT);
		assert_int_equal(parse(), 0);
		if (length < 2)
			assert_int_equal(info.nr_cpus, 0);
	}
	/* A longer one than is known here: skipped to its end. */
	setup(NULL);
	memory[MADT + 44 + 1] = 16;
	seal(MADT);
	parse();
	assert_int_equal(info.nr_cpus, 2);
	assert_int_equal(info.apic_id[0], 0);
	assert_int_equal(info.apic_id[1], 256);
}

static void many_entries_are_counted_not_stored(void **state)
{
	u8 lapic[] = {0, 8, 0, 0, 1, 0, 0, 0}, override[] = {2, 10, 0, 1, 1, 0, 0, 0, 0, 0},
	   ioapic[] = {1, 12, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};

	begin(MADT, "APIC", 44);
	for (int i = 0; i < 40; i++) {
		lapic[3] = i;
		madt_add(lapic, sizeof(lapic));
		madt_add(override, sizeof(override));
		madt_add(ioapic, sizeof(ioapic));
	}
	assert_int_equal(parse(), 0);
	assert_int_equal(info.nr_cpus, 40);
	assert_int_equal(info.apic_id[BOOT_MAX_CPUS - 1], BOOT_MAX_CPUS - 1);
	assert_int_equal(info.nr_overrides, ACPI_MAX_OVERRIDES);
	assert_int_equal(info.nr_ioapics, ACPI_MAX_IOAPICS);
}

static void odd_values_mean_unknown(void **state)
{
	put32(FADT + 64, 0x10000); /* no I/O port */
	seal(FADT);
	memory[HPET + 40] = 1; /* not in memory */
	seal(HPET);
	parse();
	assert_int_equal(info.pm1a_control, 0);
	assert_int_equal(info.hpet, 0);
}

static void a_table_out_of_reach_is_told(void **state)
{
	parse();
	assert_int_equal(info.beyond, 0);
	put32(RSDT + 44, 0xfff00000);
	seal(RSDT);
	assert_int_equal(parse(), 0);
	assert_int_equal(info.beyond, 0xfff00000);
	assert_int_equal(info.hpet, 0);
	assert_int_equal(info.nr_cpus, 3);
}

static void root_that_names_itself(void **state)
{
	for (int i = 0; i < 3; i++)
		put32(RSDT + 36 + 4 * i, AT(i == 1 ? RSDP : RSDT));
	seal(RSDT);
	assert_int_equal(parse(), 0);
	assert_int_equal(info.nr_cpus, 0);
}

/* Whatever is in the tables, nothing outside of what was asked for is read, and it ends. */
static void random_damage_is_survived(void **state)
{
	static const unsigned tables[] = {RSDT, MADT, HPET, FADT};

	srand(2);
	for (int round = 0; round < 20000; round++) {
		unsigned at = tables[rand() % ARRAY_SIZE(tables)];

		setup(NULL);
		for (int n = rand() % 4 + 1; n; n--)
			memory[at + rand() % 140] = rand();
		if (get32(at + 4) < MEMORY_SIZE - at)
			seal(at);
		parse();
		assert_true(info.nr_ioapics <= ACPI_MAX_IOAPICS);
		assert_true(info.nr_overrides <= ACPI_MAX_OVERRIDES);
	}
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup(f, setup)
	const struct CMUnitTest tests[] = {
	    TEST(reads_by_rsdt),
	    TEST(prefers_xsdt_when_it_is_sound),
	    TEST(refuses_a_bad_root),
	    TEST(every_byte_is_under_the_sum),
	    TEST(lengths_are_checked),
	    TEST(entries_end_with_the_table),
	    TEST(short_entries_end_or_are_skipped),
	    TEST(many_entries_are_counted_not_stored),
	    TEST(odd_values_mean_unknown),
	    TEST(a_table_out_of_reach_is_told),
	    TEST(root_that_names_itself),
	    TEST(random_damage_is_survived),
	};

	return cmocka_run_group_tests_name("acpi", tests, NULL, NULL);
}
