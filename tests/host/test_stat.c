/* SPDX-License-Identifier: MIT */
/*
 * What perf stat makes of its counts: of events that had to wait for counters, which no machine of
 * ours makes them do, and of several runs.
 */
#define _GNU_SOURCE /* stderr is assigned to */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../user/perf/stat.h"

static struct counting counting;

static struct counter *add(const char *name, uint32_t type, uint64_t config)
{
	unsigned i = counting.events.nr++;

	snprintf(counting.events.event[i].name, sizeof(counting.events.event[i].name), "%s", name);
	counting.events.event[i].type = type;
	counting.events.event[i].config = config;
	counting.counter[i].supported = true;
	return &counting.counter[i];
}

/* As perf stat takes what it has read. */
static void count_run(struct counter *counter, uint64_t value, uint64_t enabled, uint64_t running)
{
	struct count count = {0};

	count_add(&count, value, enabled, running);
	count_add(&counter->total, value, enabled, running);
	if (count_known(&count))
		mean_add(&counter->mean, count_scaled(&count));
}

static int set_up(void **state)
{
	static char *command[] = {"prog", "1", NULL};

	memset(&counting, 0, sizeof(counting));
	counting.command = command;
	counting.runs = 1;
	return 0;
}

/* What stat_print() writes; to be freed. */
static char *printed(void)
{
	FILE *saved = stderr;
	size_t size;
	char *text;

	stderr = open_memstream(&text, &size);
	stat_print(&counting);
	fclose(stderr);
	stderr = saved;
	return text;
}

static void expect(const char *line)
{
	char *text = printed();

	if (!strstr(text, line))
		fail_msg("no \"%s\" in:\n%s", line, text);
	free(text);
}

static void an_event_that_waited_is_estimated(void **state)
{
	mean_add(&counting.elapsed_ns, 4e6);
	count_run(add("task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK), 2000000, 2000000,
		  2000000);
	count_run(add("cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES), 1000, 2000000,
		  500000);
	expect("Performance counter stats for 'prog 1':\n");
	expect("              2.00 msec task-clock                       #    0.500 CPUs "
	       "utilized\n");
	expect("              4000      cycles                           #    2.000 M/sec"
	       "                    (25.00%)\n");
	expect("       0.004000000 seconds time elapsed\n");
	counting.separator = ",";
	expect("2.00,msec,task-clock,2000000,100.00,0.500,CPUs utilized\n");
	expect("4000,,cycles,500000,25.00,2.000,M/sec\n");
}

static void what_never_ran_is_not_counted(void **state)
{
	mean_add(&counting.elapsed_ns, 1e6);
	count_run(add("cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES), 0, 1000, 0);
	count_run(add("instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS), 0, 0, 0);
	add("branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS)->supported = false;
	expect("     <not counted>      cycles                                               "
	       "                (0.00%)\n");
	expect("     <not counted>      instructions\n");
	expect("   <not supported>      branches\n");
	counting.separator = ";";
	expect("<not counted>;;cycles;0;0.00;;\n");
	expect("<not counted>;;instructions;0;100.00;;\n");
	expect("<not supported>;;branches;0;100.00;;\n");
}

/* Of 90, 100 and 110 the mean is 100, the standard deviation 10, that of the mean 5.77. */
static void runs_have_a_mean_and_its_error(void **state)
{
	struct counter *counter = add("page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);

	counting.runs = 3;
	for (int i = -1; i <= 1; i++) {
		mean_add(&counting.elapsed_ns, 1e9 + i * 1e8);
		count_run(counter, 100 + 10 * i, 1000, 1000);
	}
	expect("'prog 1' (3 runs):\n");
	expect("               100      page-faults                     "
	       "                                     ( +-  5.77% )\n");
	expect("          1.000000 +- 0.057735 seconds time elapsed  ( +-  5.77% )\n");
	counting.separator = ",";
	expect("100,,page-faults,5.77%,1000,100.00,,\n");
}

/* Large numbers that differ a little do so by no more. */
static void errors_are_exact_enough(void **state)
{
	struct mean mean = {0};

	for (int i = 0; i < 1000; i++)
		mean_add(&mean, 1e12 + i % 2);
	assert_true(mean.mean > 1e12 + 0.49 && mean.mean < 1e12 + 0.51);
	assert_true(mean_error_percent(&mean) < 2e-12 && mean_error_percent(&mean) > 1e-12);
}

static void counts_of_cpus_are_added(void **state)
{
	struct count count = {0};

	count_add(&count, 100, 1000, 500);
	count_add(&count, 50, 1000, 1000);
	assert_true(count_scaled(&count) == 150.0 * 2000 / 1500);
	assert_true(count_percent(&count) == 75);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(an_event_that_waited_is_estimated, set_up),
	    cmocka_unit_test_setup(what_never_ran_is_not_counted, set_up),
	    cmocka_unit_test_setup(runs_have_a_mean_and_its_error, set_up),
	    cmocka_unit_test_setup(errors_are_exact_enough, set_up),
	    cmocka_unit_test_setup(counts_of_cpus_are_added, set_up),
	};

	return cmocka_run_group_tests_name("perf stat", tests, NULL, NULL);
}
