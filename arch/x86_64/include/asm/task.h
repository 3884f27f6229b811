/* SPDX-License-Identifier: MIT */
/* x86_64 part of struct task. */
#pragma once

#include <hotregs/types.h>

#define KERNEL_STACK_SIZE 16384UL

/* The segment registers that programs may load, and hardly ever do. */
union user_selectors {
	struct {
		u16 ds, es, fs, gs;
	};
	u64 any; /* 0: null selectors all */
};

struct arch_task {
	unsigned long fs_base;          /* what thread-local data go by */
	unsigned long sp;               /* kernel stack pointer while switched out: see switch.S */
	union user_selectors selectors; /* of a user task that is switched out */
	u8 fpu[512] __aligned(16);      /* FXSAVE image (SDM vol. 1, 10.5.1) */
};
