/* SPDX-License-Identifier: MIT */
/* kernel/fs/console.c: line editing, reading lines, writing; keys are pressed while readers sleep.
 */
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include <hotregs/device.h>
#include <hotregs/fs.h>
#include <hotregs/sched.h>
#include <hotregs/wait.h>

#include <arch/uaccess.h>

static char screen[8192];
static size_t screen_size;
static const char *typed_while_asleep;
static bool kill_while_asleep;
static bool bad_user_memory;
static struct wait_queue *polled;

void console_write(const char *s, size_t n)
{
	assert_in_range(screen_size + n, 0, sizeof(screen) - 1);
	memcpy(screen + screen_size, s, n);
	screen_size += n;
	screen[screen_size] = '\0';
}

int copy_to_user(void __user *dst, const void *src, size_t n)
{
	assert_true(irqs_enabled()); /* it may sleep */
	if (bad_user_memory)
		return -EFAULT;
	memcpy(dst, src, n);
	return 0;
}

int copy_from_user(void *dst, const void __user *src, size_t n)
{
	assert_true(irqs_enabled());
	if (bad_user_memory)
		return -EFAULT;
	memcpy(dst, src, n);
	return 0;
}

void poll_wait(struct poll_table *table, struct wait_queue *q)
{
	polled = q;
}

static void type(const char *keys)
{
	irq_disable();
	while (*keys)
		console_input(*keys++);
	irq_enable();
}

void wait_prepare(struct wait_queue *q, struct waiter *w)
{
}

void wait_finish(struct wait_queue *q, struct waiter *w)
{
}

/* What happens while the reader sleeps. */
void schedule(void)
{
	const char *keys = typed_while_asleep;

	assert_true(keys || kill_while_asleep); /* or it would sleep for ever */
	typed_while_asleep = NULL;
	if (keys)
		type(keys);
	current->work = kill_while_asleep ? TASK_WORK_SIGNAL : 0;
}

static struct file blocking, nonblocking = {.flags = UAPI_O_NONBLOCK};
static char buf[2048];

static void expect_read(size_t n, const char *want)
{
	memset(buf, 'x', sizeof(buf));
	assert_int_equal(console_file_ops.read(&blocking, buf, n), strlen(want));
	assert_memory_equal(buf, want, strlen(want));
	assert_int_equal(buf[strlen(want)], 'x');
}

static void expect_nothing(void)
{
	assert_int_equal(console_file_ops.read(&nonblocking, buf, 1), -EAGAIN);
}

static int setup(void **state)
{
	screen_size = 0;
	screen[0] = '\0';
	host_wakeups = 0;
	current->work = 0;
	kill_while_asleep = bad_user_memory = false;
	expect_nothing();
	return 0;
}

static void line_is_echoed_and_read_whole(void **state)
{
	type("hello");
	assert_string_equal(screen, "hello");
	expect_nothing();
	assert_int_equal(host_wakeups, 0);
	type("\r");
	assert_string_equal(screen, "hello\n");
	assert_int_equal(host_wakeups, 1);
	expect_read(100, "hello\n");
	expect_nothing();
}

static void reads_end_at_lines(void **state)
{
	type("one\ntwo\n");
	expect_read(100, "one\n");
	expect_read(2, "tw");
	expect_read(100, "o\n");
	assert_int_equal(console_file_ops.read(&blocking, buf, 0), 0);
}

static void reader_sleeps_until_a_line_is_there(void **state)
{
	typed_while_asleep = "late\n";
	expect_read(100, "late\n");
	kill_while_asleep = true;
	assert_int_equal(console_file_ops.read(&blocking, buf, 1), -EINTR);
	current->work = 0;
}

static void keys_edit_the_line(void **state)
{
	type("\x7f"
	     "ab\x7f"
	     "c\b\bd\n");
	expect_read(100, "d\n");
	assert_string_equal(screen, "ab\b \bc\b \b\b \bd\n");
	screen_size = 0;
	type("ab\x15"
	     "e\x01\x1b\tf\n");
	expect_read(100, "e\tf\n");
	assert_string_equal(screen, "ab\b \b\b \be f\n");
}

static void end_of_file_key(void **state)
{
	type("\x04");
	expect_read(100, "");
	type("part\x04");
	expect_read(100, "part");
	type("four\x04");
	expect_read(4, "four"); /* the key belongs to the line, and is not a second end of file */
	expect_nothing();
	type("\x04x\n");
	expect_read(10, "");
	expect_read(10, "x\n");
}

static void what_does_not_fit_rings(void **state)
{
	char line[257];

	memset(line, 'a', sizeof(line));
	line[256] = '\0';
	type(line); /* one more than there is room for beside the newline */
	assert_int_equal(screen[255], '\a');
	type("\n");
	line[255] = '\n';
	expect_read(1000, line);

	for (unsigned i = 0; i < 4; i++)
		type(line);
	screen_size = 0;
	type("x\n");
	assert_string_equal(screen, "x\a");
	for (unsigned i = 0; i < 4; i++)
		expect_read(1000, line);
	expect_nothing();
	type("y\n"); /* the refused line was kept */
	expect_read(1000, "xy\n");
}

static void many_lines_pass_through(void **state)
{
	for (unsigned i = 0; i < 1000; i++) {
		screen_size = 0;
		type("0123456\n89\n");
		expect_read(100, "0123456\n");
		expect_read(100, "89\n");
	}
}

static void poll_tells_input(void **state)
{
	polled = NULL;
	assert_int_equal(console_file_ops.poll(&blocking, NULL), UAPI_POLLOUT);
	assert_non_null(polled);
	type("a\n");
	assert_int_equal(console_file_ops.poll(&blocking, NULL), UAPI_POLLOUT | UAPI_POLLIN);
	expect_read(10, "a\n");
}

static void long_write_arrives_whole(void **state)
{
	for (size_t i = 0; i < 1000; i++)
		buf[i] = 'a' + i % 26;
	assert_int_equal(console_file_ops.write(&blocking, buf, 1000), 1000);
	assert_int_equal(screen_size, 1000);
	assert_memory_equal(screen, buf, 1000);
	assert_int_equal(console_file_ops.write(&blocking, buf, 0), 0);
}

static void bad_user_memory_is_told(void **state)
{
	type("a\n");
	bad_user_memory = true;
	assert_int_equal(console_file_ops.write(&blocking, buf, 10), -EFAULT);
	assert_int_equal(console_file_ops.read(&blocking, buf, 10), -EFAULT);
	bad_user_memory = false;
	assert_int_equal(console_file_ops.write(&blocking, "b", 1), 1); /* no lock was left held */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(line_is_echoed_and_read_whole, setup),
	    cmocka_unit_test_setup(reads_end_at_lines, setup),
	    cmocka_unit_test_setup(reader_sleeps_until_a_line_is_there, setup),
	    cmocka_unit_test_setup(keys_edit_the_line, setup),
	    cmocka_unit_test_setup(end_of_file_key, setup),
	    cmocka_unit_test_setup(what_does_not_fit_rings, setup),
	    cmocka_unit_test_setup(many_lines_pass_through, setup),
	    cmocka_unit_test_setup(poll_tells_input, setup),
	    cmocka_unit_test_setup(long_write_arrives_whole, setup),
	    cmocka_unit_test_setup(bad_user_memory_is_told, setup),
	};

	return cmocka_run_group_tests_name("console", tests, NULL, NULL);
}
