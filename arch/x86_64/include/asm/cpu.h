/* SPDX-License-Identifier: MIT */
/* x86_64 part of struct cpu: descriptor tables and the stacks that exceptions switch to. */
#pragma once

#include <hotregs/types.h>

#include <asm/cpu_selectors.h>

/* Task state segment (Intel SDM vol. 3, 7.7). ist[] indexes are IST_* - 1. */
struct tss {
	u32 reserved0;
	u64 rsp[3];
	u64 reserved1;
	u64 ist[7];
	u64 reserved2;
	u16 reserved3, iomap_base;
} __packed;

enum { IST_NMI = 1, IST_DOUBLE_FAULT, IST_DEBUG, NR_IST = 3 };
#define IST_STACK_SIZE 8192UL

struct arch_cpu {
	unsigned long user_sp; /* scratch of system-call entry */
	struct tss tss;
	u64 gdt[7] __aligned(16);
	u32 apic_id;
	u8 *ist_stack[NR_IST]; /* lowest addresses */
	unsigned long dr7;     /* what it is but in a debug exception */
	bool debug_work;       /* see bp_exit_to_work() */
};

struct cpu;

/* Supervisor-mode access prevention is on: user memory is touched between STAC and CLAC only. */
extern bool cpu_has_smap;

/*
 * Loads the calling CPU's descriptor tables and sets its control registers and system-call entry;
 * @cpu->arch.ist_stack[] is filled. Interrupts off.
 */
void arch_cpu_init(struct cpu *cpu);

/*
 * Turns off what firmware, or a test, has left armed on the calling CPU: breakpoints, branch
 * tracing and steps, performance counters and their pending overflows. Any context.
 */
void arch_clear_debug_state(void);
