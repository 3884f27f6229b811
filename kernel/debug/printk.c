/* SPDX-License-Identifier: MIT */
/*
 * Kernel messages: formatted, then written to every console. Until the first console registers they
 * are kept in a ring. CPUs take turns by lines, but none waits for ever: an NMI can print, and a
 * panic that found a CPU in the middle of a line.
 */
#include <hotregs/cpu.h>
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

/*
 * Whose turn it is: a CPU's id + 1, or 0. No spinlock: an NMI on the CPU that has it goes ahead,
 * and who has waited for longer than the slowest console needs for a line takes it away.
 */
static u32 turn_of;
#define TURN_TRIES 10000000U

/* False: the caller has come between its own CPU's. Interrupts off. */
static bool take_turn(u32 self)
{
	for (u32 tries = TURN_TRIES; tries; tries--) {
		u32 owner = 0;

		if (__atomic_compare_exchange_n(&turn_of, &owner, self, false, __ATOMIC_ACQUIRE,
						__ATOMIC_RELAXED))
			return true;
		if (owner == self)
			return false;
		cpu_relax();
	}
	WRITE_ONCE(turn_of, self);
	return true;
}

static void end_turn(u32 self)
{
	__atomic_compare_exchange_n(&turn_of, &self, 0, false, __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* What is written in one piece. */
struct text {
	const char *s;
	size_t n;
	bool raw;
};

static void write_all(struct console *first, const struct text *text)
{
	for (struct console *c = first; c; c = c->next)
		if (text->raw)
			c->write(text->s, text->n);
		else
			write_text(c->write, text->s, text->n);
}

/* Where there is one CPU, its interrupts need not wait for a line; nor may it be asked who it is.
 */
static void write_in_turn(struct console *first, const struct text *text)
{
	unsigned long flags;
	bool taken;
	u32 self;

	if (READ_ONCE(nr_cpus) < 2) {
		write_all(first, text);
		return;
	}
	flags = irq_save();
	self = this_cpu()->id + 1;
	taken = take_turn(self);
	write_all(first, text);
	if (taken)
		end_turn(self);
	irq_restore(flags);
}

void console_write(const char *s, size_t n)
{
	struct console *first = __atomic_load_n(&consoles, __ATOMIC_ACQUIRE);

	if (!first)
		early_put(s, n);
	else
		write_in_turn(first, &(struct text){s, n, false});
}

void console_drain(void)
{
	for (struct console *c = __atomic_load_n(&consoles, __ATOMIC_ACQUIRE); c; c = c->next)
		if (c->drain)
			c->drain();
}

void console_write_raw(const char *s, size_t n)
{
	write_in_turn(__atomic_load_n(&consoles, __ATOMIC_ACQUIRE), &(struct text){s, n, true});
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
