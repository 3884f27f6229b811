/* SPDX-License-Identifier: MIT */
/*
 * /dev/console: text to every console, and lines of input from them. Input is edited line by line
 * as it arrives, in interrupt context; a reader gets whole lines.
 */
#include <hotregs/cpu.h>
#include <hotregs/device.h>
#include <hotregs/fs.h>
#include <hotregs/string.h>
#include <hotregs/wait.h>

#include <arch/uaccess.h>

#define CTRL(c)   ((c)&0x1f)
#define KEY_EOF   CTRL('D')
#define KEY_KILL  CTRL('U')
#define KEY_ERASE 0x7f
#define BELL      CTRL('G')

#define LINE_MAX  256  /* of one line, its newline included */
#define INPUT_MAX 1024 /* of lines not read yet; a power of two */

static struct {
	struct spinlock lock;
	char line[LINE_MAX]; /* being edited */
	size_t line_size;
	char input[INPUT_MAX]; /* finished lines, each ending in a newline or in KEY_EOF */
	size_t head, tail;     /* bytes ever put in, and taken out */
	struct wait_queue readable;
} console = {.lock = SPINLOCK_INIT, .readable = WAIT_QUEUE_INIT(console.readable)};

static void echo(const char *s)
{
	console_write(s, strlen(s));
}

static void erase_char(void)
{
	if (!console.line_size)
		return;
	console.line_size--;
	echo("\b \b");
}

/* Hands the line over with @end behind it; when there is no room, the line stays to be edited. */
static bool finish_line(char end)
{
	if (INPUT_MAX - (console.head - console.tail) < console.line_size + 1)
		return false;
	for (size_t i = 0; i < console.line_size; i++)
		console.input[console.head++ % INPUT_MAX] = console.line[i];
	console.input[console.head++ % INPUT_MAX] = end;
	console.line_size = 0;
	wake_up(&console.readable);
	return true;
}

static bool add_char(char c)
{
	if (console.line_size == LINE_MAX - 1)
		return false;
	console.line[console.line_size++] = c;
	console_write(c == '\t' ? " " : &c, 1); /* one column, so that it can be erased */
	return true;
}

/* Does what one key asks for; false when it cannot be. */
static bool edit(char c)
{
	switch (c) {
	case '\r':
	case '\n':
		if (!finish_line('\n'))
			return false;
		echo("\n");
		return true;
	case KEY_EOF:
		return finish_line(KEY_EOF);
	case KEY_KILL:
		while (console.line_size)
			erase_char();
		return true;
	case '\b':
	case KEY_ERASE:
		erase_char();
		return true;
	default:
		return ((u8)c < ' ' && c != '\t') ||
		       add_char(c); /* other control keys do nothing */
	}
}

void console_input(char c)
{
	unsigned long flags = spin_lock_irqsave(&console.lock);

	if (!edit(c))
		console_write((const char[]){BELL}, 1);
	spin_unlock_irqrestore(&console.lock, flags);
}

static bool input_empty(void)
{
	return READ_ONCE(console.head) == READ_ONCE(console.tail);
}

/*
 * Takes up to @n bytes of one line. An end-of-file key ends a line without being part of it, so
 * that on an empty line it gives 0: end of file. Returns -EAGAIN when there is no line.
 */
static ssize_t take_line(char *buf, size_t n)
{
	unsigned long flags = spin_lock_irqsave(&console.lock);
	ssize_t taken = 0;

	if (input_empty())
		taken = -EAGAIN;
	while (!input_empty()) {
		char c = console.input[console.tail % INPUT_MAX];

		if (c == KEY_EOF) {
			console.tail++;
			break;
		}
		if ((size_t)taken == n)
			break;
		console.tail++;
		buf[taken++] = c;
		if (c == '\n')
			break;
	}
	spin_unlock_irqrestore(&console.lock, flags);
	return taken;
}

static ssize_t console_read(struct file *f, void __user *buf, size_t n)
{
	char line[LINE_MAX];
	ssize_t taken;
	int err;

	if (!n)
		return 0;
	/* Another reader may be faster, and then this one waits again. */
	while ((taken = take_line(line, MIN(n, sizeof(line)))) == -EAGAIN) {
		if (f->flags & UAPI_O_NONBLOCK)
			return -EAGAIN;
		err = wait_event(&console.readable, !input_empty());
		if (err)
			return err;
	}
	err = copy_to_user(buf, line, taken);
	return err ? err : taken;
}

static ssize_t console_file_write(struct file *f, const void __user *buf, size_t n)
{
	static struct mutex whole_writes = MUTEX_INIT(whole_writes);
	char part[LINE_MAX];
	size_t done = 0;
	int err = 0;

	mutex_lock(&whole_writes);
	while (done < n) {
		size_t size = MIN(n - done, sizeof(part));

		err = copy_from_user(part, (const char __user *)buf + done, size);
		if (err)
			break;
		console_write(part, size);
		done += size;
	}
	mutex_unlock(&whole_writes);
	return done ? (ssize_t)done : err;
}

static unsigned console_poll(struct file *f, struct poll_table *table)
{
	poll_wait(table, &console.readable);
	return UAPI_POLLOUT | (input_empty() ? 0 : UAPI_POLLIN);
}

const struct file_ops console_file_ops = {
    .read = console_read,
    .write = console_file_write,
    .poll = console_poll,
};
DEVICE_FILE(console, "console", &console_file_ops);
