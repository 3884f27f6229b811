/* SPDX-License-Identifier: MIT */
/*
 * Architecture contract: breakpoints in the processor (contract C7). What a register set of the
 * processor's, a slot, is told is a form, in the architecture's own terms; a generic description is
 * parsed into forms once, and no form is ever turned back. The slots of a pool are interchangeable.
 * Nothing here knows whose a breakpoint is.
 */
#pragma once

#include <hotregs/types.h>

struct perf_event_attr;

/*
 * struct bp_form;  what one slot is told
 * struct bp_bank;  what several are: the registers' contents; all zero: none of them is on
 * BP_POOLS         pools of slots
 * BP_SLOTS         the most that there can be in one
 */
#include <asm/breakpoint.h>

/* A range may need two slots, of one pool. */
#define BP_PARTS 2
struct bp_parts {
	struct bp_form form[BP_PARTS];
	u8 nr;
};

/* Addresses that one form watches, first and last. */
struct bp_range {
	unsigned long first, last;
};

/*
 * Forms for what bp_type, bp_addr and bp_len of @attr say, none but which bp_check() lets through.
 * -EINVAL: there are none, and *why tells; -EOPNOTSUPP: this machine has no breakpoints. Pure.
 */
int bp_parse(const struct perf_event_attr *attr, struct bp_parts *parts, const char **why);

/* Does a slot take @form, wherever that came from? 0, or -EINVAL, and *why tells. Pure. */
int bp_check(const struct bp_form *form, const char **why);

/* What @form watches: data, or else the instruction there. Pure. */
struct bp_range bp_range(const struct bp_form *form);
bool bp_watches_data(const struct bp_form *form);

/* Which pool has slots for @form, and how many there are. Pure; known when initcalls run. */
static inline unsigned bp_pool(const struct bp_form *form);
static inline unsigned bp_pool_size(unsigned pool);

/* Puts @form into slot @slot of @pool, which is free in @bank. Any context. */
static inline void bp_install(struct bp_bank *bank, unsigned pool, unsigned slot,
			      const struct bp_form *form);
/* The slot is as if nothing had ever been in it. */
static inline void bp_uninstall(struct bp_bank *bank, unsigned pool, unsigned slot);

/*
 * On the calling CPU the slots of @from are turned off, and those of @to turned on (NULL: none);
 * others stay. In between none of either strikes. Interrupts off.
 */
void bp_exchange(const struct bp_bank *from, const struct bp_bank *to);

/*
 * What the calling handler of a breakpoint that has struck in user mode gives current to do,
 * task_set_work(), is done before the program goes on.
 */
void bp_exit_to_work(void);

/* Turns off whatever firmware, or a test, has left armed on the calling CPU. Interrupts off. */
void bp_reset_cpu(void);

/* Writes what @form watches into @buf, for people: "write of 4 bytes at 0x1000". Any context. */
#define BP_DESCRIPTION_MAX 64
void bp_describe(const struct bp_form *form, char buf[BP_DESCRIPTION_MAX]);
