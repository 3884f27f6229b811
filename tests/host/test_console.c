/* SPDX-License-Identifier: MIT */
/* kernel/fs/console.c: reading, writing and setting a terminal; keys are pressed while readers
 * sleep. What the keys do: test_line.c. */
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include <hotregs/device.h>
#include <hotregs/fs.h>
#include <hotregs/process.h>
#include <hotregs/sched.h>
#include <hotregs/wait.h>
#include <uapi/signal.h>
#include <uapi/termios.h>

#include <arch/uaccess.h>

static char screen[8192 + 1];
static size_t screen_size;
static size_t signal_after = SIZE_MAX; /* so many bytes the writer gets a signal */
static const char *typed_while_asleep;
static bool kill_while_asleep;
static bool wait_for_timers; /* nobody types, and time passes */
static unsigned late;        /* so many times before somebody types after all */
static bool bad_user_memory;
static struct wait_queue *polled;

void console_write(const char *s, size_t n)
{
	assert_in_range(screen_size + n, 0, sizeof(screen) - 1);
	memcpy(screen + screen_size, s, n);
	screen_size += n;
	screen[screen_size] = '\0';
	if (screen_size >= signal_after)
		current->work = TASK_WORK_SIGNAL;
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

void console_write_raw(const char *s, size_t n)
{
	for (size_t i = 0; i < n; i++)
		console_write(s[i] == '\n' ? "<NL>" : s + i, s[i] == '\n' ? 4 : 1);
}

static pid_t signalled; /* the group that got the last signal, */
static int last_signal; /* and which */

int signal_send_group(pid_t pgid, int signal)
{
	signalled = pgid;
	last_signal = signal;
	return 0;
}

static int background; /* what the caller is told that is not in the foreground */
static int background_signal;

int process_check_foreground(pid_t foreground, int signal)
{
	background_signal = signal;
	return background;
}

static struct process caller = {.sid = 70};
static pid_t ended; /* the session whose leader has */

int process_check_session(pid_t sid)
{
	return !sid || sid == caller.sid || sid == ended ? 0 : -ENOTTY;
}

int process_check_group(pid_t pgid)
{
	return pgid == 77 ? 0 : -EPERM;
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
	const char *keys = late ? NULL : typed_while_asleep;

	assert_true(keys || kill_while_asleep || wait_for_timers); /* or it would sleep for ever */
	if (late)
		late--;
	else
		typed_while_asleep = NULL;
	if (keys)
		type(keys);
	else if (wait_for_timers)
		host_run_timers(host_clock + 50000000, NULL);
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

/* A write of megabytes can be killed; a short one is whole whatever happens. */
static void signals_end_long_writes(void **state)
{
	static char megabytes[4 << 20];

	memset(megabytes, 'm', sizeof(megabytes));
	signal_after = 1;
	assert_int_equal(console_file_ops.write(&blocking, megabytes, 4096), 4096);
	screen_size = 0;
	signal_after = 5000;
	current->work = 0;
	assert_int_equal(console_file_ops.write(&blocking, megabytes, sizeof(megabytes)), 8192);
	assert_int_equal(screen_size, 8192);
	screen_size = 0;
	signal_after = SIZE_MAX;
	current->work = TASK_WORK_EXIT;
	assert_int_equal(console_file_ops.write(&blocking, "x", 1), -EINTR);
	assert_int_equal(screen_size, 0);
	current->work = 0;
	assert_int_equal(console_file_ops.write(&blocking, "x", 1), 1); /* no lock was left held */
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

static long request(unsigned long cmd, void *arg)
{
	return console_file_ops.ioctl(&blocking, cmd, (unsigned long)arg);
}

static struct uapi_termios original;

static void set_raw(u8 min, u8 time)
{
	struct uapi_termios t = original;

	t.iflag = 0;
	t.oflag = 0;
	t.lflag = 0;
	t.cc[UAPI_VMIN] = min;
	t.cc[UAPI_VTIME] = time;
	assert_int_equal(request(UAPI_TCSETS, &t), 0);
}

static void set_original(void)
{
	assert_int_equal(request(UAPI_TCSETSF, &original), 0);
}

static void settings(void **state)
{
	struct uapi_termios t;
	struct uapi_winsize size = {24, 80, 0, 0};
	s32 group = 5, n;

	current->process = &caller;
	assert_int_equal(request(UAPI_TCGETS, &original), 0);
	assert_int_equal(original.cc[UAPI_VINTR], 3);
	t = original;
	t.iflag |= 0x400; /* IXON */
	assert_int_equal(request(UAPI_TCSETS, &t), -EINVAL);
	t = original;
	t.cflag = 0xd;
	assert_int_equal(request(UAPI_TCSETS, &t), -EINVAL);
	assert_int_equal(request(UAPI_TCSBRK, (void *)1), 0);
	assert_int_equal(request(UAPI_TCSBRK, NULL), -EINVAL);
	assert_int_equal(request(UAPI_TCFLSH, (void *)3), -EINVAL);
	assert_int_equal(request(0x1234, NULL), -ENOTTY);
	assert_int_equal(request(UAPI_TIOCSPGRP, &group), -EPERM);
	group = 77;
	assert_int_equal(request(UAPI_TIOCSPGRP, &group), 0);
	assert_int_equal(background_signal, UAPI_SIGTTOU);
	group = 0;
	assert_int_equal(request(UAPI_TIOCGPGRP, &group), 0);
	assert_int_equal(group, 77);
	caller.sid = 71;
	background_signal = 0;
	assert_int_equal(request(UAPI_TIOCSPGRP, &group), -ENOTTY);
	assert_int_equal(background_signal, 0);
	ended = 70;
	assert_int_equal(request(UAPI_TIOCSPGRP, &group), 0);
	ended = 0;
	caller.sid = 70;
	assert_int_equal(request(UAPI_TIOCSPGRP, &group), -ENOTTY);
	caller.sid = 71;
	signalled = 0;
	assert_int_equal(request(UAPI_TIOCSWINSZ, &size), 0);
	assert_int_equal(signalled, 77);
	assert_int_equal(last_signal, UAPI_SIGWINCH);
	signalled = 0;
	assert_int_equal(request(UAPI_TIOCSWINSZ, &size), 0);
	assert_int_equal(signalled, 0); /* it is the one that it was */
	memset(&size, 0, sizeof(size));
	assert_int_equal(request(UAPI_TIOCGWINSZ, &size), 0);
	assert_int_equal(size.columns, 80);
	type("ab\ncd\n");
	assert_int_equal(request(UAPI_FIONREAD, &n), 0);
	assert_int_equal(n, 3);
	assert_int_equal(request(UAPI_TCFLSH, (void *)UAPI_TCIFLUSH), 0);
	expect_nothing();
	bad_user_memory = true;
	assert_int_equal(request(UAPI_TCGETS, &t), -EFAULT);
	assert_int_equal(request(UAPI_TCSETS, &t), -EFAULT);
}

static void keys_send_signals_to_the_foreground(void **state)
{
	type("ab\x03");
	assert_int_equal(signalled, 77);
	assert_int_equal(last_signal, UAPI_SIGINT);
	assert_string_equal(screen, "ab^C");
	type("\x1c");
	assert_int_equal(last_signal, UAPI_SIGQUIT);
	type("x\n"); /* what was typed before is gone */
	expect_read(10, "x\n");
}

static void the_background_waits(void **state)
{
	struct uapi_termios t = original;

	type("a\n");
	background = -EINTR;
	assert_int_equal(console_file_ops.read(&blocking, buf, 10), -EINTR);
	assert_int_equal(background_signal, UAPI_SIGTTIN);
	assert_int_equal(console_file_ops.write(&blocking, "x", 1), 1);
	assert_int_equal(request(UAPI_TCSETS, &original), -EINTR);
	background = 0;
	t.lflag |= UAPI_TOSTOP;
	assert_int_equal(request(UAPI_TCSETS, &t), 0);
	background = -EIO;
	assert_int_equal(console_file_ops.write(&blocking, "x", 1), -EIO);
	assert_int_equal(background_signal, UAPI_SIGTTOU);
	background = 0;
	expect_read(10, "a\n");
	set_original();
}

static void characters_without_lines(void **state)
{
	set_raw(1, 0);
	typed_while_asleep = "a\r\x03";
	expect_read(10, "a\r\x03");
	assert_string_equal(screen, "");
	console_file_ops.write(&blocking, "x\ny", 3);
	assert_string_equal(screen, "x<NL>y");
	set_raw(3, 0); /* three, however many times one has to wait */
	type("ab");
	typed_while_asleep = "c";
	expect_read(10, "abc");
	type("abcd");
	expect_read(2, "ab");
	type("x");
	expect_read(10, "cdx");
	set_original();
}

static void reading_with_a_time_limit(void **state)
{
	set_raw(0, 0);
	expect_read(10, "");
	type("a");
	expect_read(10, "a");
	set_raw(0, 2);
	wait_for_timers = true;
	host_clock = 0;
	expect_read(10, "");
	assert_in_range(host_clock, 200000000, 250000000);
	typed_while_asleep = "b";
	expect_read(10, "b");
	set_raw(5, 1); /* from the first byte on */
	typed_while_asleep = "cd";
	late = 10;
	host_clock = 0;
	expect_read(10, "cd");
	assert_in_range(host_clock, 600000000, 650000000);
	wait_for_timers = false;
	set_original();
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(line_is_echoed_and_read_whole, setup),
	    cmocka_unit_test_setup(reads_end_at_lines, setup),
	    cmocka_unit_test_setup(reader_sleeps_until_a_line_is_there, setup),
	    cmocka_unit_test_setup(end_of_file_key, setup),
	    cmocka_unit_test_setup(what_does_not_fit_rings, setup),
	    cmocka_unit_test_setup(many_lines_pass_through, setup),
	    cmocka_unit_test_setup(poll_tells_input, setup),
	    cmocka_unit_test_setup(long_write_arrives_whole, setup),
	    cmocka_unit_test_setup(signals_end_long_writes, setup),
	    cmocka_unit_test_setup(bad_user_memory_is_told, setup),
	    cmocka_unit_test_setup(settings, setup),
	    cmocka_unit_test_setup(keys_send_signals_to_the_foreground, setup),
	    cmocka_unit_test_setup(the_background_waits, setup),
	    cmocka_unit_test_setup(characters_without_lines, setup),
	    cmocka_unit_test_setup(reading_with_a_time_limit, setup),
	};

	return cmocka_run_group_tests_name("console", tests, NULL, NULL);
}
