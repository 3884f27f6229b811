/* SPDX-License-Identifier: MIT */
/*
 * /dev/console, alias /dev/tty: the machine's one terminal. Text goes to every console, and keys
 * come from them. line.c makes lines of the keys.
 */
#include <hotregs/cpu.h>
#include <hotregs/device.h>
#include <hotregs/fs.h>
#include <hotregs/process.h>
#include <hotregs/signal.h>
#include <hotregs/string.h>
#include <hotregs/time.h>

#include <arch/uaccess.h>

#include "tty.h"

static struct tty console = {.lock = SPINLOCK_INIT,
			     .termios = TTY_TERMIOS_INIT,
			     .readable = WAIT_QUEUE_INIT(console.readable)};

void console_input(char c)
{
	unsigned long flags = spin_lock_irqsave(&console.lock);
	int signal = tty_press(&console, c);
	pid_t foreground = console.foreground;

	spin_unlock_irqrestore(&console.lock, flags);
	if (signal && foreground)
		signal_send_group(foreground, signal);
}

static bool readable(void)
{
	unsigned long flags = spin_lock_irqsave(&console.lock);
	bool is = tty_readable(&console);

	spin_unlock_irqrestore(&console.lock, flags);
	return is;
}

/* May the caller do what the background may not? If not, its group has got @signal. */
static int check_foreground(int signal)
{
	return process_check_foreground(READ_ONCE(console.foreground), signal);
}

/* --- Reading --- */

/* The end of a reader's patience: VTIME. */
struct read_timeout {
	struct timer timer;
	bool expired;
};

static void read_expired(struct timer *timer, struct pt_regs *regs)
{
	struct read_timeout *t = container_of(timer, struct read_timeout, timer);

	WRITE_ONCE(t->expired, true);
	wake_up(&console.readable);
}

/* Waits for input, @tenths tenths of a second (0: for ever). -EINTR, -ETIMEDOUT. */
static int wait_for_input(unsigned tenths)
{
	struct read_timeout t = {.expired = false};
	int err;

	if (!tenths)
		return wait_event(&console.readable, readable());
	timer_init(&t.timer, read_expired);
	timer_arm(&t.timer, clock_ns() + tenths * 100000000ULL);
	err = wait_event(&console.readable, readable() || READ_ONCE(t.expired));
	timer_cancel(&t.timer);
	return err ?: readable() ? 0 : -ETIMEDOUT;
}

/* Up to @n bytes that are there; what a read has to wait for goes to *@min (1: a line, or one byte)
 * and *@tenths. -EAGAIN: there is nothing. */
static ssize_t take(char *buf, size_t n, unsigned *min, unsigned *tenths)
{
	unsigned long flags = spin_lock_irqsave(&console.lock);
	const struct uapi_termios *t = &console.termios;
	ssize_t taken = tty_take(&console, buf, n);

	*min = t->lflag & UAPI_ICANON ? 1 : t->cc[UAPI_VMIN];
	*tenths = t->lflag & UAPI_ICANON ? 0 : t->cc[UAPI_VTIME];
	spin_unlock_irqrestore(&console.lock, flags);
	return taken;
}

/* Reads a line, or as many bytes as VMIN and VTIME say (POSIX's Base Definitions, 11.1.7). */
static ssize_t read_input(char *buf, size_t n)
{
	size_t done = 0;
	int err = 0;

	while (!err) {
		unsigned min, tenths;
		ssize_t taken = take(buf + done, n - done, &min, &tenths);

		done += MAX(taken, 0);
		/* A taken 0 is the end of the file; and a VMIN of 0 asks what there is. */
		if (taken == 0 || done >= MIN(min, n))
			if (done || taken == 0 || !tenths)
				break;
		/* VTIME runs between bytes, or without VMIN from the beginning. */
		err = wait_for_input(min && !done ? 0 : tenths);
	}
	if (err == -ETIMEDOUT)
		err = 0;
	return done ? (ssize_t)done : err;
}

static ssize_t console_read(struct file *f, void __user *buf, size_t n)
{
	char line[TTY_LINE_MAX];
	unsigned min, tenths;
	ssize_t taken;
	int err;

	if (!n)
		return 0;
	n = MIN(n, sizeof(line));
	err = check_foreground(UAPI_SIGTTIN);
	if (err)
		return err;
	taken = f->flags & UAPI_O_NONBLOCK ? take(line, n, &min, &tenths) : read_input(line, n);
	if (taken <= 0)
		return taken;
	err = copy_to_user(buf, line, taken);
	return err ? err : taken;
}

/* --- Writing --- */

#define WHOLE_MAX 4096 /* bytes of a write that nothing comes between, as with PIPE_BUF */

/* Writes up to WHOLE_MAX bytes in one piece: how many, or -EFAULT, or -EINTR when the caller was
 * killed while it waited for others. */
static ssize_t write_whole(const char __user *buf, size_t n)
{
	static struct mutex whole_writes = MUTEX_INIT(whole_writes);
	char part[TTY_LINE_MAX];
	size_t done = 0;
	int err;

	n = MIN(n, WHOLE_MAX);
	mutex_lock(&whole_writes);
	err = signal_fatal_pending() ? -EINTR : 0;
	while (!err && done < n) {
		size_t size = MIN(n - done, sizeof(part));

		err = copy_from_user(part, buf + done, size);
		if (err)
			break;
		tty_write(&console, part, size);
		done += size;
	}
	mutex_unlock(&whole_writes);
	return done ? (ssize_t)done : err;
}

/* A long write takes minutes on a serial line: between its pieces others write, and signals end it.
 */
static ssize_t console_file_write(struct file *f, const void __user *buf, size_t n)
{
	size_t done = 0;
	ssize_t written = 0;

	if (READ_ONCE(console.termios.lflag) & UAPI_TOSTOP)
		written = check_foreground(UAPI_SIGTTOU);
	while (written >= 0 && done < n && !(done && signal_pending(current))) {
		written = write_whole((const char __user *)buf + done, n - done);
		done += MAX(written, 0);
	}
	return done ? (ssize_t)done : written;
}

static unsigned console_poll(struct file *f, struct poll_table *table)
{
	poll_wait(table, &console.readable);
	return UAPI_POLLOUT | (readable() ? UAPI_POLLIN : 0);
}

/* --- Settings --- */

static int get_termios(struct uapi_termios __user *user)
{
	unsigned long flags = spin_lock_irqsave(&console.lock);
	struct uapi_termios termios = console.termios;

	spin_unlock_irqrestore(&console.lock, flags);
	return copy_to_user(user, &termios, sizeof(termios));
}

static int set_termios(const struct uapi_termios __user *user, bool flush)
{
	struct uapi_termios termios;
	unsigned long flags;
	int err;

	if (copy_from_user(&termios, user, sizeof(termios)))
		return -EFAULT;
	err = check_foreground(UAPI_SIGTTOU);
	if (err)
		return err;
	flags = spin_lock_irqsave(&console.lock);
	err = tty_set_termios(&console, &termios);
	if (!err && flush)
		tty_flush_input(&console);
	spin_unlock_irqrestore(&console.lock, flags);
	wake_up(&console.readable); /* what is enough for a reader may have changed */
	return err;
}

static int flush(unsigned long what)
{
	unsigned long flags;

	if (what > UAPI_TCIOFLUSH)
		return -EINVAL;
	if (what == UAPI_TCOFLUSH)
		return 0;
	flags = spin_lock_irqsave(&console.lock);
	tty_flush_input(&console);
	spin_unlock_irqrestore(&console.lock, flags);
	return 0;
}

static int get_size(struct uapi_winsize __user *user)
{
	unsigned long flags = spin_lock_irqsave(&console.lock);
	struct uapi_winsize size = console.size;

	spin_unlock_irqrestore(&console.lock, flags);
	return copy_to_user(user, &size, sizeof(size));
}

static int set_size(const struct uapi_winsize __user *user)
{
	struct uapi_winsize size;
	unsigned long flags;
	pid_t foreground;
	bool changed;

	if (copy_from_user(&size, user, sizeof(size)))
		return -EFAULT;
	flags = spin_lock_irqsave(&console.lock);
	changed = memcmp(&console.size, &size, sizeof(size));
	console.size = size;
	foreground = console.foreground;
	spin_unlock_irqrestore(&console.lock, flags);
	if (changed && foreground)
		signal_send_group(foreground, UAPI_SIGWINCH);
	return 0;
}

static int get_available(s32 __user *user)
{
	unsigned long flags = spin_lock_irqsave(&console.lock);
	s32 n = tty_available(&console);

	spin_unlock_irqrestore(&console.lock, flags);
	return copy_to_user(user, &n, sizeof(n));
}

static int set_foreground(const s32 __user *user)
{
	pid_t own = current->process->sid, session = READ_ONCE(console.session);
	unsigned long flags;
	s32 group;
	int err;

	if (copy_from_user(&group, user, sizeof(group)))
		return -EFAULT;
	err = process_check_session(session);
	if (!err)
		err = check_foreground(UAPI_SIGTTOU);
	if (!err)
		err = process_check_group(group);
	if (err)
		return err;
	flags = spin_lock_irqsave(&console.lock);
	if (console.session == session || console.session == own) {
		console.session = own;
		console.foreground = group;
	} else {
		err = -ENOTTY; /* another one was faster */
	}
	spin_unlock_irqrestore(&console.lock, flags);
	return err;
}

static long console_ioctl(struct file *f, unsigned long cmd, unsigned long arg)
{
	void __user *user = (void __user *)arg;
	s32 group;

	switch (cmd) {
	case UAPI_TCGETS:
		return get_termios(user);
	case UAPI_TCSETS:
	case UAPI_TCSETSW: /* nothing that was written is held back */
	case UAPI_TCSETSF:
		return set_termios(user, cmd == UAPI_TCSETSF);
	case UAPI_TCSBRK:
		return arg == 1 ? 0 : -EINVAL;
	case UAPI_TCFLSH:
		return flush(arg);
	case UAPI_TIOCGPGRP:
		group = READ_ONCE(console.foreground);
		return copy_to_user(user, &group, sizeof(group));
	case UAPI_TIOCSPGRP:
		return set_foreground(user);
	case UAPI_TIOCGWINSZ:
		return get_size(user);
	case UAPI_TIOCSWINSZ:
		return set_size(user);
	case UAPI_FIONREAD:
		return get_available(user);
	default:
		return -ENOTTY;
	}
}

const struct file_ops console_file_ops = {
    .read = console_read,
    .write = console_file_write,
    .poll = console_poll,
    .ioctl = console_ioctl,
};
DEVICE_FILE(console, "console", &console_file_ops);
DEVICE_FILE(tty, "tty", &console_file_ops);
