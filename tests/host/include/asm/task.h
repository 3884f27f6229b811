/* SPDX-License-Identifier: MIT */
/* Host part of struct task. */
#pragma once

#include <hotregs/types.h>

#define KERNEL_STACK_SIZE 16384UL

struct arch_task {
	unsigned long sp;
	struct pt_regs *user_regs; /* what task_user_regs() returns */
};
