/* SPDX-License-Identifier: MIT */
/* AArch64 part of struct task. */
#pragma once

#include <hotregs/types.h>

#include <asm/constants.h> /* KERNEL_STACK_SIZE */

/* The SIMD and floating-point registers; the layout is fpsimd_save()'s in switch.S. */
struct fpsimd_state {
	u64 v[32][2];
	u32 fpsr, fpcr;
};

struct arch_task {
	unsigned long sp;           /* kernel stack pointer while switched out: see switch.h */
	struct fpsimd_state fpsimd; /* of a user task that is switched out */
	unsigned long tpidr;  /* the same: thread-local data go by it, and programs may write it */
	unsigned long exempt; /* bit 0: the instruction there does not strike when it comes */
	unsigned long alone;  /* the instruction there is part of no exclusive access */
};
