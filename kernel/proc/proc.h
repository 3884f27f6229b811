/* SPDX-License-Identifier: MIT */
/* What the files of kernel/proc share. */
#pragma once

#include <hotregs/process.h>
#include <uapi/types.h>

struct file_image;
struct uapi_timespec;

/* The first process: takes over orphans, cannot be killed by others, ends the machine when it ends.
 * Set before it runs; never NULL after. */
extern struct process *init_process;

/* A process of one thread, without memory and files yet, which will run entry(arg) in the kernel;
 * not published. ERR_PTR(-ENOMEM). */
struct process *process_create(const char *comm, void (*entry)(void *arg), void *arg);

/*
 * Gives @process its number and makes it known, as a child of current's @parent. Its leader may
 * then be given to sched_start(). False: current has to end, by a signal that may have been for its
 * whole group, which a child must not escape. @parent NULL (init's): true.
 */
bool process_publish(struct process *process, struct process *parent);

/*
 * One more thread of @process, which it holds, without memory and files yet, not published; it will
 * run entry(arg) in the kernel. ERR_PTR(-ENOMEM).
 */
struct task *thread_create(struct process *process, const char *comm, void (*entry)(void *arg),
			   void *arg);

/* Gives @task its number and makes it known. task_list_lock held. */
void thread_publish(struct task *task);

/* Frees a thread that never ran or is gone; with the last one, its process. May sleep. */
void thread_free(struct task *task);

/* Frees those threads of @process that are gone, but its leader. May sleep. */
void threads_reap(struct process *process);

/* Thread @tid of the caller's process; NULL: it has none, or that one has ended. List lock held. */
struct task *thread_find_own(pid_t tid);

/*
 * Makes current the only thread of its process, under the process's number: the others end, and are
 * freed. -EINTR: current has to end itself. May sleep.
 */
int threads_end_others(void);

/* Frees a process that was never published, or that has been waited for. May sleep. */
void process_free(struct process *process);

/* Is there room for one more thread, or process? -EAGAIN: too many are there; -ENOMEM. */
int check_room(bool process);

/* The first code of a task whose user frame is filled: it goes there, unless a signal was faster.
 */
void user_task_begin(void *arg);

/* Gives @task policy and priority of @from. */
void task_inherit_sched(struct task *task, const struct task *from);

/* Is there a process group @pgid, and in session @sid? List lock held. */
bool group_exists(pid_t pgid, pid_t sid);

/* Threads that are stopped look if they have to end. Any context but NMI. */
void signal_unpark(void);

/* The report on the console of current's end by the signal of @info; @name: of the fault, NULL: it
 * was none. @regs are its own. May sleep. */
void process_report(struct pt_regs *regs, const struct uapi_siginfo *info, const char *name);

/* What perf_event's MMAP records and /proc call @file, whose copy it takes over, also when it
 * fails;
 * @image has its build-id (NULL: none). ERR_PTR(-ENOMEM). */
struct exe *exe_create(struct file_image *file, const struct elf_image *image);

/* Nanoseconds; what 64 bits do not hold is for ever. -EINVAL. The same of what @user says; -EFAULT
 * too. The second may sleep. */
int timespec_to_ns(u64 *ns, const struct uapi_timespec *ts);
int timespec_from_user(u64 *ns, const struct uapi_timespec __user *user);
