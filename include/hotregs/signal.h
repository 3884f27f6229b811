/* SPDX-License-Identifier: MIT */
/*
 * Signals: what a thread and a process keep of them, how the kernel sends one, and what a task does
 * about them before it goes back to user mode. signal(7) says what programs see.
 */
#pragma once

#include <hotregs/list.h>
#include <hotregs/spinlock.h>
#include <hotregs/types.h>
#include <uapi/signal.h>

struct process;
struct process_timers;
struct pt_regs;
struct task;

/* A signal on its way, with what it says. */
struct signal_entry {
	struct list_head node;      /* in queue->entries, while it is queued */
	struct signal_queue *queue; /* the last one that it was in */
	struct uapi_siginfo info;
	bool kept;  /* part of something of its sender's, who may send it again: never freed */
	s32 missed; /* of a kept one: info.overrun when it was last taken */
};

/* Signals that have been sent and not been taken yet. */
struct signal_queue {
	uapi_sigset_t set;        /* which ones */
	struct list_head entries; /* oldest first; a signal without an entry says nothing more */
};

/* A thread's part. What others touch, too, is under the lock of its process. */
struct task_signals {
	uapi_sigset_t blocked;
	uapi_sigset_t
	    waits_for; /* sigtimedwait() sleeps until one of these comes, blocked or not */
	struct signal_queue queue; /* sent to this thread alone */
	/* The owner's: */
	uapi_sigset_t saved_mask;  /* to be blocked again once sigsuspend() is over: */
	bool restore_mask;         /* there is such a mask */
	bool again;                /* a system call goes on that was interrupted, */
	u64 deadline;              /* and the time until which it sleeps: signal_deadline() */
	unsigned long stack_base;  /* the alternate stack, */
	size_t stack_size;         /* in bytes; 0: none */
	struct uapi_siginfo fault; /* what it did itself and is to be told; signo 0: nothing */
	const char *fault_name;
};

/* A process's part, which its threads share. Under its lock. */
struct process_signals {
	struct spinlock lock;          /* inside task_list_lock, where both are held */
	struct signal_queue queue;     /* for whichever thread takes it first */
	struct uapi_sigaction *action; /* that of signal n is the one at n-1 */
	u32 nr_queued;                 /* entries in all its queues, but for kept ones */
	bool stopping;                 /* a thread has taken a stop signal, which still holds */
	u8 stopped;                    /* the signal that has stopped it; 0: it runs */
	u8 stop_report;                /* the same, until its parent has waited for that */
	bool continue_report;          /* it goes on, and its parent has not waited for that */
	struct process_timers *timers; /* NULL: none yet. kernel/proc/timer.c's */
};

/*
 * Sending. @info->signo is the signal, the rest what it says (uapi/signal.h). A signal that is
 * ignored is gone at once. An ordinary signal that is pending already stays the one it is. None of
 * these sleeps, and none may be called from an NMI: there, and where the run-queue lock is held,
 * irq_work has to do it. -EAGAIN: a real-time signal (SIGRTMIN and above) found no memory, or too
 * many are queued.
 */

/* To one thread, or to a process, whichever of its threads takes it. task_list_lock held. */
int signal_send_task(struct task *task, const struct uapi_siginfo *info);
int signal_send_process(struct process *process, const struct uapi_siginfo *info);

/*
 * The same with @entry, the sender's own (kept is set), which needs no memory: for something that
 * has happened @times times. @thread NULL: to the process. While it is queued since the last time,
 * its info.overrun counts. task_list_lock held.
 */
void signal_send_kept(struct process *process, struct task *thread, struct signal_entry *entry,
		      u64 times);

/* Takes @entry back, before it is freed or said anew. Any context but NMI. */
void signal_recall(struct process *process, struct signal_entry *entry);

/* @signal from the kernel to every process of group @pgid; -ESRCH: there is none. */
int signal_send_group(pid_t pgid, int signal);

/* @signal from the kernel to the calling thread, as SIGPIPE. */
void signal_send_self(int signal);

/*
 * The running program did in user mode what it may not (code, addr: as sigaction(2) has them; @name
 * for the report). It is told before it goes on: by its handler, or if it blocks or ignores the
 * signal, by its end. Any context, NMI too.
 */
void signal_fault(int signal, int code, unsigned long addr, const char *name);

/* --- For calls that sleep --- */

/* Does the caller have to leave a sleep to take a signal? Any context. */
#define signal_pending(task) (READ_ONCE((task)->work) != 0)

/* Will the caller never come back to user mode? For waits that no other signal may end. */
#define signal_fatal_pending() ((READ_ONCE(current->work) & TASK_WORK_EXIT) != 0)

/*
 * When a system call that sleeps for @ns has slept enough, in clock_ns(). A call that is
 * interrupted and goes on since no handler ran (one that was stopped) gets the same time again.
 */
u64 signal_deadline(u64 ns);

/* --- On the way back to user mode --- */

/*
 * Takes all signals that current does not block: ends, stops, or lets @regs enter the handlers.
 * @interrupted: @regs are those of a system call that has returned -EINTR, which is made again
 * unless a handler wants to know. Interrupts on; may sleep.
 */
void signal_deliver(struct pt_regs *regs, bool interrupted);

/* --- What becomes of them --- */

/* A new process's, with @parent's actions (NULL: the defaults); -ENOMEM. A new thread's, with the
 * caller's mask. */
int signals_init(struct process_signals *signals, struct process *parent);
void task_signals_init(struct task *task, uapi_sigset_t blocked);

/* The calling thread ends: others take what was for it as one of the process. */
void signals_leave(void);

/* A thread or a process goes away. Nobody can send any more. May sleep. */
void task_signals_free(struct task *task);
void signals_free(struct process *process);

/* current becomes another program: handlers are gone, what is ignored stays so. */
void signals_exec(void);
