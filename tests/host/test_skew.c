/* SPDX-License-Identifier: MIT */
/*
 * kernel/smp/skew.c on two threads, each with a clock that is its own distance from one count. Each
 * look at a clock moves the count, so that nothing here depends on the host's time.
 */
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "../../kernel/smp/skew.h"
#include "host.h"

#include <hotregs/printk.h>

static u64 count;
static _Thread_local s64 offset;
static s64 new_offset; /* the new processor's, at first; in the end, what is left of it */
static bool can_adjust;
static unsigned nr_adjusted;
static char printed[256];

u64 skewed_clock_cycles(void)
{
	return __atomic_add_fetch(&count, 10, __ATOMIC_SEQ_CST) + offset;
}

int skewed_clock_adjust(s64 cycles)
{
	nr_adjusted++;
	if (!can_adjust)
		return -ENOSYS;
	offset += cycles;
	return 0;
}

void printk(const char *fmt, ...)
{
	size_t n = strlen(printed);
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(printed + n, sizeof(printed) - n, fmt, ap);
	va_end(ap);
}

static void *new_processor(void *arg)
{
	offset = new_offset;
	skew_correct();
	new_offset = offset;
	return NULL;
}

static void meet(s64 skew, bool possible)
{
	pthread_t thread;

	new_offset = skew;
	can_adjust = possible;
	nr_adjusted = 0;
	printed[0] = '\0';
	assert_int_equal(pthread_create(&thread, NULL, new_processor, NULL), 0);
	skew_answer(3);
	pthread_join(thread, NULL);
	assert_non_null(strstr(printed, "smp: cpu 3: clock"));
	assert_int_equal(printed[strlen(printed) - 1], '\n');
}

/* A skew that may be none is left alone. */
static void clocks_that_agree(void **state)
{
	unsigned long long most;

	/* The least that a round takes here is 20, and half of it is doubt. */
	for (s64 skew = -5; skew <= 5; skew += 5) {
		meet(skew, true);
		assert_int_equal(nr_adjusted, 0);
		assert_int_equal(
		    sscanf(printed, "smp: cpu 3: clocks agree within %llu cycles\n", &most), 1);
		assert_true(most >= 5 && most <= 20);
		assert_null(strstr(printed, "skew"));
	}
}

static void assert_corrected(s64 skew)
{
	unsigned long long doubt, doubt_left;
	long long found;

	meet(skew, true);
	assert_int_equal(nr_adjusted, 1);
	assert_int_equal(sscanf(printed,
				"smp: cpu 3: clock skew %lld cycles, within %llu; corrected: "
				"clocks agree within %llu cycles\n",
				&found, &doubt, &doubt_left),
			 3);
	assert_true(found - skew <= (s64)doubt && skew - found <= (s64)doubt);
	/* What is left is no more than what was in doubt. */
	assert_true(new_offset <= (s64)doubt && -new_offset <= (s64)doubt);
	assert_true(new_offset <= (s64)doubt_left && -new_offset <= (s64)doubt_left);
}

/* As after a reset that set one clock to zero; and with one that was set to zero before ours. */
static void a_clock_is_corrected(void **state)
{
	assert_corrected(1000);
	assert_corrected(-1000);
	assert_corrected(-1000000000000);
	assert_corrected(1000000000000);
}

static void a_clock_that_cannot_be_corrected_is_told_of(void **state)
{
	meet(-1000000, false);
	assert_int_equal(new_offset, -1000000);
	assert_non_null(strstr(printed, "cannot be corrected"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(clocks_that_agree),
	    cmocka_unit_test(a_clock_is_corrected),
	    cmocka_unit_test(a_clock_that_cannot_be_corrected_is_told_of),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
