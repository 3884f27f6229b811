/* SPDX-License-Identifier: MIT */
/* Our perf_event header against the distribution's: the same layout, the same numbers. */
#include <linux/hw_breakpoint.h>
#include <linux/perf_event.h>

#include "host.h"

#define ABI_LIST abi_list_theirs
#include "abi_list.h"

extern const size_t abi_attr_size_ours, abi_config3_offset_ours;

static void values_are_equal(void **state)
{
	static struct abi_value ours[ABI_VALUES_MAX], theirs[ABI_VALUES_MAX];
	size_t n = abi_list_ours(ours);

	assert_true(n <= ABI_VALUES_MAX);
	assert_int_equal(abi_list_theirs(theirs), n);
	for (size_t i = 0; i < n; i++) {
		assert_string_equal(ours[i].what, theirs[i].what);
		if (ours[i].value != theirs[i].value)
			fail_msg("%s: ours 0x%llx, theirs 0x%llx", ours[i].what, ours[i].value,
				 theirs[i].value);
	}
}

/* Each version of the structure is the beginning of the next. */
static void attr_knows_all_versions(void **state)
{
	assert_int_equal(abi_attr_size_ours, 136);
	assert_int_equal(abi_config3_offset_ours, PERF_ATTR_SIZE_VER7);
#ifdef PERF_ATTR_SIZE_VER8
	assert_int_equal(PERF_ATTR_SIZE_VER8, 136);
	assert_int_equal(offsetof(struct perf_event_attr, config3), abi_config3_offset_ours);
#else
	assert_int_equal(sizeof(struct perf_event_attr), PERF_ATTR_SIZE_VER7);
#endif
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(values_are_equal),
	    cmocka_unit_test(attr_knows_all_versions),
	};

	return cmocka_run_group_tests_name("perf ABI", tests, NULL, NULL);
}
