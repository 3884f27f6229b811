/* SPDX-License-Identifier: MIT */
/* Sending signals: whom they reach, what is queued, who is woken. */
#include <hotregs/string.h>

#include "signals.h"

#define QUEUED_MAX 256 /* entries of a process */

enum signal_default signal_default(int signal)
{
	switch (signal) {
	case UAPI_SIGQUIT:
	case UAPI_SIGILL:
	case UAPI_SIGTRAP:
	case UAPI_SIGABRT:
	case UAPI_SIGEMT:
	case UAPI_SIGFPE:
	case UAPI_SIGBUS:
	case UAPI_SIGSEGV:
	case UAPI_SIGSYS:
	case UAPI_SIGXCPU:
	case UAPI_SIGXFSZ:
		return DEFAULT_REPORT;
	case UAPI_SIGURG:
	case UAPI_SIGCONT: /* it has done its work when it was sent */
	case UAPI_SIGCHLD:
	case UAPI_SIGWINCH:
		return DEFAULT_IGNORE;
	case UAPI_SIGSTOP:
	case UAPI_SIGTSTP:
	case UAPI_SIGTTIN:
	case UAPI_SIGTTOU:
		return DEFAULT_STOP;
	default:
		return DEFAULT_END;
	}
}

bool signal_ignored(struct process *process, int signal)
{
	u64 handler = signal_action(process, signal)->handler;

	return handler == UAPI_SIG_IGN ||
	       (handler == UAPI_SIG_DFL && signal_default(signal) == DEFAULT_IGNORE);
}

bool signal_spares_init(struct process *process, int signal)
{
	return process == init_process &&
	       !(current->process == process && !this_cpu()->irq_depth) &&
	       signal_action(process, signal)->handler == UAPI_SIG_DFL &&
	       signal_default(signal) != DEFAULT_IGNORE;
}

static bool wants(const struct task *task, int signal)
{
	const struct task_signals *s = &task->signals;

	return !task->gone && !(s->blocked & ~s->waits_for & UAPI_SIGBIT(signal));
}

struct task *signal_find_taker(struct process *process, const struct task *leaves, int signal)
{
	struct task *task;

	if (current->process == process && current != leaves && wants(current, signal))
		return current;
	list_for_each (task, &process->threads, thread_node)
		if (task != leaves && wants(task, signal))
			return task;
	return NULL;
}

void signal_notify(struct task *task)
{
	task_notify(task, TASK_WORK_SIGNAL);
}

/* A copy of @info that can wait; NULL: there is no room. Lock held. */
static __always_inline struct signal_entry *make_entry(struct process *process,
						       const struct uapi_siginfo *info)
{
	struct signal_entry *entry;

	if (process->signals.nr_queued >= QUEUED_MAX)
		return NULL;
	entry = kmalloc(sizeof(*entry));
	if (!entry)
		return NULL;
	entry->info = *info;
	entry->kept = false;
	process->signals.nr_queued++;
	return entry;
}

/* Puts a signal into @queue, where it is wanted. Lock held. */
static __always_inline int enqueue(struct process *process, struct signal_queue *queue,
				   const struct uapi_siginfo *info, struct signal_entry *kept)
{
	struct signal_entry *entry = kept ? kept : make_entry(process, info);

	if (entry)
		signal_queue_add(queue, entry);
	else if (info->signo < UAPI_SIGRTMIN)
		signal_queue_mark(queue, info->signo);
	else
		return -EAGAIN;
	return 0;
}

void signal_queue_info(struct process *process, struct signal_queue *queue,
		       const struct uapi_siginfo *info)
{
	enqueue(process, queue, info, NULL);
}

/* Does @signal end its process, for nobody blocks or handles it and there is nothing to report? */
static bool is_fatal(struct process *process, const struct task *taker, int signal)
{
	if (signal == UAPI_SIGKILL)
		return true;
	return taker && !(taker->signals.blocked & UAPI_SIGBIT(signal)) &&
	       signal_action(process, signal)->handler == UAPI_SIG_DFL &&
	       signal_default(signal) == DEFAULT_END;
}

/* As signal_send(), under the lock; *told: the parent of @process is to be told. */
static int send_locked(struct process *process, struct task *thread,
		       const struct uapi_siginfo *info, struct signal_entry *kept, bool *told)
{
	struct signal_queue *queue = thread ? &thread->signals.queue : &process->signals.queue;
	int signal = info->signo, err = 0;
	struct task *taker;

	if (signal_spares_init(process, signal))
		return 0;
	*told = signal_job_control(process, signal);
	if (thread)
		taker = wants(thread, signal) ? thread : NULL;
	else
		taker = signal_find_taker(process, NULL, signal);
	/* What is blocked may still be waited for, or get another action. */
	if (taker && signal_ignored(process, signal) &&
	    !(taker->signals.blocked & UAPI_SIGBIT(signal)))
		return 0;
	if (is_fatal(process, taker, signal)) {
		process_end(process, WAIT_STATUS_SIGNAL(signal));
		return 0;
	}
	if (signal_queue_wants(queue, signal))
		err = enqueue(process, queue, info, kept);
	if (taker && !err)
		signal_notify(taker);
	return err;
}

/* To @thread of @process, or, when it is NULL, to the process. List lock held. */
static int signal_send(struct process *process, struct task *thread,
		       const struct uapi_siginfo *info, struct signal_entry *kept)
{
	bool told = false;
	int err;

	if (process->zombie)
		return 0;
	spin_lock(&process->signals.lock);
	err = send_locked(process, thread, info, kept, &told);
	spin_unlock(&process->signals.lock);
	if (told)
		signal_tell_parent(process, UAPI_CLD_CONTINUED, UAPI_SIGCONT);
	return err;
}

int signal_send_task(struct task *task, const struct uapi_siginfo *info)
{
	return task->process ? signal_send(task->process, task, info, NULL) : -EPERM;
}

int signal_send_process(struct process *process, const struct uapi_siginfo *info)
{
	return signal_send(process, NULL, info, NULL);
}

void signal_send_kept(struct process *process, struct task *thread, struct signal_entry *entry,
		      u64 times)
{
	bool told = false;

	if (process->zombie)
		return;
	spin_lock(&process->signals.lock);
	if (list_empty(&entry->node)) {
		entry->info.overrun = MIN(times - 1, (u64)INT32_MAX);
		send_locked(process, thread, &entry->info, entry, &told);
	} else {
		entry->info.overrun = MIN(times + entry->info.overrun, (u64)INT32_MAX);
	}
	spin_unlock(&process->signals.lock);
	if (told)
		signal_tell_parent(process, UAPI_CLD_CONTINUED, UAPI_SIGCONT);
}

void signal_recall(struct process *process, struct signal_entry *entry)
{
	unsigned long flags = spin_lock_irqsave(&process->signals.lock);

	signal_queue_remove(entry);
	spin_unlock_irqrestore(&process->signals.lock, flags);
}

int signal_send_group(pid_t pgid, int signal)
{
	const struct uapi_siginfo info = {.signo = signal, .code = UAPI_SI_KERNEL};
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	int err = -ESRCH;
	struct task *task;

	list_for_each (task, &task_list, all_node) {
		struct process *process = task->process;

		if (!process || process->leader != task || process->pgid != pgid)
			continue;
		signal_send_process(process, &info);
		err = 0;
	}
	spin_unlock_irqrestore(&task_list_lock, flags);
	return err;
}

void signal_send_self(int signal)
{
	const struct uapi_siginfo info = {.signo = signal, .code = UAPI_SI_KERNEL};
	unsigned long flags = spin_lock_irqsave(&task_list_lock);

	signal_send_task(current, &info);
	spin_unlock_irqrestore(&task_list_lock, flags);
}

void signal_fault(int signal, int code, unsigned long addr, const char *name)
{
	struct task *task = current;

	task->signals.fault_name = name;
	task->signals.fault = (struct uapi_siginfo){.signo = signal, .code = code, .addr = addr};
	task_set_work(task, TASK_WORK_SIGNAL);
}
