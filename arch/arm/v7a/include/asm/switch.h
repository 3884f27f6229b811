/* SPDX-License-Identifier: MIT */
/* ARMv7-A part of arch/switch.h. */
#pragma once

#include <hotregs/task.h>

/* switch.S: all VFP and Advanced SIMD registers and FPSCR. Interrupts off. */
void vfp_save(struct vfp_state *state);
void vfp_restore(const struct vfp_state *state);

/* regs.c: what only tasks have that run in user mode. */
void arm_switch_user_state(struct task *prev, struct task *next);

static inline void arch_switch_state(struct cpu *cpu, struct task *prev, struct task *next)
{
	/* The kernel is built without VFP, so only user tasks have state worth moving. */
	if (!(prev->flags & next->flags & TASK_KTHREAD))
		arm_switch_user_state(prev, next);
}

/*
 * A switched-out stack ends: r4-r11, address to go on at. One instruction saves all registers that
 * a function must preserve (ARM IHI 0042, 5.1.1), and one restores them.
 */
static __always_inline void arch_switch_stack(struct task *prev, struct task *next)
{
	__asm__ volatile("adr lr, 1f\n\t"
			 "push {r4-r11, lr}\n\t"
			 "str sp, [%[prev], %[sp]]\n\t"
			 "ldr sp, [%[next], %[sp]]\n\t"
			 "pop {r4-r11, pc}\n"
			 "1:" ::[prev] "r"(prev),
			 [next] "r"(next), [sp] "i"(offsetof(struct task, arch.sp))
			 : "r0", "r1", "r2", "r3", "r12", "lr", "memory", "cc");
}
