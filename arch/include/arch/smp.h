/* SPDX-License-Identifier: MIT */
/* Architecture contract: other processors. */
#pragma once

#include <hotregs/types.h>

struct cpu;
struct cpu_start;

/*
 * The hardware numbers (APIC id, MPIDR) of all processors that the firmware tells of, the caller's
 * own first; returns how many, at most @max of them listed. Boot only.
 */
unsigned arch_cpus_find(u64 hwid[], unsigned max);

/*
 * Sends the processor @hwid to smp_begin(@start). 0: it has been told to come, which may take a
 * while; negative: it cannot be. Interrupts on; may sleep. @start stays valid for ever.
 */
int arch_cpu_start(struct cpu_start *start, u64 hwid);

/*
 * What @cpu needs before it is started: memory for the stacks of exceptions. -ENOMEM. And what it
 * gives back if the processor does not come. May sleep.
 */
int arch_cpu_prepare(struct cpu *cpu);
void arch_cpu_discard(struct cpu *cpu);

/*
 * On the new processor, first: as arch_init_early() on the boot processor, with @cpu prepared.
 * Interrupts off.
 */
void arch_cpu_begin(struct cpu *cpu);

/* Interrupts @cpu, which comes to smp_interrupt(). Any context. */
void arch_send_ipi(struct cpu *cpu);

/* Waits for ever, interrupts off, in the least harmful way. */
void arch_cpu_park(void) __noreturn;
