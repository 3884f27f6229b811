/* SPDX-License-Identifier: MIT */
/*
 * struct task: a thread of execution, kernel's or user's. The rooms each own a part of it. What the
 * threads of a program have in common is struct process (hotregs/process.h).
 */
#pragma once

#include <hotregs/breakpoint.h>
#include <hotregs/check.h>
#include <hotregs/list.h>
#include <hotregs/signal.h>
#include <hotregs/types.h>

#include <asm/task.h> /* struct arch_task, KERNEL_STACK_SIZE */

struct mm;
struct files;
struct mutex;
struct perf_move;
struct perf_task;
struct process;
struct pt_regs;

#define TASK_COMM_LEN 16

/* A bit of perf_active: what happens at switches besides events; see sched_hook_switches(). */
#define SWITCH_HOOKED BIT(30)

/* Task flags. */
#define TASK_KTHREAD BIT(0) /* never runs in user mode, owns no mm */
#define TASK_IDLE    BIT(1) /* a CPU's idle loop, pid 0 */

/* What exit_to_user() has to do. */
#define TASK_WORK_SIGNAL BIT(0) /* there may be signals that it has to take */
#define TASK_WORK_EXIT   BIT(1) /* it has to end: all of its process, or all but one */
#define TASK_WORK_TRAP   BIT(2) /* its events with sigtrap have some for it */

enum task_state {
	TASK_RUNNING,  /* running or on a run queue, or it has not begun */
	TASK_SLEEPING, /* waits; wake_up_task() makes it run */
	TASK_DEAD,     /* has switched away, or is about to, for the last time */
};

/* Could it run? */
enum task_on_rq {
	RQ_NOT,    /* it sleeps, has ended or has not begun */
	RQ_QUEUED, /* it runs or could: is in its priority's ring of its processor */
	RQ_MOVING, /* it could, but is on its way to another processor's queue */
};

/* What is to happen as soon as it has been switched away from. */
enum task_leaves {
	LEAVES_NOT,
	LEAVES_CPU,      /* it goes to the processor task->target */
	LEAVES_FOR_GOOD, /* it has ended */
};

struct task {
	/* Scheduler (kernel/sched); under the run-queue lock. */
	struct list_head run_node; /* first: the ring of its priority, while on_rq */
	unsigned long stack;       /* lowest address of the kernel stack */
	enum task_state state;
	u32 flags;         /* TASK_* bits */
	u8 priority;       /* 0 idle only, 1 lowest .. 31 highest; see own_priority */
	u8 on_rq;          /* enum task_on_rq */
	u8 work;           /* TASK_WORK_*: what to do before user mode; sleeps end with -EINTR */
	u8 leaves;         /* enum task_leaves; not 0 only while it runs */
	s16 slice_left;    /* ticks */
	bool fifo;         /* runs until it sleeps or yields, whatever its slice */
	u8 own_priority;   /* as it was set; who waits for it may lend it a higher one */
	u32 cpu;           /* whose run queue, and lock, is its; see sched_move() */
	u32 target;        /* with LEAVES_CPU: where it goes */
	u32 affinity;      /* where it may run: bit n is cpus[n] */
	u64 nr_switches;   /* times switched out */
	u64 nr_migrations; /* times that it was sent to another processor */
	u64 utime, stime;  /* ticks charged in user and kernel mode */
	struct mm *mm;     /* NULL for kernel threads; holds a reference */
	struct arch_task arch; /* saved stack pointer, FPU state */

	/* Mutexes (kernel/sched/mutex.c). */
	struct mutex *waits_for;    /* or NULL */
	struct list_head wait_node; /* in the line for it */
	struct mutex *waited_for;   /* of those it has: a list of all that others wait for */

	/* perf (kernel/perf). */
	u32 perf_active;         /* non-zero: has events that watch switches, or SWITCH_HOOKED */
	struct perf_task *perf;  /* its events; NULL: none ever */
	struct perf_move *moves; /* captured since it last ran, oldest first; run-queue lock */

	struct task_breakpoints breakpoints; /* kernel/breakpoint's */

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
	bool ended;            /* of a process, runs no more of its program; under task_list_lock */
	bool gone;             /* off the CPU for good; may be freed */
	struct task_signals signals;

	struct held_locks held; /* mutexes */
	struct task_check check;
};

/* The processor that @task is at, or is on its way to. Its run-queue lock is held. */
static inline u32 task_destination(const struct task *task)
{
	return task->leaves == LEAVES_CPU ? task->target : task->cpu;
}

/*
 * Adds to what @task, which is current, has to do before it goes to user mode, or takes away from
 * it; task_notify() adds to another task's. Any context.
 */
static inline void task_set_work(struct task *task, u8 work)
{
	__atomic_fetch_or(&task->work, work, __ATOMIC_RELEASE);
}

static inline void task_clear_work(struct task *task, u8 work)
{
	__atomic_fetch_and(&task->work, (u8)~work, __ATOMIC_ACQUIRE);
}
