/* SPDX-License-Identifier: MIT */
/* AArch64 part of struct cpu. */
#pragma once

#include <hotregs/types.h>

#include <asm/debugreg.h>

#define EMERGENCY_STACK_SIZE 4096UL

struct arch_cpu {
	unsigned long emergency_sp; /* first: entry.S; for when a kernel stack has no room */
	bool stepping;              /* a step is on: entry.S */
	bool serror_expected;       /* one that firmware left pending */
	u8 *emergency_stack;        /* lowest address */
	u64 mpidr;                  /* the processor's affinity: MPIDR_EL1[39:32], [23:0] */
	u32 asid;                   /* loaded, or about to be; asid.c reads it on other CPUs, too */
	u32 asid_kept;              /* asid.c's, under its lock: loaded when a generation ended */
	struct arm_debug debug;
};

#define MPIDR_AFFINITY 0xff00ffffffULL

struct cpu;

/*
 * Sets up what the calling CPU has for itself: vectors, control registers; percpu_init() was called
 * and @cpu->arch.emergency_stack is filled. Interrupts off.
 */
void arch_cpu_init(struct cpu *cpu);

/*
 * Turns off what firmware, or a test, has left armed on the calling CPU: breakpoints, performance
 * counters and their pending overflows. Interrupts off.
 */
void arch_clear_debug_state(void);
