/* SPDX-License-Identifier: MIT */
/* Kernel messages, assertions and panic. All of it is NMI-safe: no allocation, no sleeping lock. */
#pragma once

#include <hotregs/types.h>

struct pt_regs;

/*
 * Formats into @buf (always NUL-terminated when @size > 0); returns the full length. Knows
 * %d %i %u %x %X %c %s %p %% with flags 0 - #, width, precision (* too), and l ll z h hh. Any
 * context.
 */
int snprintf(char *buf, size_t size, const char *fmt, ...) __printf(3, 4);
int vsnprintf(char *buf, size_t size, const char *fmt, va_list ap);

/* The same, handing each piece of the result to @emit; returns the length. Any context. */
typedef void (*printf_emit_t)(void *ctx, const char *s, size_t n);
size_t vprintf_to(printf_emit_t emit, void *ctx, const char *fmt, va_list ap);

/*
 * Prints one message on every console. Any context, NMI too; what interrupts a line may print in
 * its middle, other CPUs wait. Longer ones (120 bytes) are as several.
 */
void printk(const char *fmt, ...) __printf(1, 2);
void vprintk(const char *fmt, va_list ap);

/*
 * Ends the machine: registers (@regs, or the caller's when NULL), kernel and user chain with
 * symbols, task, CPU and event state, then power_off(). Any context; never returns.
 */
void panic_regs(const struct pt_regs *regs, const char *fmt, ...) __printf(2, 3) __noreturn;
#define panic(...) panic_regs(NULL, __VA_ARGS__)

/* For what cannot be: always compiled in. */
#define ASSERT(cond)                                                                     \
	do {                                                                             \
		if (unlikely(!(cond)))                                                   \
			panic("%s:%d: assertion failed: %s", __FILE__, __LINE__, #cond); \
	} while (0)
