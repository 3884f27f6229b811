/* SPDX-License-Identifier: MIT */
/* kernel/fs/line.c: what each key does, and what a reader gets of it. */
#include <stdlib.h>
#include <string.h>

#include "host.h"
#include <hotregs/device.h>
#include <uapi/signal.h>

#include "../../kernel/fs/tty.h"

static struct tty tty;
static char screen[8192];

void console_write(const char *s, size_t n)
{
	strncat(screen, s, n);
}

void console_write_raw(const char *s, size_t n)
{
	strcat(screen, "<raw>");
}

/* Presses @keys; the signal of the last one. */
static int type(const char *keys)
{
	int signal = 0;

	while (*keys)
		signal = tty_press(&tty, *keys++);
	return signal;
}

static void expect_screen(const char *want)
{
	assert_string_equal(screen, want);
	screen[0] = '\0';
}

static void expect_read(const char *want)
{
	char buf[300] = "";

	assert_int_equal(tty_available(&tty), strlen(want));
	assert_int_equal(tty_take(&tty, buf, sizeof(buf) - 1), strlen(want));
	assert_string_equal(buf, want);
}

static void expect_nothing(void)
{
	char c;

	assert_false(tty_readable(&tty));
	assert_int_equal(tty_take(&tty, &c, 1), -EAGAIN);
}

static void set_flags(u32 lflag)
{
	struct uapi_termios t = tty.termios;

	t.lflag = lflag;
	assert_int_equal(tty_set_termios(&tty, &t), 0);
}

#define DEFAULT                                                                         \
	(UAPI_ISIG | UAPI_ICANON | UAPI_ECHO | UAPI_ECHOE | UAPI_ECHOK | UAPI_ECHOCTL | \
	 UAPI_ECHOKE | UAPI_IEXTEN)

static int setup(void **state)
{
	tty = (struct tty){.termios = TTY_TERMIOS_INIT};
	wait_queue_init(&tty.readable);
	screen[0] = '\0';
	assert_int_equal(tty.termios.lflag, DEFAULT);
	return 0;
}

static void erasing(void **state)
{
	type("\x7f"
	     "ab\x7f"
	     "c\b\bd\n");
	expect_screen("ab\b \bc\b \b\b \bd\n");
	expect_read("d\n");
	type("ab\x15"
	     "e\tf\n");
	expect_screen("ab\b \b\b \be f\n");
	expect_read("e\tf\n");
	type("one  two  \x17x\n");
	expect_read("one  x\n");
	type("\x17\x15\n");
	expect_read("\n");
}

static void control_characters_show(void **state)
{
	type("a\x01\x1b\x7f\n");
	expect_screen("a^A^[\b \b\b \b\n");
	expect_read("a\x01\n");
	set_flags(DEFAULT & ~UAPI_ECHOCTL);
	type("\x01\n");
	expect_screen("\x01\n");
	expect_read("\x01\n");
}

static void ways_to_echo(void **state)
{
	set_flags(DEFAULT & ~UAPI_ECHO);
	type("se\x7fx\x15y\n");
	expect_screen("");
	expect_read("y\n");
	set_flags((DEFAULT & ~UAPI_ECHO) | UAPI_ECHONL);
	type("s\n");
	expect_screen("\n");
	expect_read("s\n");
	set_flags(DEFAULT & ~UAPI_ECHOE);
	type("a\x7f"
	     "b\x15");
	expect_screen("a^?b^U\n");
	set_flags(DEFAULT & ~(UAPI_ECHOKE | UAPI_ECHOK));
	type("b\x15");
	expect_screen("b^U");
}

static void the_end_of_file(void **state)
{
	type("\x04");
	assert_true(tty_readable(&tty));
	expect_read("");
	type("part\x04\x04x\n");
	expect_read("part");
	expect_read("");
	expect_read("x\n");
	expect_nothing();
	expect_screen("partx\n");
}

static void signals(void **state)
{
	type("old\nab");
	screen[0] = '\0';
	assert_int_equal(type("\x03"), UAPI_SIGINT);
	expect_screen("^C");
	expect_nothing(); /* input is thrown away, also lines that are finished */
	assert_int_equal(type("\x1c"), UAPI_SIGQUIT);
	assert_int_equal(type("\x1a"), UAPI_SIGTSTP);
	set_flags(DEFAULT | UAPI_NOFLSH);
	type("ab");
	assert_int_equal(type("\x03"), UAPI_SIGINT);
	type("c\n");
	expect_read("abc\n");
	set_flags(DEFAULT & ~UAPI_ISIG);
	assert_int_equal(type("\x03\n"), 0);
	expect_read("\x03\n");
	/* A character 0 is no key, though it can be typed. */
	tty.termios.cc[UAPI_VINTR] = 0;
	set_flags(DEFAULT);
	assert_int_equal(tty_press(&tty, 0), 0);
	assert_int_equal(tty.line_size, 1);
}

static void literal_keys(void **state)
{
	assert_int_equal(type("\x16\x03\x16\x04\x16\n\n"), 0);
	expect_screen("^C^D\n\n");
	expect_read("\x03\x04\n\n"); /* the first newline ends no line */
}

static void returns_and_newlines(void **state)
{
	struct uapi_termios t = tty.termios;

	type("a\r");
	expect_read("a\n");
	t.iflag = UAPI_IGNCR;
	assert_int_equal(tty_set_termios(&tty, &t), 0);
	type("a\rb\n");
	expect_read("ab\n");
	t.iflag = UAPI_INLCR;
	t.cc[UAPI_VEOL] = ';';
	assert_int_equal(tty_set_termios(&tty, &t), 0);
	type("a\n;");
	expect_read("a\r;");
}

static void what_does_not_fit_rings(void **state)
{
	char line[258];

	memset(line, 'a', 256);
	line[256] = '\0';
	type(line); /* one more than there is room for beside the newline */
	assert_int_equal(screen[255], '\a');
	type("\n");
	strcpy(line + 255, "\n");
	expect_read(line);
	for (unsigned i = 0; i < 4; i++)
		type(line);
	screen[0] = '\0';
	type("x\n");
	expect_screen("x\a");
	for (unsigned i = 0; i < 4; i++)
		expect_read(line);
	expect_nothing();
	type("y\n"); /* the refused line was kept */
	expect_read("xy\n");
	set_flags(0);
	for (unsigned i = 0; i < 1024; i++)
		tty_press(&tty, 'r');
	screen[0] = '\0';
	type("r");
	expect_screen("\a");
}

/* Nothing that was typed gets lost between the two ways to read. */
static void changing_in_the_middle(void **state)
{
	type("line\npart");
	set_flags(0);
	expect_read("line\npart");
	type("raw\n");
	set_flags(DEFAULT);
	expect_read("raw\n");
	set_flags(0);
	type("more");
	set_flags(DEFAULT);
	type("x\n");
	expect_read("more");
	expect_read("x\n");
	expect_nothing();
}

static void output(void **state)
{
	struct uapi_termios t = tty.termios;

	tty_write(&tty, "a\n", 2);
	expect_screen("a\n"); /* the console makes CR LF of it */
	t.oflag = 0;
	assert_int_equal(tty_set_termios(&tty, &t), 0);
	tty_write(&tty, "a\n", 2);
	expect_screen("<raw>");
	t.oflag = 0x40;
	assert_int_equal(tty_set_termios(&tty, &t), -EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
	    cmocka_unit_test_setup(erasing, setup),
	    cmocka_unit_test_setup(control_characters_show, setup),
	    cmocka_unit_test_setup(ways_to_echo, setup),
	    cmocka_unit_test_setup(the_end_of_file, setup),
	    cmocka_unit_test_setup(signals, setup),
	    cmocka_unit_test_setup(literal_keys, setup),
	    cmocka_unit_test_setup(returns_and_newlines, setup),
	    cmocka_unit_test_setup(what_does_not_fit_rings, setup),
	    cmocka_unit_test_setup(changing_in_the_middle, setup),
	    cmocka_unit_test_setup(output, setup),
	};

	return cmocka_run_group_tests_name("line", tests, NULL, NULL);
}
