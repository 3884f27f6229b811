/* SPDX-License-Identifier: MIT */
/*
 * A terminal: what its keys have been pressed into, and its settings. line.c is the line
 * discipline, console.c the file. Private to kernel/fs.
 */
#pragma once

#include <hotregs/spinlock.h>
#include <hotregs/wait.h>
#include <uapi/termios.h>

#define TTY_LINE_MAX  256  /* bytes of one line, its end included */
#define TTY_INPUT_MAX 1024 /* of input not read yet; a power of two */

struct tty {
	struct spinlock lock; /* guards all but the queue */
	struct uapi_termios termios;
	struct uapi_winsize size;
	pid_t foreground;      /* process group; 0: none */
	pid_t session;         /* that chooses the foreground; 0: the first to do so */
	u8 line[TTY_LINE_MAX]; /* being edited */
	size_t line_size;
	bool literal;             /* the next key is itself: VLNEXT was pressed */
	u16 input[TTY_INPUT_MAX]; /* characters, and what line.c adds to them */
	u32 head, tail;           /* entries ever put in, and taken out */
	u32 lines;                /* ends of lines among them */
	struct wait_queue readable;
};

/* How a terminal is at the beginning. */
#define TTY_TERMIOS_INIT                                                                    \
	{                                                                                   \
		.iflag = UAPI_ICRNL, .oflag = UAPI_OPOST | UAPI_ONLCR, .cflag = UAPI_CFLAG, \
		.lflag = UAPI_ISIG | UAPI_ICANON | UAPI_ECHO | UAPI_ECHOE | UAPI_ECHOK |    \
			 UAPI_ECHOCTL | UAPI_ECHOKE | UAPI_IEXTEN,                          \
		.cc = {                                                                     \
		    [UAPI_VINTR] = 'C' & 0x1f,  [UAPI_VQUIT] = '\\' & 0x1f,                 \
		    [UAPI_VERASE] = 0x7f,       [UAPI_VKILL] = 'U' & 0x1f,                  \
		    [UAPI_VEOF] = 'D' & 0x1f,   [UAPI_VMIN] = 1,                            \
		    [UAPI_VSUSP] = 'Z' & 0x1f,  [UAPI_VWERASE] = 'W' & 0x1f,                \
		    [UAPI_VLNEXT] = 'V' & 0x1f,                                             \
		},                                                                          \
	}

/*
 * All of these are for callers that hold tty->lock. What is echoed goes to console_write().
 *
 * A key was pressed: 0, or the signal that it sends to the foreground. What there is no room for is
 * dropped, and a bell rings.
 */
int tty_press(struct tty *tty, u8 key);
/* Is there something for a reader: with ICANON a line, else a character? */
bool tty_readable(const struct tty *tty);
/*
 * Takes up to @n bytes: with ICANON of one line, whose VEOF key is no part of it, so that on an
 * empty line it gives 0; else of all there are. -EAGAIN: there is nothing.
 */
ssize_t tty_take(struct tty *tty, char *buf, size_t n);
/* How many bytes tty_take() would give, however many were asked for. */
size_t tty_available(const struct tty *tty);
/* Throws away what was pressed. */
void tty_flush_input(struct tty *tty);
/* Takes over new settings; -EINVAL for those that there are not. Readers are to be woken after. */
int tty_set_termios(struct tty *tty, const struct uapi_termios *termios);
/* Writes program output as the settings have it. The lock is not needed. */
void tty_write(const struct tty *tty, const char *s, size_t n);
