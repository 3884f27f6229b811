/* SPDX-License-Identifier: MIT */
/* Structure offsets that assembly needs; regs.c asserts each against the C structure. */
#pragma once

/* struct cpu, at TPIDRPRW */
#define CPU_CURRENT      4
#define CPU_NEED_RESCHED 12

/* struct arch_cpu, from abort_record */
#define ABORT_EMERGENCY_SP 16

/* struct task */
#define TASK_STACK 8
#define TASK_WORK  22

/* struct cpu_start */
#define CPU_START_STACK 0

/* struct pt_regs */
#define REGS_FP      44
#define REGS_SP      52
#define REGS_LR      56
#define REGS_PC      60
#define REGS_CPSR    64
#define REGS_ORIG_R0 68
#define REGS_SIZE    72
