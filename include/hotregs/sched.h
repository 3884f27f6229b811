/* SPDX-License-Identifier: MIT */
/*
 * The scheduler: preemptive, 32 priorities, round robin with time slices among equals. Each
 * processor has a run queue; a task stays at one until there is a reason to move it.
 */
#pragma once

#include <hotregs/cpu.h>
#include <hotregs/task.h>

#define PRIORITY_IDLE    0
#define PRIORITY_DEFAULT 15
#define PRIORITY_MAX     31

#define SLICE_TICKS 2 /* of 1/TICK_HZ s: so long a task runs before its equals come */

#define AFFINITY_ALL (~0u) /* of a task that may run on every processor */

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

/*
 * The caller is about to sleep: after this it looks if it still has to, then calls schedule().
 * Whoever changes what it looks at, and then calls wake_up_task(), either is seen or finds a
 * sleeper; so the store comes before all later loads, on every processor.
 */
static inline void sched_sleeps(void)
{
	__atomic_store_n(&current->state, TASK_SLEEPING, __ATOMIC_SEQ_CST);
}

/*
 * Makes @task runnable if it sleeps; returns whether it did. It runs where it did before, unless
 * that processor is busy and a better one is allowed. Any context but NMI.
 */
bool wake_up_task(struct task *task);

/*
 * Adds TASK_WORK_* @work to what @task has to do before it goes to user mode, and sees to it that
 * it soon comes by: wakes it, or interrupts the other processor where it runs. Any context but NMI.
 */
void task_notify(struct task *task, u8 work);

/*
 * Switches to @task come by sched_switch_breakpoints(), or no longer. On its CPU or while it runs
 * nowhere, its run-queue lock held.
 */
static inline void sched_hook_switches(struct task *task, bool on)
{
	/* What strikes in the kernel changes other bits. */
	if (on)
		__atomic_fetch_or(&task->perf_active, SWITCH_HOOKED, __ATOMIC_RELAXED);
	else
		__atomic_fetch_and(&task->perf_active, ~(u32)SWITCH_HOOKED, __ATOMIC_RELAXED);
}

static inline bool sched_switches_hooked(const struct task *task)
{
	return task->perf_active & SWITCH_HOOKED;
}

/*
 * @next is about to run on @cpu, this one: the owners of what the slots hold change, and if need be
 * what they hold. Interrupts off, run-queue lock held.
 */
static __always_inline void sched_switch_breakpoints(struct cpu *cpu, struct task *next)
{
	struct bp_set *from = cpu->breakpoints.task, *to = &next->breakpoints.set;

	/* What nobody has on has no number. */
	if (from && from->id == to->id && likely(to->id && !cpu->breakpoints.stepping))
		cpu->breakpoints.task = to;
	else
		breakpoint_switch(cpu, next);
}

/* First run of a task made by task_create() or fork, on a processor chosen as for a wake-up. */
void sched_start(struct task *task);

/* Ends the calling task: switches away from it for good, then task_gone(). It holds no lock. Not
 * declared noreturn, for the reason that process_exit() is not. */
void sched_exit(void);

/*
 * Lets @task run only on the processors of @cpus, those that run among them; -EINVAL: there are
 * none. If it is elsewhere it goes to one of them: the caller before this returns, if interrupts
 * are on, else as soon as it can be preempted; another one that runs, as soon as its processor
 * takes an interrupt. @task stays: it is current, or task_list_lock is held. Any context but NMI.
 */
int sched_set_affinity(struct task *task, u32 cpus);

/*
 * Takes the run-queue lock of @task, which keeps it where it is: running, or fully off its
 * processor, which is returned. The lock may be taken inside all but timer-queue locks, and at most
 * one is ever held. Any context but NMI.
 */
struct cpu *task_rq_lock(struct task *task, unsigned long *flags);
void task_rq_unlock(struct cpu *cpu, unsigned long flags);

/*
 * Makes @priority, 1..31, that of @task; -EINVAL outside. As long as more urgent ones wait for a
 * mutex that it has, it runs with theirs. @task stays, as for sched_set_affinity(). Any context but
 * NMI.
 */
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

/* Context switches of all CPUs since boot, and how often a task was sent to another CPU. */
u64 sched_nr_switches(void);
u64 sched_nr_migrations(void);

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
