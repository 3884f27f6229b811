/* SPDX-License-Identifier: MIT */
/*
 * The line discipline: from keys to what programs read. Lines are edited as the keys arrive, in
 * interrupt context; a reader gets whole ones. Section 11 of POSIX's Base Definitions says what
 * each setting does.
 */
#include <hotregs/device.h>
#include <hotregs/string.h>
#include <uapi/signal.h>

#include "tty.h"

#define BELL '\a'

/* In tty->input, beside the character. */
#define LINE_END    0x100 /* a line ends with it */
#define END_OF_FILE 0x200 /* VEOF was pressed here: there is no character */

#define IFLAGS (UAPI_INLCR | UAPI_IGNCR | UAPI_ICRNL)
#define OFLAGS (UAPI_OPOST | UAPI_ONLCR)
#define LFLAGS                                                                         \
	(UAPI_ISIG | UAPI_ICANON | UAPI_ECHO | UAPI_ECHOE | UAPI_ECHOK | UAPI_ECHONL | \
	 UAPI_NOFLSH | UAPI_TOSTOP | UAPI_ECHOCTL | UAPI_ECHOKE | UAPI_IEXTEN)

static bool local(const struct tty *tty, u32 flags)
{
	return (tty->termios.lflag & flags) == flags;
}

/* Is @key the one that has the function of cc[@index]? */
static bool is_key(const struct tty *tty, u8 key, unsigned index)
{
	return key && key == tty->termios.cc[index];
}

/* --- Echo --- */

static void show(const char *s, size_t n)
{
	console_write(s, n);
}

/* Is @c shown as ^X? */
static bool is_control(const struct tty *tty, u8 c)
{
	return local(tty, UAPI_ECHOCTL) && (c < ' ' || c == 0x7f) && c != '\t' && c != '\n';
}

/* Columns that echo() moves on by. */
static unsigned width(const struct tty *tty, u8 c)
{
	return is_control(tty, c) ? 2 : 1;
}

static void echo(const struct tty *tty, u8 c)
{
	const char control[] = {'^', c ^ 0x40}, plain = c == '\t' ? ' ' : c;

	if (!local(tty, UAPI_ECHO) && !(c == '\n' && local(tty, UAPI_ICANON | UAPI_ECHONL)))
		return;
	if (is_control(tty, c))
		show(control, 2);
	else
		show(&plain, 1); /* a tab is one column, so that it can be erased */
}

static void unecho(const struct tty *tty, u8 c)
{
	for (unsigned i = width(tty, c); i; i--)
		show("\b \b", 3);
}

static void ring_bell(void)
{
	show((const char[]){BELL}, 1);
}

/* --- Input --- */

static void put(struct tty *tty, u16 entry)
{
	tty->input[tty->head++ % TTY_INPUT_MAX] = entry;
	tty->lines += (entry & LINE_END) != 0;
}

static u16 take(struct tty *tty)
{
	u16 entry = tty->input[tty->tail++ % TTY_INPUT_MAX];

	tty->lines -= (entry & LINE_END) != 0;
	return entry;
}

static size_t room(const struct tty *tty)
{
	return TTY_INPUT_MAX - (tty->head - tty->tail);
}

/* Hands the edited line over, @end behind it; without room for it, the line stays to be edited. */
static void finish_line(struct tty *tty, u16 end)
{
	if (room(tty) < tty->line_size + 1) {
		ring_bell();
		return;
	}
	for (size_t i = 0; i < tty->line_size; i++)
		put(tty, tty->line[i]);
	put(tty, end | LINE_END);
	tty->line_size = 0;
	if (!(end & END_OF_FILE))
		echo(tty, end);
	wake_up(&tty->readable);
}

static void erase_char(struct tty *tty, u8 key)
{
	if (!tty->line_size)
		return;
	tty->line_size--;
	if (!local(tty, UAPI_ECHO))
		return;
	if (local(tty, UAPI_ECHOE))
		unecho(tty, tty->line[tty->line_size]);
	else
		echo(tty, key);
}

static void erase_word(struct tty *tty, u8 key)
{
	while (tty->line_size && tty->line[tty->line_size - 1] == ' ')
		erase_char(tty, key);
	while (tty->line_size && tty->line[tty->line_size - 1] != ' ')
		erase_char(tty, key);
}

static void kill_line(struct tty *tty, u8 key)
{
	bool vanishes = local(tty, UAPI_ECHO | UAPI_ECHOK | UAPI_ECHOKE | UAPI_ECHOE);

	while (vanishes && tty->line_size)
		erase_char(tty, key);
	if (vanishes)
		return;
	tty->line_size = 0;
	echo(tty, key);
	if (local(tty, UAPI_ECHOK))
		echo(tty, '\n');
}

static void add_char(struct tty *tty, u8 c)
{
	if (tty->line_size == TTY_LINE_MAX - 1) {
		ring_bell();
		return;
	}
	tty->line[tty->line_size++] = c;
	echo(tty, c);
}

/* A key of a line that is being edited. */
static void edit(struct tty *tty, u8 key)
{
	if (key == '\n' || is_key(tty, key, UAPI_VEOL))
		finish_line(tty, key);
	else if (is_key(tty, key, UAPI_VEOF))
		finish_line(tty, END_OF_FILE);
	else if (is_key(tty, key, UAPI_VERASE) || key == '\b') /* terminals differ in this key */
		erase_char(tty, key);
	else if (is_key(tty, key, UAPI_VKILL))
		kill_line(tty, key);
	else if (is_key(tty, key, UAPI_VWERASE) && local(tty, UAPI_IEXTEN))
		erase_word(tty, key);
	else if (is_key(tty, key, UAPI_VLNEXT) && local(tty, UAPI_IEXTEN))
		tty->literal = true;
	else
		add_char(tty, key);
}

/* A key where there are no lines. */
static void pass(struct tty *tty, u8 key)
{
	if (!room(tty)) {
		ring_bell();
		return;
	}
	put(tty, key);
	echo(tty, key);
	wake_up(&tty->readable);
}

static int signal_of(const struct tty *tty, u8 key)
{
	if (!local(tty, UAPI_ISIG))
		return 0;
	if (is_key(tty, key, UAPI_VINTR))
		return UAPI_SIGINT;
	if (is_key(tty, key, UAPI_VQUIT))
		return UAPI_SIGQUIT;
	return is_key(tty, key, UAPI_VSUSP) ? UAPI_SIGTSTP : 0;
}

int tty_press(struct tty *tty, u8 key)
{
	u32 iflag = tty->termios.iflag;
	bool literal = tty->literal;
	int signal;

	tty->literal = false;
	if (literal) {
		add_char(tty, key);
		return 0;
	}
	signal = signal_of(tty, key);
	if (signal) {
		if (!local(tty, UAPI_NOFLSH))
			tty_flush_input(tty);
		echo(tty, key);
		return signal;
	}
	if (key == '\r' && iflag & UAPI_IGNCR)
		return 0;
	if (key == '\r' && iflag & UAPI_ICRNL)
		key = '\n';
	else if (key == '\n' && iflag & UAPI_INLCR)
		key = '\r';
	if (local(tty, UAPI_ICANON))
		edit(tty, key);
	else
		pass(tty, key);
	return 0;
}

void tty_flush_input(struct tty *tty)
{
	tty->line_size = 0;
	tty->tail = tty->head;
	tty->lines = 0;
}

/* --- Reading --- */

bool tty_readable(const struct tty *tty)
{
	return local(tty, UAPI_ICANON) ? tty->lines : tty->head != tty->tail;
}

size_t tty_available(const struct tty *tty)
{
	size_t n = 0;

	if (!tty_readable(tty))
		return 0;
	for (u32 at = tty->tail; at != tty->head; at++) {
		u16 entry = tty->input[at % TTY_INPUT_MAX];

		n += !(entry & END_OF_FILE);
		if (entry & LINE_END && local(tty, UAPI_ICANON))
			break;
	}
	return n;
}

ssize_t tty_take(struct tty *tty, char *buf, size_t n)
{
	size_t taken = 0;

	if (!tty_readable(tty))
		return -EAGAIN;
	while (tty->tail != tty->head) {
		u16 entry = tty->input[tty->tail % TTY_INPUT_MAX];

		if (taken == n && !(entry & END_OF_FILE))
			break;
		take(tty);
		if (!(entry & END_OF_FILE))
			buf[taken++] = entry;
		if (entry & LINE_END && local(tty, UAPI_ICANON))
			break;
	}
	return taken;
}

/* --- Settings --- */

/* What was pressed already does not get lost: part of a line is characters from now on, ... */
static void line_to_characters(struct tty *tty)
{
	for (size_t i = 0; i < tty->line_size; i++) {
		if (room(tty))
			put(tty, tty->line[i]);
		else
			ring_bell();
	}
	tty->line_size = 0;
}

/* ... and characters are a line. */
static void characters_to_line(struct tty *tty)
{
	u16 *last = &tty->input[(tty->head - 1) % TTY_INPUT_MAX];

	if (tty->head == tty->tail || *last & LINE_END)
		return;
	*last |= LINE_END;
	tty->lines++;
}

int tty_set_termios(struct tty *tty, const struct uapi_termios *termios)
{
	bool lines = termios->lflag & UAPI_ICANON, had_lines = local(tty, UAPI_ICANON);

	if (termios->iflag & ~IFLAGS || termios->oflag & ~OFLAGS || termios->lflag & ~LFLAGS ||
	    termios->cflag != UAPI_CFLAG || termios->reserved)
		return -EINVAL;
	if (had_lines && !lines)
		line_to_characters(tty);
	else if (!had_lines && lines)
		characters_to_line(tty);
	tty->literal = false;
	tty->termios = *termios;
	return 0;
}

void tty_write(const struct tty *tty, const char *s, size_t n)
{
	if ((READ_ONCE(tty->termios.oflag) & OFLAGS) == OFLAGS)
		console_write(s, n);
	else
		console_write_raw(s, n);
}
