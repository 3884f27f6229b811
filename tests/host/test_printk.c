/* SPDX-License-Identifier: MIT */
/* kernel/debug/printk.c: what was printed before the first console, line ends, long messages. */
#include <stdio.h>
#include <string.h>

#include "host.h"
#include <hotregs/device.h>
#include <hotregs/printk.h>

#define EARLY_SIZE 4096

static char out[3][16384];
static size_t size[3];

static void put(unsigned i, const char *s, size_t n)
{
	assert_in_range(size[i] + n, 0, sizeof(out[i]) - 1);
	memcpy(out[i] + size[i], s, n);
	size[i] += n;
	out[i][size[i]] = '\0';
}

void early_console_write(const char *s, size_t n)
{
	put(0, s, n);
}

static void write1(const char *s, size_t n)
{
	put(1, s, n);
}

static void write2(const char *s, size_t n)
{
	put(2, s, n);
}

static unsigned drained;

static void drain(void)
{
	drained++;
}

static struct console first = {.name = "first", .write = write1};
static struct console second = {.name = "second", .write = write2, .drain = drain};

/* The order of the tests is that of one boot. */
static void newest_early_text_is_replayed_to_each(void **state)
{
	char all[20000], want[20000];
	size_t n = 0, w = 0;

	for (unsigned i = 0; i < 700; i++) {
		printk("line %u\n", i);
		n += snprintf(all + n, sizeof(all) - n, "line %u\n", i);
	}
	assert_true(n > EARLY_SIZE);
	for (const char *c = all + n - EARLY_SIZE; *c; c++) {
		if (*c == '\n')
			want[w++] = '\r';
		want[w++] = *c;
	}
	want[w] = '\0';
	console_register(&first);
	assert_string_equal(out[1], want);
	printk("not early\n");
	console_register(&second);
	assert_string_equal(out[2], want);
}

static void every_console_gets_every_message(void **state)
{
	size[1] = size[2] = 0;
	printk("a\nb%d\n\n", 1);
	assert_string_equal(out[1], "a\r\nb1\r\n\r\n");
	assert_string_equal(out[2], out[1]);
	size[1] = 0;
	printk("no end");
	printk("%s", "");
	assert_string_equal(out[1], "no end");
}

static void long_message_is_not_cut(void **state)
{
	char text[1000];

	memset(text, 'q', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	size[1] = 0;
	printk("%s%s", text, text);
	assert_int_equal(size[1], 2 * strlen(text));
	assert_int_equal(strspn(out[1], "q"), 2 * strlen(text));
}

static void all_that_can_are_drained(void **state)
{
	console_drain();
	assert_int_equal(drained, 1);
}

static void early_console_is_for_want_of_another(void **state)
{
	console_flush_early();
	printk("x");
	assert_int_equal(size[0], 0);
}

/* A console in whose middle something else is printed, once, by @intruder. */
static struct cpu *intruder;

static void write3(const char *s, size_t n)
{
	struct cpu *owner = host_cpu, *other = intruder;

	intruder = NULL;
	if (other) {
		host_run_as(other, current);
		printk("stop");
		host_run_as(owner, current);
	}
	put(2, s, n);
}

/* An NMI of the CPU whose turn it is, and a CPU that has waited for too long, come through. */
static void nobody_waits_for_ever(void **state)
{
	static struct console third = {.name = "third", .write = write3};

	cpus[1].id = 1;
	nr_cpus = 2;
	console_register(&third);
	for (int id = 0; id < 2; id++) {
		size[2] = 0;
		host_run_as(&cpus[0], current);
		intruder = &cpus[id];
		printk("line");
		assert_string_equal(out[2] + size[2] - 16, "stopstoplineline");
		printk("more"); /* nothing is left taken */
		assert_string_equal(out[2] + size[2] - 8, "moremore");
	}
	nr_cpus = 1;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test(newest_early_text_is_replayed_to_each),
	    cmocka_unit_test(every_console_gets_every_message),
	    cmocka_unit_test(long_message_is_not_cut),
	    cmocka_unit_test(all_that_can_are_drained),
	    cmocka_unit_test(early_console_is_for_want_of_another),
	    cmocka_unit_test(nobody_waits_for_ever),
	};

	return cmocka_run_group_tests_name("printk", tests, NULL, NULL);
}
