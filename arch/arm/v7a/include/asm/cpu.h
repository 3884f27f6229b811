/* SPDX-License-Identifier: MIT */
/* ARMv7-A part of struct cpu. */
#pragma once

#include <hotregs/types.h>

#include <asm/debugreg.h>

#define EMERGENCY_STACK_SIZE 4096UL

struct arch_cpu {
	/*
	 * Abort mode's stack: PC and CPSR of a data abort, and of one that strikes while they are
	 * there because there is no kernel stack left; behind them, what stack to use then. See
	 * entry.S.
	 */
	u32 abort_record[4] __aligned(16);
	unsigned long emergency_sp;
	bool skip_undefined; /* step over undefined instructions: see cpu_try() */
	bool met_undefined;
	bool async_abort_expected; /* one that firmware left pending */
	u8 *emergency_stack;       /* lowest address */
	u32 mpidr;                 /* the processor's affinity: MPIDR[23:0] */
	u32 asid;                  /* loaded, or about to be; asid.c reads it on other CPUs, too */
	struct arm_debug debug;
	u32 asid_kept; /* asid.c's, under its lock: loaded when a generation ended */
};

#define MPIDR_AFFINITY 0x00ffffffULL

struct cpu;

/*
 * Sets up what the calling CPU has for itself: vectors, stacks of exceptions, control registers;
 * percpu_init() was called and @cpu->arch.emergency_stack is filled. Interrupts off.
 */
void arch_cpu_init(struct cpu *cpu);

/*
 * Runs @fn, in which undefined instructions do nothing: for registers that a processor may not
 * have or that may be locked away. False if it met one. Interrupts off.
 */
bool cpu_try(void (*fn)(void));

/*
 * Turns off what firmware, or a test, has left armed on the calling CPU: breakpoints, vector
 * catches, performance counters and their pending overflows. Interrupts off.
 */
void arch_clear_debug_state(void);
