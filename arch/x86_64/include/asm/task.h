/* SPDX-License-Identifier: MIT */
/* x86_64 part of struct task. */
#pragma once

#include <hotregs/types.h>

#define KERNEL_STACK_SIZE 16384UL

struct arch_task {
	unsigned long fs_base;     /* what thread-local data go by */
	unsigned long sp;          /* kernel stack pointer while switched out: see switch.S */
	u8 fpu[512] __aligned(16); /* FXSAVE image (SDM vol. 1, 10.5.1) */
};
