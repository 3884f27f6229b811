/* SPDX-License-Identifier: MIT */
/*
 * kernel/unwind/kallsyms.c over the table that tools/kallsyms.py makes of the `nm` text below, and
 * without a table, as in the kernel's first link.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include <hotregs/unwind.h>

/* In place of the linked symbols: a table that the test can take away, and an address. */
static const char host_text[0x2000];
#define kallsyms_table (*host_table)
#define _text          host_text_start
extern const char host_text_start[];
__asm__(".set host_text_start, host_text");
#include "../../kernel/unwind/kallsyms.c"
#undef _text
const struct kallsyms *host_table;

#define TEXT ((unsigned long)host_text)

static const char nm_text[] = "0000000000100000 t boot_code\n"
			      "                 U undefined\n"
			      "ffffffff80000000 T _text\n"
			      "ffffffff80000000 t first\n"
			      "ffffffff80000010 t .Llocal\n"
			      "ffffffff80000018 t $x\n"
			      "ffffffff80000020 t alias_local\n"
			      "ffffffff80000020 W alias_weak\n"
			      "ffffffff80000020 T _alias_global\n"
			      "ffffffff80000020 T alias_global\n"
			      "ffffffff80000020 T __sched_text_start\n"
			      "ffffffff80000118 T __sched_text_end\n"
			      "ffffffff80000120 0000000000000010 t again\n"
			      "ffffffff80000200 t again\n"
			      "ffffffff80000201 0000000000000001 r read_only\n"
			      "ffffffff80000210 w last\n"
			      "ffffffff80000300 T _etext\n"
			      "ffffffff80000310 0000000000000008 R constants\n"
			      "ffffffff80001000 D _start_data\n"
			      "ffffffff80001000 0000000000000004 D data\n"
			      "ffffffff80001004 0000000000000000 d empty\n"
			      "ffffffff80001008 0000000000000010 b .LANCHOR0\n"
			      "ffffffff80001008 0000000000000010 b zeroed.0\n"
			      "ffffffff80002000 T behind\n"
			      "ffffffff80003000 A absolute\n";

/* Assembles the two directives that make up a table. */
static size_t assemble(FILE *in, u8 *out, size_t size)
{
	char line[256];
	size_t n = 0;

	while (fgets(line, sizeof(line), in)) {
		if (!strncmp(line, "\t.long ", 7)) {
			char *next = line + 7;

			for (char *word; (word = strtok(next, ", \n")); next = NULL, n += 4) {
				u32 value = (u32)strtoull(word, NULL, 10);

				assert_in_range(n + 4, 0, size);
				memcpy(out + n, &value, 4);
			}
		} else if (!strncmp(line, "\t.asciz \"", 9)) {
			char *name = line + 9, *end = strrchr(name, '"');

			assert_in_range(n + (end - name) + 1, 0, size);
			memcpy(out + n, name, end - name);
			n += end - name;
			out[n++] = 0;
		}
	}
	return n;
}

/* Runs the tool on @input; returns its exit status. The table goes into *made, to be freed. */
static int make_table(const char *input, struct kallsyms **made)
{
	char path[] = "/tmp/kallsyms.XXXXXX", command[128];
	FILE *f = fdopen(mkstemp(path), "w");
	u8 table[4096];
	size_t n;
	int status;

	assert_non_null(f);
	fputs(input, f);
	fclose(f);
	snprintf(command, sizeof(command), "python3 tools/kallsyms.py < %s 2>/dev/null", path);
	f = popen(command, "r");
	assert_non_null(f);
	n = assemble(f, table, sizeof(table));
	status = pclose(f);
	remove(path);
	/* Exactly as large as it is, so that ASan sees a read past its end. */
	*made = n ? memcpy(malloc(n), table, n) : NULL;
	return status;
}

static int setup(void **state)
{
	struct kallsyms *made;

	if (make_table(nm_text, &made))
		return -1;
	host_table = *state = made;
	return 0;
}

static int teardown(void **state)
{
	free(*state);
	host_table = NULL;
	return 0;
}

static void expect(unsigned long at, const char *name, unsigned long offset, unsigned long size)
{
	unsigned long got_offset, got_size;
	const char *got = kallsyms_lookup(TEXT + at, &got_offset, &got_size);

	assert_non_null(got);
	assert_string_equal(got, name);
	assert_int_equal(got_offset, offset);
	assert_int_equal(got_size, size);
}

static void address_finds_function(void **state)
{
	expect(0, "first", 0, 0x20);
	expect(0x1f, "first", 0x1f, 0x20);
	expect(0x20, "alias_global", 0, 0x100);
	expect(0x11f, "alias_global", 0xff, 0x100);
	expect(0x120, "again", 0, 0xe0);
	expect(0x205, "again", 5, 0x10);
	expect(0x210, "last", 0, 0xf0);
	expect(0x2ff, "last", 0xef, 0xf0);
	assert_string_equal(kallsyms_lookup(TEXT + 0x130, NULL, NULL), "again");
}

static void address_outside_finds_nothing(void **state)
{
	assert_null(kallsyms_lookup(TEXT + 0x300, NULL, NULL));
	assert_null(kallsyms_lookup(TEXT + 0x1000, NULL, NULL)); /* data are no code */
	assert_null(kallsyms_lookup(TEXT + 0x2000, NULL, NULL));
	assert_null(kallsyms_lookup(TEXT - 1, NULL, NULL));
	assert_null(kallsyms_lookup(0, NULL, NULL));
	assert_null(kallsyms_lookup(-1UL, NULL, NULL));
	/* Not taken for TEXT + 0x20 when cut to 32 bits. */
	assert_null(kallsyms_lookup(TEXT + 0x100000020UL, NULL, NULL));
}

static void name_finds_address(void **state)
{
	assert_int_equal(kallsyms_address("first"), TEXT);
	assert_int_equal(kallsyms_address("alias_weak"), TEXT + 0x20);
	assert_int_equal(kallsyms_address("last"), TEXT + 0x210);
	assert_int_equal(kallsyms_address("read_only"), TEXT + 0x201);
	assert_int_equal(kallsyms_address("data"), TEXT + 0x1000);
	assert_int_equal(kallsyms_address("zeroed.0"), TEXT + 0x1008);
	assert_int_equal(kallsyms_address("empty"), 0);
	assert_int_equal(kallsyms_address("__sched_text_start"), 0);
	assert_int_equal(kallsyms_address("behind"), 0);
	assert_int_equal(kallsyms_address(""), 0);
}

static void entries_are_functions_and_then_data_in_order(void **state)
{
	static const char *const want[] = {
	    "first", "alias_global", "_alias_global", "alias_weak", "alias_local", "again",
	    "again", "last",         "read_only",     "constants",  "data",        "zeroed.0"};
	unsigned long last = 0, address;
	const char *name;
	bool data;
	size_t i;

	for (i = 0; kallsyms_entry(i, &name, &address, &data); i++) {
		assert_in_range(i, 0, ARRAY_SIZE(want) - 1);
		assert_string_equal(name, want[i]);
		assert_int_equal(data, i >= 8);
		assert_true(i == 8 || address >= last);
		last = address;
	}
	assert_int_equal(i, ARRAY_SIZE(want));
}

static void without_table_all_is_unknown(void **state)
{
	unsigned long address;
	const char *name;
	bool data;

	host_table = NULL;
	assert_null(kallsyms_lookup(TEXT, NULL, NULL));
	assert_int_equal(kallsyms_address("first"), 0);
	assert_false(kallsyms_entry(0, &name, &address, &data));
}

static void tool_refuses_other_input(void **state)
{
	struct kallsyms *made;

	assert_int_not_equal(make_table("ffffffff80000000 T _text\n", &made), 0);
	assert_null(made);
	assert_int_not_equal(make_table("", &made), 0);
	assert_int_not_equal(make_table("not a number\n", &made), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup_teardown(address_finds_function, setup, teardown),
	    cmocka_unit_test_setup_teardown(address_outside_finds_nothing, setup, teardown),
	    cmocka_unit_test_setup_teardown(name_finds_address, setup, teardown),
	    cmocka_unit_test_setup_teardown(entries_are_functions_and_then_data_in_order, setup,
					    teardown),
	    cmocka_unit_test(without_table_all_is_unknown),
	    cmocka_unit_test(tool_refuses_other_input),
	};

	return cmocka_run_group_tests_name("kallsyms", tests, NULL, NULL);
}
