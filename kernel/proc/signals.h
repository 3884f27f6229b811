/* SPDX-License-Identifier: MIT */
/* What the files about signals share. */
#pragma once

#include "proc.h"
#include "signal_queue.h"

/* What happens to a process that has said nothing about a signal. */
enum signal_default {
	DEFAULT_END,
	DEFAULT_REPORT, /* end, with a report on the console: where others write a core file */
	DEFAULT_IGNORE,
	DEFAULT_STOP,
};

enum signal_default signal_default(int signal);

#define STOP_SIGNALS                                                                         \
	(UAPI_SIGBIT(UAPI_SIGSTOP) | UAPI_SIGBIT(UAPI_SIGTSTP) | UAPI_SIGBIT(UAPI_SIGTTIN) | \
	 UAPI_SIGBIT(UAPI_SIGTTOU))

static inline struct uapi_sigaction *signal_action(struct process *process, int signal)
{
	return &process->signals.action[signal - 1];
}

/* Is nothing done about @signal, by request or by default? Lock held. */
bool signal_ignored(struct process *process, int signal);

/* Would @signal, sent by others, end or stop init, which must not be? Lock held. */
bool signal_spares_init(struct process *process, int signal);

/* The alternate stack, with the flags that it has for a thread with @regs. */
void signal_altstack(const struct pt_regs *regs, struct uapi_sigaltstack *stack);

/* Puts @info, of a standard signal, into @queue, whatever of its kind is there. Lock held. */
void signal_queue_info(struct process *process, struct signal_queue *queue,
		       const struct uapi_siginfo *info);

/* What current's events with sigtrap have to say becomes signals (kernel/proc/perf_trap.c). */
void signal_take_traps(void);

/* Takes the signal that current is to see next, of those in @set; 0: none. Lock held. */
int signal_take(uapi_sigset_t set, struct uapi_siginfo *info);

/* Throws away what is pending of @set everywhere in @process. List lock and lock held. */
void signal_discard(struct process *process, uapi_sigset_t set);

/* Sets what current blocks. Others may then have to take what it leaves. */
void signal_set_blocked(uapi_sigset_t blocked);

/* Who of @process but @leaves can take @signal now; NULL: nobody, before it is unblocked. List lock
 * and lock held. */
struct task *signal_find_taker(struct process *process, const struct task *leaves, int signal);

/* Gets @task to take a signal. Lock held. */
void signal_notify(struct task *task);

/* Lets other threads take what is pending for the process and @leaves is no longer to. List lock
 * and lock held. */
void signal_retarget(struct process *process, const struct task *leaves);

/* --- Stopping and going on (kernel/proc/signal_stop.c) --- */

/* Before @signal is sent: a stop signal and SIGCONT undo each other, and SIGCONT makes a stopped
 * process go on. True: its parent is to be told. List lock and lock held. */
bool signal_job_control(struct process *process, int signal);

/* Stops current's process by @signal, which was taken; sleeps until it goes on. */
void signal_stop(int signal);

/* Sleeps while current's process is stopped, unless it has to end. */
void signal_park(void);

/*
 * Is nobody there who would make @process go on: no parent of one in its group that belongs to the
 * session, but to another group (POSIX, "orphaned process group")? List lock held.
 */
bool group_is_orphaned(const struct process *process);

/* Tells @process's parent that it has stopped, goes on, or has ended. List lock held, no lock. */
void signal_tell_parent(struct process *process, int code, int status);

/* Does the parent of @process, which ends, want to hear nothing of it? List lock held. */
bool signal_parent_ignores(struct process *process);

/* --- Timers (kernel/proc/timer.c) --- */

/* Ends all timers of @process, which ends; or those of current's that exec does not keep. May
 * sleep. */
void process_timers_free(struct process *process);
void process_timers_exec(void);
