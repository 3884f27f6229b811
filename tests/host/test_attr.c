/* SPDX-License-Identifier: MIT */
/*
 * perf_event_attr: every bit and field is done or refused as docs/abi.md says, and structures of
 * every size are copied as perf_event_open(2) says.
 */
#include "../../kernel/perf/event.h"
#include "abi_page.h"
#include "host.h"
#include <hotregs/mm.h>
#include <hotregs/string.h>

void perf_callchain_kernel(struct callchain *chain, const struct pt_regs *regs)
{
}

void perf_callchain_user(struct callchain *chain, const struct pt_regs *regs)
{
}

const u64 perf_reg_mask = 0xff0fff;
const u32 perf_reg_abi = PERF_SAMPLE_REGS_ABI_64;

u64 perf_reg_value(const struct pt_regs *regs, unsigned nr)
{
	return 0;
}

size_t copy_from_user_nofault(void *dst, unsigned long src, size_t n)
{
	return 0;
}

bool mmu_lookup(const struct mmu *mmu, unsigned long va, phys_addr_t *pa, unsigned *prot)
{
	return false;
}

static struct perf_event_attr plain(void)
{
	return (struct perf_event_attr){.type = PERF_TYPE_SOFTWARE,
					.size = sizeof(struct perf_event_attr),
					.config = PERF_COUNT_SW_CONTEXT_SWITCHES,
					.sample_period = 1};
}

/* --- The tables of docs/abi.md --- */

static int errno_of(const char *result)
{
	static const struct {
		const char *name;
		int err;
	} names[] = {{"done", 0}, {"EINVAL", -EINVAL}, {"EOPNOTSUPP", -EOPNOTSUPP}};

	for (size_t i = 0; i < ARRAY_SIZE(names); i++)
		if (!strncmp(result, names[i].name, strlen(names[i].name)))
			return names[i].err;
	fail_msg("docs/abi.md: result '%s'", result);
	return 0;
}

#define FLAGS_OFFSET (offsetof(struct perf_event_attr, read_format) + sizeof(u64))

static void flags_are_as_documented(void **state)
{
	struct row rows[64];
	size_t n = read_table("Attribute flags", rows, ARRAY_SIZE(rows));

	assert_int_equal(n, 38);
	for (unsigned bit = 0; bit < 64; bit++) {
		struct perf_event_attr attr = plain();
		u64 flags = 1ULL << bit;

		memcpy((u8 *)&attr + FLAGS_OFFSET, &flags, sizeof(flags));
		/* Which threads inherit says nothing when none does. */
		if (attr.inherit_thread) {
			assert_int_equal(perf_attr_check(&attr), -EINVAL);
			attr.inherit = 1;
		}
		if (bit < n)
			assert_int_equal(atoi(rows[bit].key), bit);
		if (perf_attr_check(&attr) != (bit < n ? errno_of(rows[bit].result) : -EINVAL))
			fail_msg("flag %u: %d", bit, perf_attr_check(&attr));
	}
}

static void sample_type_is_as_documented(void **state)
{
	struct row rows[64];
	size_t n = read_table("sample_type", rows, ARRAY_SIZE(rows));

	assert_int_equal(1U << n, PERF_SAMPLE_MAX);
	for (unsigned bit = 0; bit < 64; bit++) {
		struct perf_event_attr attr = plain();

		attr.sample_type = 1ULL << bit;
		/* Whose bit wants its field too. */
		attr.sample_regs_user = attr.sample_type == PERF_SAMPLE_REGS_USER;
		attr.sample_regs_intr = attr.sample_type == PERF_SAMPLE_REGS_INTR;
		if (bit < n)
			assert_int_equal(atoi(rows[bit].key), bit);
		if (perf_attr_check(&attr) != (bit < n ? errno_of(rows[bit].result) : -EINVAL))
			fail_msg("sample_type %u: %d", bit, perf_attr_check(&attr));
	}
}

static void read_format_is_as_documented(void **state)
{
	struct row rows[64];
	size_t n = read_table("read_format and read", rows, ARRAY_SIZE(rows));

	assert_int_equal(1U << n, PERF_FORMAT_MAX);
	for (unsigned bit = 0; bit < 64; bit++) {
		struct perf_event_attr attr = plain();

		attr.read_format = 1ULL << bit;
		if (bit < n)
			assert_int_equal(atoi(rows[bit].key), bit);
		assert_int_equal(perf_attr_check(&attr),
				 bit < n ? errno_of(rows[bit].result) : -EINVAL);
	}
}

#define FIELD(f)                                        \
	{                                               \
#f, offsetof(struct perf_event_attr, f) \
	}

static void fields_are_as_documented(void **state)
{
	static const struct {
		const char *name;
		size_t offset;
	} fields[] = {FIELD(bp_type),
		      FIELD(config1),
		      FIELD(config2),
		      FIELD(config3),
		      FIELD(branch_sample_type),
		      FIELD(sample_regs_user),
		      FIELD(sample_stack_user),
		      FIELD(clockid),
		      FIELD(sample_regs_intr),
		      FIELD(aux_watermark),
		      FIELD(aux_sample_size),
		      FIELD(sig_data),
		      FIELD(wakeup_events),
		      FIELD(sample_max_stack)};
	struct row rows[64];
	size_t n = read_table("Attribute fields", rows, ARRAY_SIZE(rows));

	for (size_t i = 0; i < ARRAY_SIZE(fields); i++) {
		struct perf_event_attr attr = plain();
		size_t row = 0;

		((u8 *)&attr)[fields[i].offset] = 8;
		if (strstr(fields[i].name, "sample_regs") || strstr(fields[i].name, "sample_stack"))
			attr.sample_type = SAMPLE_STATE;
		if (attr.sample_type && !attr.sample_regs_user)
			attr.sample_regs_user = 1;
		if (attr.sample_type && !attr.sample_regs_intr)
			attr.sample_regs_intr = 1;
		while (row < n && !strstr(rows[row].key, fields[i].name))
			row++;
		if (row == n)
			fail_msg("docs/abi.md has no field %s", fields[i].name);
		/* This table has two columns before the remark. */
		if (perf_attr_check(&attr) != errno_of(rows[row].name))
			fail_msg("%s: %d", fields[i].name, perf_attr_check(&attr));
	}
}

/* --- What is not a bit --- */

static void reserved_fields_are_refused(void **state)
{
	struct perf_event_attr attr = plain();

	attr.__reserved_2 = 1;
	assert_int_equal(perf_attr_check(&attr), -EINVAL);
	attr = plain();
	attr.__reserved_3 = 1;
	assert_int_equal(perf_attr_check(&attr), -EINVAL);
}

static void unknown_events_do_not_exist(void **state)
{
	static const u8 known[] = {0, 1, 2, 3, 4, 5, 6, 9};
	struct perf_event_attr attr = plain();

	for (attr.type = 0; attr.type < 100; attr.type++)
		if (attr.type != PERF_TYPE_SOFTWARE)
			assert_int_equal(perf_attr_check(&attr), -ENOENT);
	attr.type = PERF_TYPE_SOFTWARE;
	attr.sample_period = 100000;
	for (attr.config = 0; attr.config < 300; attr.config++)
		assert_int_equal(
		    perf_attr_check(&attr),
		    attr.config < 10 && memchr(known, attr.config, sizeof(known)) ? 0 : -ENOENT);
	attr.config = 1ULL << 32 | PERF_COUNT_SW_DUMMY;
	assert_int_equal(perf_attr_check(&attr), -ENOENT);
}

static void contraries_are_refused(void **state)
{
	struct perf_event_attr attr = plain();

	attr.remove_on_exec = attr.enable_on_exec = 1;
	assert_int_equal(perf_attr_check(&attr), -EINVAL);
	attr = plain();
	attr.sample_type = PERF_SAMPLE_READ;
	attr.inherit = 1;
	assert_int_equal(perf_attr_check(&attr), -EINVAL);
	attr.sample_type |= PERF_SAMPLE_TID;
	assert_int_equal(perf_attr_check(&attr), 0);
}

static void periods_and_frequencies_have_limits(void **state)
{
	struct perf_event_attr attr = plain();

	attr.sample_period = 1ULL << 63;
	assert_int_equal(perf_attr_check(&attr), -EINVAL);
	attr.sample_period--;
	assert_int_equal(perf_attr_check(&attr), 0);
	attr.freq = 1;
	attr.sample_freq = 100001;
	assert_int_equal(perf_attr_check(&attr), -EINVAL);
	attr.sample_freq = 100000;
	assert_int_equal(perf_attr_check(&attr), 0);
	attr = plain();
	attr.config = PERF_COUNT_SW_CPU_CLOCK;
	attr.sample_period = 9999;
	assert_int_equal(perf_attr_check(&attr), -EINVAL);
	attr.sample_period = 10000;
	assert_int_equal(perf_attr_check(&attr), 0);
}

/* By Linux's numbers. */
static void clocks_are_those_that_exist(void **state)
{
	static const int exist[] = {0, 1, 4, 7};

	for (int id = -3; id < 20; id++) {
		struct perf_event_attr attr = plain();
		bool known = false;

		for (size_t i = 0; i < ARRAY_SIZE(exist); i++)
			known |= exist[i] == id;
		attr.clockid = id;
		assert_int_equal(perf_attr_check(&attr), id ? -EINVAL : 0);
		attr.use_clockid = 1;
		assert_int_equal(perf_attr_check(&attr), known ? 0 : -EINVAL);
	}
}

static void stack_depth_has_a_limit(void **state)
{
	struct perf_event_attr attr = plain();

	attr.sample_max_stack = PERF_MAX_STACK_DEPTH;
	assert_int_equal(perf_attr_check(&attr), 0);
	attr.sample_max_stack++;
	assert_int_equal(perf_attr_check(&attr), -EOVERFLOW);
}

/* Registers there are, and only where sample_type asks for them. */
static void registers_are_checked(void **state)
{
	for (unsigned bit = 0; bit < 64; bit++) {
		int expected = perf_reg_mask >> bit & 1 ? 0 : -EINVAL;
		struct perf_event_attr attr = plain();

		attr.sample_type = PERF_SAMPLE_REGS_USER;
		attr.sample_regs_user = 1ULL << bit;
		assert_int_equal(perf_attr_check(&attr), expected);
		attr.sample_regs_user |= 1;
		assert_int_equal(perf_attr_check(&attr), expected);
		attr.sample_type = 0;
		assert_int_equal(perf_attr_check(&attr), -EINVAL);
		attr = plain();
		attr.sample_type = PERF_SAMPLE_REGS_INTR;
		attr.sample_regs_intr = 1ULL << bit;
		assert_int_equal(perf_attr_check(&attr), expected);
		attr.sample_type = PERF_SAMPLE_REGS_USER;
		assert_int_equal(perf_attr_check(&attr), -EINVAL);
	}
}

static void stack_size_is_checked(void **state)
{
	static const struct {
		u32 size;
		int result;
	} rows[] = {{0, 0},
		    {8, 0},
		    {65528, 0},
		    {1, -EINVAL},
		    {12, -EINVAL},
		    {65535, -EINVAL},
		    {65536, -EINVAL},
		    {1U << 31, -EINVAL},
		    {UINT32_MAX, -EINVAL}};

	for (size_t i = 0; i < ARRAY_SIZE(rows); i++) {
		struct perf_event_attr attr = plain();

		attr.sample_stack_user = rows[i].size;
		assert_int_equal(perf_attr_check(&attr), rows[i].size ? -EINVAL : 0);
		attr.sample_type = PERF_SAMPLE_STACK_USER;
		assert_int_equal(perf_attr_check(&attr), rows[i].result);
	}
}

static void counting_clocks_measure_no_modes(void **state)
{
	struct perf_event_attr attr = plain();

	attr.config = PERF_COUNT_SW_TASK_CLOCK;
	attr.sample_period = 0;
	assert_int_equal(perf_attr_check(&attr), 0);
	attr.exclude_idle = 1;
	assert_int_equal(perf_attr_check(&attr), 0);
	attr.exclude_user = 1;
	assert_int_equal(perf_attr_check(&attr), -EOPNOTSUPP);
	attr.exclude_user = 0;
	attr.exclude_kernel = 1;
	assert_int_equal(perf_attr_check(&attr), -EOPNOTSUPP);
	attr.sample_period = 100000;
	assert_int_equal(perf_attr_check(&attr), 0);
}

/* --- Sizes --- */

/* A program's structure: exactly @size bytes, so that ASan sees one read too many. */
static u8 *user_attr(u32 said, size_t size)
{
	u8 *u = malloc(size);

	memset(u, 0, size);
	memcpy(u + offsetof(struct perf_event_attr, size), &said, sizeof(said));
	memcpy(u, &(u32){PERF_TYPE_SOFTWARE}, sizeof(u32));
	return u;
}

static u32 said_size(const u8 *u)
{
	u32 size;

	memcpy(&size, u + offsetof(struct perf_event_attr, size), sizeof(size));
	return size;
}

static void every_size_is_copied(void **state)
{
	for (u32 size = PERF_ATTR_SIZE_VER0; size <= PAGE_SIZE; size++) {
		struct perf_event_attr attr;
		u8 *u = user_attr(size, size);

		memset(&attr, 0xff, sizeof(attr));
		if (size < sizeof(attr))
			u[size - 1] = 0x5a;
		assert_int_equal(perf_attr_copy(&attr, (struct perf_event_attr *)u), 0);
		assert_int_equal(attr.type, PERF_TYPE_SOFTWARE);
		assert_int_equal(attr.size, size);
		if (size < sizeof(attr))
			assert_int_equal(((u8 *)&attr)[size - 1], 0x5a);
		for (u32 i = size; i < sizeof(attr); i++)
			assert_int_equal(((u8 *)&attr)[i], 0);
		free(u);
	}
}

static void size_zero_is_the_first_version(void **state)
{
	struct perf_event_attr attr;
	u8 *u = user_attr(0, PERF_ATTR_SIZE_VER0);

	assert_int_equal(perf_attr_copy(&attr, (struct perf_event_attr *)u), 0);
	assert_int_equal(attr.size, PERF_ATTR_SIZE_VER0);
	free(u);
}

static void wrong_sizes_are_answered_with_ours(void **state)
{
	static const u32 wrong[] = {1, 8, 63, PAGE_SIZE + 1, 0x80000000, 0xffffffff};

	for (size_t i = 0; i < ARRAY_SIZE(wrong); i++) {
		struct perf_event_attr attr;
		u8 *u = user_attr(wrong[i], PERF_ATTR_SIZE_VER0);

		assert_int_equal(perf_attr_copy(&attr, (struct perf_event_attr *)u), -E2BIG);
		assert_int_equal(said_size(u), sizeof(attr));
		free(u);
	}
}

/* A newer program may use a longer structure, as long as it asks for nothing new. */
static void bits_beyond_ours_are_refused(void **state)
{
	for (u32 at = sizeof(struct perf_event_attr); at < 400; at++) {
		struct perf_event_attr attr;
		u8 *u = user_attr(400, 400);

		u[at] = 1;
		assert_int_equal(perf_attr_copy(&attr, (struct perf_event_attr *)u), -E2BIG);
		assert_int_equal(said_size(u), sizeof(attr));
		free(u);
	}
}

static void bad_pointers_are_faults(void **state)
{
	/* The size, the structure, two pieces of the rest. */
	static const size_t readable[] = {0, 4, 4 + 136, 4 + 136 + 64};

	for (size_t i = 0; i < ARRAY_SIZE(readable); i++) {
		struct perf_event_attr attr;
		u8 *u = user_attr(300, 300);

		host_user_limit = readable[i];
		assert_int_equal(perf_attr_copy(&attr, (struct perf_event_attr *)u), -EFAULT);
		host_user_limit = SIZE_MAX;
		free(u);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(flags_are_as_documented),
	    cmocka_unit_test(sample_type_is_as_documented),
	    cmocka_unit_test(read_format_is_as_documented),
	    cmocka_unit_test(fields_are_as_documented),
	    cmocka_unit_test(reserved_fields_are_refused),
	    cmocka_unit_test(unknown_events_do_not_exist),
	    cmocka_unit_test(contraries_are_refused),
	    cmocka_unit_test(periods_and_frequencies_have_limits),
	    cmocka_unit_test(clocks_are_those_that_exist),
	    cmocka_unit_test(stack_depth_has_a_limit),
	    cmocka_unit_test(registers_are_checked),
	    cmocka_unit_test(stack_size_is_checked),
	    cmocka_unit_test(counting_clocks_measure_no_modes),
	    cmocka_unit_test(every_size_is_copied),
	    cmocka_unit_test(size_zero_is_the_first_version),
	    cmocka_unit_test(wrong_sizes_are_answered_with_ours),
	    cmocka_unit_test(bits_beyond_ours_are_refused),
	    cmocka_unit_test(bad_pointers_are_faults),
	};

	return cmocka_run_group_tests_name("perf attributes", tests, NULL, NULL);
}
