/* SPDX-License-Identifier: MIT */
/*
 * Kernel messages: formatted, then written to every console. Until the first console registers they
 * are kept in a ring. No locks, so that an NMI can print.
 */
#include <hotregs/device.h>
#include <hotregs/printk.h>
#include <hotregs/string.h>

static struct console *consoles;

/* The newest text printed before there was a console. */
#define EARLY_SIZE 4096U
static char early_ring[EARLY_SIZE];
static u32 early_head; /* bytes ever put in */

/* A writer reserves its bytes first, so that one that interrupts it writes behind them. */
static void early_put(const char *s, size_t n)
{
	u32 at = __atomic_fetch_add(&early_head, n, __ATOMIC_RELAXED);

	while (n--)
		early_ring[at++ % EARLY_SIZE] = *s++;
}

/* Writes with CR LF for each newline. */
static void write_text(void (*write)(const char *s, size_t n), const char *s, size_t n)
{
	while (n) {
		size_t line = 0;

		while (line < n && s[line] != '\n')
			line++;
		if (line)
			write(s, line);
		if (line < n) {
			write("\r\n", 2);
			line++;
		}
		s += line;
		n -= line;
	}
}

static void early_replay(void (*write)(const char *s, size_t n))
{
	u32 n = MIN(early_head, EARLY_SIZE), start = (early_head - n) % EARLY_SIZE;
	u32 to_end = MIN(n, EARLY_SIZE - start);

	write_text(write, early_ring + start, to_end);
	write_text(write, early_ring, n - to_end);
}

__attribute__((weak)) void early_console_write(const char *s, size_t n)
{
}

void console_flush_early(void)
{
	static struct console early = {.name = "early", .write = early_console_write};

	if (!consoles)
		console_register(&early);
}

void console_register(struct console *console)
{
	early_replay(console->write);
	console->next = consoles;
	/* Whoever prints in between must find a complete list. */
	__atomic_store_n(&consoles, console, __ATOMIC_RELEASE);
}

void console_write(const char *s, size_t n)
{
	struct console *first = __atomic_load_n(&consoles, __ATOMIC_ACQUIRE);

	if (!first)
		early_put(s, n);
	for (struct console *c = first; c; c = c->next)
		write_text(c->write, s, n);
}

void console_drain(void)
{
	for (struct console *c = __atomic_load_n(&consoles, __ATOMIC_ACQUIRE); c; c = c->next)
		if (c->drain)
			c->drain();
}

void console_write_raw(const char *s, size_t n)
{
	for (struct console *c = __atomic_load_n(&consoles, __ATOMIC_ACQUIRE); c; c = c->next)
		c->write(s, n);
}

/* Gathers the pieces of a message: consoles work best with whole lines. */
struct line_buffer {
	size_t n;
	char text[120];
};

static void emit_to_console(void *ctx, const char *s, size_t n)
{
	struct line_buffer *b = ctx;

	while (n) {
		size_t part = MIN(n, sizeof(b->text) - b->n);

		memcpy(b->text + b->n, s, part);
		b->n += part;
		s += part;
		n -= part;
		if (b->n == sizeof(b->text)) {
			console_write(b->text, b->n);
			b->n = 0;
		}
	}
}

void vprintk(const char *fmt, va_list ap)
{
	struct line_buffer b;

	b.n = 0;
	vprintf_to(emit_to_console, &b, fmt, ap);
	console_write(b.text, b.n);
}

void printk(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	vprintk(fmt, ap);
	va_end(ap);
}
