/* SPDX-License-Identifier: MIT */
/* Stack ranges, symbols and the printed backtrace, over the architecture's walker. */
#pragma once

#include <arch/unwind.h>

/*
 * The kernel stack that contains @sp: @task's own, or one of this CPU's exception stacks. Fills
 * [*low, *high) and returns true. NMI-safe.
 */
bool unwind_stack_range(const struct task *task, unsigned long sp, unsigned long *low,
			unsigned long *high);

/* Prints the kernel chain from @regs and, where known, the user chain after it. Any context. */
void print_backtrace(const struct task *task, const struct pt_regs *regs);

/* --- Kernel symbols (kernel/unwind/kallsyms.c), a table linked into the kernel --- */

/* The function that contains @ip: its name, *offset and *size in bytes (each may be NULL); NULL. */
const char *kallsyms_lookup(unsigned long ip, unsigned long *offset, unsigned long *size);

/* Address of symbol @name, a function's or data's; 0 when unknown. Linear: not for hot paths. */
unsigned long kallsyms_address(const char *name);

/*
 * Symbol number @i, functions in address order and then data: name and address; *data: a variable,
 * or constants. False past the end.
 */
bool kallsyms_entry(size_t i, const char **name, unsigned long *address, bool *data);
