/* SPDX-License-Identifier: MIT */
/* kernel/proc/credentials.c: who may change into whom, and who is served with the last memory. */
#include "../../kernel/proc/proc.h"
#include "host.h"

#include <hotregs/syscalls.h>

static struct process first, other;
struct process *init_process = &first;

static int setup(void **state)
{
	first.uid = other.uid = 0;
	current->process = &other;
	return 0;
}

static void privilege_does_not_come_back(void **state)
{
	assert_true(process_privileged());
	assert_int_equal(sys_setuid(UAPI_UID_MAX + 1), -EINVAL);
	assert_int_equal(sys_setuid(1000), 0);
	assert_false(process_privileged());
	assert_int_equal(sys_getuid(), 1000);
	assert_int_equal(sys_setuid(1000), 0);
	assert_int_equal(sys_setuid(0), -EPERM);
	assert_int_equal(sys_setuid(1001), -EPERM);
	assert_int_equal(sys_getuid(), 1000);
}

static void claims(void **state)
{
	assert_int_equal(process_claim(), CLAIM_PRIVILEGED);
	other.uid = 1000;
	assert_int_equal(process_claim(), CLAIM_USER);
	current->process = &first;
	assert_int_equal(process_claim(), CLAIM_SYSTEM);
	current->process = NULL; /* a kernel thread */
	assert_int_equal(process_claim(), CLAIM_SYSTEM);
	host_run_as(host_cpu, NULL); /* start-up */
	assert_int_equal(process_claim(), CLAIM_SYSTEM);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(privilege_does_not_come_back, setup),
	    cmocka_unit_test_setup(claims, setup),
	};

	return cmocka_run_group_tests_name("credentials", tests, NULL, NULL);
}
