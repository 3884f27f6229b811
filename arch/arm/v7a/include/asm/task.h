/* SPDX-License-Identifier: MIT */
/* ARMv7-A part of struct task. */
#pragma once

#include <hotregs/types.h>

#include <asm/constants.h> /* KERNEL_STACK_SIZE */

/* VFP and Advanced SIMD registers; the layout is vfp_save()'s in switch.S. */
struct vfp_state {
	u64 d[32];
	u32 fpscr;
};

struct arch_task {
	unsigned long sp;     /* kernel stack pointer while switched out: see switch.S */
	struct vfp_state vfp; /* of a user task that is switched out */
	u32 tpidrurw;         /* the register that programs may write */
	u32 tpidruro;         /* the one they may read: what thread-local data go by */
	u32 exempt;           /* bit 0: the instruction there does not strike when it comes */
	u32 alone;            /* the instruction there is in no sequence of exclusive accesses */
};
