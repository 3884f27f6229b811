/* SPDX-License-Identifier: MIT */
/* Structure offsets that assembly needs; regs.c asserts each against the C structure. */
#pragma once

/* struct cpu, at TPIDR_EL1 */
#define CPU_CURRENT      8
#define CPU_NEED_RESCHED 20
#define CPU_EMERGENCY_SP 24
#define CPU_STEPPING     32

/* struct task */
#define TASK_STACK 16
#define TASK_WORK  34

/* struct cpu_start */
#define CPU_START_STACK 0

/* struct pt_regs */
#define REGS_FP      232
#define REGS_LR      240
#define REGS_SP      248
#define REGS_PC      256
#define REGS_PSTATE  264
#define REGS_ORIG_X0 272
#define REGS_RECORD  288
#define REGS_SIZE    304
