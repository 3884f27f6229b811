/* SPDX-License-Identifier: MIT */
/* Architecture contract: switching stacks. */
#pragma once

#include <hotregs/types.h>

struct cpu;
struct pt_regs;
struct task;

/*
 * Leaves @prev's stack for @next's, and goes on where @next last called this. Registers that a
 * function must preserve are preserved. Interrupts off; knows nothing of the scheduler.
 */
static inline void arch_switch_stack(struct task *prev, struct task *next);

/*
 * What else of the CPU belongs to a task: FPU state, the stack the next trap starts on. Called
 * right before arch_switch_stack(). Interrupts off.
 */
static inline void arch_switch_state(struct cpu *cpu, struct task *prev, struct task *next);

/* Makes @task's first switch-in call task_begin(entry, arg) on its empty stack. */
void arch_thread_init(struct task *task, void (*entry)(void *), void *arg);

/*
 * The first C code of every task (kernel/sched/task.c): ends the switch, enables interrupts, runs
 * @entry and then ends the task.
 */
void task_begin(void (*entry)(void *), void *arg);

/* Leaves the kernel through the frame task_user_regs(current). Interrupts off. */
void arch_return_to_user(void) __noreturn;

/* Prepares the user frame of a fresh program: everything zero but entry point and stack. */
void arch_user_regs_init(struct pt_regs *regs, unsigned long entry, unsigned long sp);

/*
 * Prepares @task, a thread of current's program, to call entry(arg) on the stack that ends at @sp:
 * a call from nowhere, which ends every chain. The FPU's state is current's.
 */
void arch_user_thread_init(struct task *task, unsigned long entry, unsigned long arg,
			   unsigned long sp);

/*
 * Sets the register that @task's thread-local data go by; -EPERM: @tls is no address
 * of a program's. @task is current, or has not run yet.
 */
int arch_set_tls(struct task *task, unsigned long tls);

/* Gives @task a clean FPU state. */
void arch_fpu_init(struct task *task);

/*
 * Gives @task a clean state of all registers that a program can change beside its user frame: the
 * FPU's and thread-local data's among them. arch_fork copies these, with 0 as the child's result.
 */
void arch_user_state_init(struct task *task);

void arch_fork(struct task *child, const struct task *parent);

#include <asm/switch.h>
