/* SPDX-License-Identifier: MIT */
/* What x86_64's trap code offers to start-up. */
#pragma once

#include <hotregs/types.h>

struct pt_regs;

/* Exception vectors (Intel SDM vol. 3, table 6-1) that are treated by name. */
#define VECTOR_DEBUG        1
#define VECTOR_NMI          2
#define VECTOR_BREAKPOINT   3
#define VECTOR_OVERFLOW     4
#define VECTOR_DOUBLE_FAULT 8
#define VECTOR_PROTECTION   13
#define VECTOR_PAGE_FAULT   14
#define VECTOR_SIMD         19

/* Fills the interrupt descriptor table, once; loads it, on each CPU. */
void idt_init(void);
void idt_load(void);
/* From now on @vector enters at @entry, on every CPU; at first it is trap_stubs + 16 * @vector. */
void idt_set_entry(unsigned vector, const char *entry);
/* From now on exception @vector switches to stack IST_*, on every CPU; 0: to none. */
void idt_set_stack(unsigned vector, unsigned ist);

/*
 * In entry.S: the stubs of all vectors, 16 bytes apart; and one for debug exceptions that nothing
 * is to be made of, as long as there is nobody to tell.
 */
extern const char trap_stubs[], debug_ignored[];

/*
 * Who takes NMIs; NULL: nobody. Called as one, on its stack, with all breakpoints off; false: this
 * one is not its own.
 */
extern bool (*nmi_handler)(struct pt_regs *regs);

/* Called by entry.S. */
void trap_dispatch(struct pt_regs *regs, unsigned vector);
void ist_dispatch(struct pt_regs *regs, unsigned vector);
void exit_work(struct pt_regs *regs, bool syscall);

void debug_exception(struct pt_regs *regs); /* debug.c */
