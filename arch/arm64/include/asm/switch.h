/* SPDX-License-Identifier: MIT */
/* AArch64 part of arch/switch.h. */
#pragma once

#include <hotregs/task.h>

/* switch.S: all SIMD and floating-point registers, FPSR and FPCR. Interrupts off. */
void fpsimd_save(struct fpsimd_state *state);
void fpsimd_restore(const struct fpsimd_state *state);

/* regs.c: what only tasks have that run in user mode. */
void arm64_switch_user_state(struct task *prev, struct task *next);

static inline void arch_switch_state(struct cpu *cpu, struct task *prev, struct task *next)
{
	/* The kernel is built without FP, so only user tasks have state worth moving. */
	if (!(prev->flags & next->flags & TASK_KTHREAD))
		arm64_switch_user_state(prev, next);
}

/*
 * A switched-out stack ends: frame pointer, address to go on at. The other registers that a
 * function must preserve (AAPCS64, 6.1.1) are declared clobbered, so that the compiler keeps just
 * those that hold something.
 */
static __always_inline void arch_switch_stack(struct task *prev, struct task *next)
{
	register struct task *from __asm__("x20") = prev; /* where they are: no move is needed */
	register struct task *to __asm__("x21") = next;

	__asm__ volatile("adr x9, 1f\n\t"
			 "stp x29, x9, [sp, #-16]!\n\t"
			 "mov x10, sp\n\t"
			 "ldr x11, [%[to], %[sp]]\n\t"
			 "str x10, [%[from], %[sp]]\n\t"
			 "mov sp, x11\n\t"
			 "ldp x29, x9, [sp], #16\n\t"
			 "br x9\n"
			 "1:"
			 : [from] "+r"(from), [to] "+r"(to)
			 : [sp] "i"(offsetof(struct task, arch.sp))
			 : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "x9", "x10", "x11",
			   "x12", "x13", "x14", "x15", "x16", "x17", "x18", "x19", "x22", "x23",
			   "x24", "x25", "x26", "x27", "x28", "x30", "memory", "cc");
}
