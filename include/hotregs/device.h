/* SPDX-License-Identifier: MIT */
/* What drivers give the core: consoles, the export channel; and how drivers are started. */
#pragma once

#include <hotregs/types.h>

/*
 * A place messages go. write() gets the bytes as they go out; it is NMI-safe and polls. drain(), if
 * any, waits (bounded) until they have left the machine.
 */
struct console {
	const char *name;
	void (*write)(const char *s, size_t n);
	void (*drain)(void);
	struct console *next;
};

/* Adds a console, for ever; it is given all that was printed before the first one. Boot only. */
void console_register(struct console *console);

/* Writes text to every console, each newline as CR LF. Any context. */
void console_write(const char *s, size_t n);
/* The same with newlines as they are; nothing is kept while there is no console. Any context. */
void console_write_raw(const char *s, size_t n);

/* Waits until what was written has left the machine: before its power goes. Any context. */
void console_drain(void);

/*
 * Shows what was printed so far although no console is registered yet: for a panic. It goes through
 * early_console_write(), which a board's serial driver defines and which works from the kernel's
 * first instruction on; without one, nothing is shown. Any context.
 */
void console_flush_early(void);
void early_console_write(const char *s, size_t n);

/* Input from a console's receive interrupt, one byte. Interrupts off. */
void console_input(char c);

/* The channel by which bulk data, the profile, leaves the machine. The last registered wins. */
struct export_channel {
	const char *name;
	/* Writes all of @buf (kernel memory, any address); 0 or -EIO. May sleep. One caller at a
	 * time. */
	int (*write)(const void *buf, size_t n);
};
void export_register(const struct export_channel *channel);

/*
 * Driver start-up: called in order of level, then of link. Each prints what it found, and leaves
 * the machine alone when its device is absent.
 */
typedef void (*initcall_t)(void);
#define INITCALL(level, fn) \
	static const initcall_t initcall_##fn __used __section(".initcall." #level) = fn
/* Levels: 0 what shows messages and needs nothing else, 1 interrupt controllers, 2 clocks and
 * timers, 3 root buses, 4 devices and buses behind those, 5 devices behind these */
void initcalls_run(void);
