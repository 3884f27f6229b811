/* SPDX-License-Identifier: MIT */
/* What the files of kernel/breakpoint share. */
#pragma once

#include <hotregs/breakpoint.h>
#include <hotregs/printk.h>

/* Does @bp strike on @cpu, as far as that is a matter of CPUs? */
static inline bool is_for(const struct breakpoint *bp, u32 cpu)
{
	return bp->cpu < 0 || (u32)bp->cpu == cpu;
}

/* --- slots.c, on this CPU, interrupts off --- */
/* What the CPU has of its own is built anew: from what is everybody's and what is its. */
void breakpoint_reload_cpu(void);

/* --- breakpoint.c --- */
/* Calls func with each breakpoint of everybody's that is on. Interrupts off. */
void breakpoint_for_everybody(void (*func)(struct breakpoint *bp, void *arg), void *arg);
