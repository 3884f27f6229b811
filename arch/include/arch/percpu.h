/* SPDX-License-Identifier: MIT */
/* Architecture contract: which CPU is this, and which task runs on it. */
#pragma once

#include <hotregs/types.h>

struct cpu;
struct task;

/* The calling CPU's structure. Stable only while interrupts are disabled. NMI-safe. */
static inline struct cpu *this_cpu(void);

/* The calling task. NMI-safe. */
static inline struct task *current_task(void);
#define current current_task()

/*
 * current_task() is @task from here on: cpu_set_running()'s part for architectures that do not look
 * at cpu->running for it. Interrupts off.
 */
static inline void arch_set_current(struct task *task);

/* Points the calling CPU at its structure; before anything above is used on it. */
void percpu_init(struct cpu *cpu);

#include <asm/percpu.h>
