/* SPDX-License-Identifier: MIT */
/* The scheduler: preemptive, 32 priorities, round robin with time slices among equals. */
#pragma once

#include <hotregs/cpu.h>
#include <hotregs/task.h>

#define PRIORITY_IDLE    0
#define PRIORITY_DEFAULT 15
#define PRIORITY_MAX     31

#define SLICE_TICKS 2 /* of 1/TICK_HZ s: so long a task runs before its equals come */

/* Sets up the calling CPU's run queue and makes its boot stack the idle task. Interrupts off. */
void sched_init_cpu(struct cpu *cpu, struct task *idle, unsigned long stack);

/*
 * Gives the CPU to the most urgent runnable task; the caller goes on when it is chosen again. A
 * caller that set its state to TASK_SLEEPING leaves the run queue. May sleep; keeps the interrupt
 * state of the caller.
 */
void schedule(void);

/* Puts the caller behind its equals and calls schedule(). May sleep. */
void yield(void);

/* Makes @task runnable if it sleeps; returns whether it did. Any context but NMI. */
bool wake_up_task(struct task *task);

/* First run of a task made by task_create() or fork. */
void sched_start(struct task *task);

/* Moves @task to @priority 1..31, -EINVAL outside. Any context but NMI. */
int sched_set_priority(struct task *task, unsigned priority);

/* Timer tick, every 1/TICK_HZ s while the CPU is busy; interrupts off. */
#define TICK_HZ 100
void sched_tick(struct pt_regs *regs);

/* Does the calling CPU need its tick? False while it idles. */
bool sched_needs_tick(const struct cpu *cpu);

/* Called by a new task's first code, and by schedule(): ends the switch that led to the caller. */
void finish_switch(void);

/*
 * Called by interrupt return when need_resched is set and the interrupted code had interrupts
 * enabled. Interrupts off.
 */
void preempt_schedule(void);

/* The idle loop; never returns. */
void sched_idle(void);

/* Is @ip inside code through which tasks go to sleep? Any context. */
static inline bool in_sched_text(unsigned long ip)
{
	extern const char __sched_text_start[], __sched_text_end[];

	return ip - (unsigned long)__sched_text_start <
	       (unsigned long)(__sched_text_end - __sched_text_start);
}

/* Context switches of all CPUs since boot. */
u64 sched_nr_switches(void);

/* --- Tasks (kernel/sched/task.c) --- */

/*
 * A task with a kernel stack (guard page below) that will run entry(arg); not yet started, not yet
 * in the list of tasks. Returns ERR_PTR(-ENOMEM). May sleep.
 */
struct task *task_create(const char *comm, void (*entry)(void *arg), void *arg);

#define TID_MAX    32767
#define THREAD_MAX 32000 /* of programs; leaves numbers for kernel threads, which are few */

/* Gives @task its number, and its process's (@pid; 0: the same), and puts it in the list of tasks.
 * task_list_lock held. */
void task_publish(struct task *task, pid_t pid);

/* Frees a task that never ran, or that has been dead and switched away from. May sleep. */
void task_free(struct task *task);

/* Finds a task by tid; NULL when there is none. Valid while the caller holds task_list_lock. */
struct task *task_find(pid_t tid);
extern struct spinlock task_list_lock;
extern struct list_head task_list; /* by all_node */

/* Starts a kernel thread running entry(arg); ERR_PTR(-ENOMEM). May sleep. */
struct task *kthread_start(const char *comm, void (*entry)(void *arg), void *arg);

/* Waits until a kernel thread has ended and frees it. May sleep. */
void kthread_join(struct task *task);

/*
 * @task has switched away from this CPU for the last time: its last records are written and whoever
 * waits for it is told. Called by the switch; interrupts off, no lock held.
 */
void task_gone(struct task *task);

/* Ends the calling kernel thread, as returning from its entry does. Not declared noreturn, for the
 * reason that process_exit() is not. */
void kthread_exit(void);

/* --- Load averages (kernel/sched/loadavg.c) --- */

/* Starts the kernel thread that keeps them. May sleep. */
void loadavg_start(void);
/* Runnable tasks over the last 1, 5 and 15 minutes, in 1/100. Any context. */
void loadavg(u32 hundredths[3]);
