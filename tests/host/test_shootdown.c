/* SPDX-License-Identifier: MIT */
/* Shootdowns where a flush reaches all processors, but only under the tag of what is loaded. */
#include "host.h"
#include <hotregs/address_space.h>
#include <hotregs/smp.h>

static struct mm mm, other;
struct mmu kernel_mmu;
static unsigned nr_flushed; /* as @mm */
static bool moves;

void mmu_flush(unsigned long start, unsigned long end)
{
	nr_flushed += this_cpu()->loaded_mm == &mm;
}

/* Until it is called, interrupts are on, and who calls may move. */
void smp_call(u32 mask, void (*func)(void *arg), void *arg)
{
	struct cpu *here = this_cpu();

	if (moves) {
		cpus[0].loaded_mm = cpus[1].loaded_mm = &other;
		cpus[2].loaded_mm = &mm;
		here = &cpus[2];
	}
	host_smp_calls++;
	for (u32 id = 0; id < 3; id++) {
		if (!(mask & CPU_MASK(id)))
			continue;
		host_run_as(&cpus[id], current);
		func(arg);
	}
	host_run_as(here, current);
}

static void who_flushes_may_move(void **state)
{
	nr_cpus = 3;
	for (u32 id = 0; id < nr_cpus; id++)
		cpus[id].id = id;
	for (int i = 0; i < 2; i++) {
		moves = i;
		nr_flushed = host_smp_calls = 0;
		cpus[0].loaded_mm = cpus[1].loaded_mm = &mm;
		cpus[2].loaded_mm = NULL;
		host_run_as(&cpus[0], current);
		mm_flush(&mm, USER_START, USER_END);
		assert_true(nr_flushed > 0);
		assert_int_equal(host_smp_calls, 1);
	}
}

/* Whose space nobody has loaded has nothing to flush. */
static void nobody_has_it(void **state)
{
	nr_flushed = host_smp_calls = 0;
	for (u32 id = 0; id < nr_cpus; id++)
		cpus[id].loaded_mm = &other;
	mm_flush(&mm, USER_START, USER_END);
	assert_int_equal(host_smp_calls, 0);
	assert_int_equal(nr_flushed, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(who_flushes_may_move),
	    cmocka_unit_test(nobody_has_it),
	};

	return cmocka_run_group_tests_name("shootdown", tests, NULL, NULL);
}
