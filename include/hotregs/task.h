/* SPDX-License-Identifier: MIT */
/*
 * struct task: a thread of execution, kernel's or user's. The rooms each own a part of it. What the
 * threads of a program have in common is struct process (hotregs/process.h).
 */
#pragma once

#include <hotregs/check.h>
#include <hotregs/list.h>
#include <hotregs/types.h>

#include <asm/task.h> /* struct arch_task, KERNEL_STACK_SIZE */

struct mm;
struct files;
struct perf_task;
struct process;
struct pt_regs;

#define TASK_COMM_LEN 16

/* Task flags. */
#define TASK_KTHREAD BIT(0) /* never runs in user mode, owns no mm */
#define TASK_IDLE    BIT(1) /* a CPU's idle loop, pid 0 */

enum task_state {
	TASK_RUNNING,  /* running or on a run queue */
	TASK_SLEEPING, /* waits; wake_up_task() makes it run */
	TASK_DEAD,     /* has switched away, or is about to, for the last time */
};

struct task {
	/* Scheduler (kernel/sched); under the run-queue lock. */
	unsigned long stack;       /* lowest address of the kernel stack */
	struct list_head run_node; /* the ring of its priority, while on_rq */
	enum task_state state;
	u32 flags;      /* TASK_* bits */
	u8 priority;    /* 0 idle only, 1 lowest .. 31 highest */
	bool on_rq;     /* runs or could: is in its priority's ring */
	bool killed;    /* has to end: all of its process, or all but one. Sleeps end with -EINTR */
	u8 kill_signal; /* what it did itself is to end its process by this; 0: nothing */
	s16 slice_left; /* ticks */
	bool fifo;      /* runs until it sleeps or yields, whatever its slice */
	u32 cpu;
	u64 nr_switches;       /* times switched out */
	u64 utime, stime;      /* ticks charged in user and kernel mode */
	struct mm *mm;         /* NULL for kernel threads; holds a reference */
	struct arch_task arch; /* saved stack pointer, FPU state */

	/* perf (kernel/perf). */
	u32 perf_active;        /* non-zero: has events that watch switches */
	struct perf_task *perf; /* its events; NULL: none ever */

	/* Processes (kernel/proc). */
	pid_t pid;                /* process->pid, beside tid for samplers; a kernel thread's tid */
	pid_t tid;                /* this thread; equals pid for the first one */
	char comm[TASK_COMM_LEN]; /* NUL-terminated name */
	struct process *process;  /* NULL: a kernel thread */
	struct files *files;      /* its process's; holds a reference; NULL once it ended */
	struct list_head thread_node; /* in process->threads */
	struct list_head all_node;    /* in the list of all tasks */
	u32 __user *clear_tid; /* zeroed and its futex woken when this thread ends; or NULL */
	s8 nice;               /* what setpriority() was told, under every policy */
	u8 policy;             /* UAPI_SCHED_* */
	bool gone;             /* off the CPU for good; may be freed */

	struct held_locks held; /* mutexes */
};
