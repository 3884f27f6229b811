/* SPDX-License-Identifier: MIT */
/* More than one processor: starting the others, having them run something, making them look. */
#pragma once

#include <hotregs/cpu.h>

/* Sets of processors: bit n is cpus[n]. */
#define CPU_MASK(id) (1u << (id))

/* Those that run, as a set. */
static inline u32 cpus_online(void)
{
	return CPU_MASK(READ_ONCE(nr_cpus)) - 1;
}

/*
 * Starts the processors that the firmware tells of, one after the other, MAX_CPUS in all; cpus=N on
 * the command line asks for fewer. One that does not come is reported and left out. Once, by the
 * boot processor, with interrupts on.
 */
void smp_start(void);

/*
 * What a processor needs to begin; the architecture finds it from its entry code. A processor that
 * comes too late has a stack of its own still, but no struct cpu.
 */
struct cpu_start {
	unsigned long stack; /* lowest address of KERNEL_STACK_SIZE bytes: the idle task's later */
	struct cpu *cpu;     /* set up, but for what only its own processor can do */
	u32 state;           /* enum cpu_start_state */
};
enum cpu_start_state { CPU_START_WAITED, CPU_START_CLAIMED, CPU_START_GIVEN_UP };

/*
 * The first portable code of a started processor, called on @start's stack with translation as the
 * kernel's; interrupts off. It calls arch_cpu_begin() if it is still waited for. Never returns.
 */
void smp_begin(struct cpu_start *start) __noreturn;

/*
 * Runs func(arg) on each processor of @cpus, in interrupt context there, and returns when all have.
 * On the caller's own it is called in place, with interrupts off. What two calls from one processor
 * ask of another one happens in their order. Interrupts on, no spinlock held, not from an
 * interrupt: the other might be waiting for the caller. The caller may have moved to another CPU
 * when it returns.
 */
void smp_call(u32 cpus, void (*func)(void *arg), void *arg);

/* Makes @cpu look at need_resched and at what its task has to do. Any context but NMI. */
void smp_kick(struct cpu *cpu);

/* Stops all other processors for good, as far as they answer. Any context. */
void smp_stop_others(void);

/* What arch_send_ipi() leads to; called between irq_enter() and irq_exit(). */
void smp_interrupt(void);
