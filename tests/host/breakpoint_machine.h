/* SPDX-License-Identifier: MIT */
/* A machine with breakpoints for host tests: what its slots hold. */
#pragma once

#include "host.h"
#include <hotregs/breakpoint.h>

/* All slots of all CPUs, as the registers have them. */
extern struct bp_bank host_slots[MAX_CPUS];
extern unsigned host_exchanges; /* calls of bp_exchange() */

/* Slots by pool, 1 to BP_SLOTS; at first all. */
extern unsigned host_bp_slots[BP_POOLS];

/* Of data, and an instruction: forms of pool 0 and 1. */
struct bp_form host_data(unsigned long addr, unsigned long len);
struct bp_form host_exec(unsigned long addr);

/* How many slots of the CPU have that form. */
unsigned host_slots_with(u32 cpu, const struct bp_form *form);
/* How many slots of the CPU are on. */
unsigned host_slots_on(u32 cpu);

/* An access, or the instruction, at @addr on this CPU: its breakpoints are told. */
void host_strike(unsigned long addr, bool exec, struct pt_regs *regs);

/* Code and data that may not be watched. */
extern char host_noinstr[64], host_debug_data[64];
