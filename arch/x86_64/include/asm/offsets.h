/* SPDX-License-Identifier: MIT */
/* Structure offsets that assembly needs; regs.c asserts each against the C structure. */
#pragma once

/* struct cpu, at %gs */
#define CPU_CURRENT      8
#define CPU_NEED_RESCHED 20
#define CPU_KERNEL_SP    44 /* the TSS's RSP0: system calls begin where interrupts do */
#define CPU_USER_SP      32
#define CPU_DEBUG_WORK   240

/* struct task */
#define TASK_WORK 34

/* struct pt_regs */
#define REGS_BP      32
#define REGS_ORIG_AX 120
#define REGS_IP      128
#define REGS_CS      136
#define REGS_FLAGS   144
#define REGS_SP      152
#define REGS_SIZE    168
