/* SPDX-License-Identifier: MIT */
/* Job control: processes that stop and go on, and what their parents are told of it. */
#include "signals.h"

static struct wait_queue parked = WAIT_QUEUE_INIT(parked);

void signal_unpark(void)
{
	wake_up(&parked);
}

bool signal_job_control(struct process *process, int signal)
{
	struct process_signals *s = &process->signals;

	if (UAPI_SIGBIT(signal) & STOP_SIGNALS)
		signal_discard(process, UAPI_SIGBIT(UAPI_SIGCONT));
	if (signal != UAPI_SIGCONT)
		return false;
	signal_discard(process, STOP_SIGNALS);
	s->stopping = false;
	if (!s->stopped)
		return false;
	s->stopped = s->stop_report = 0;
	s->continue_report = true;
	signal_unpark();
	return true;
}

bool group_is_orphaned(const struct process *process)
{
	struct task *task;

	list_for_each (task, &task_list, all_node) {
		const struct process *member = task->process, *parent;

		if (!member || member->leader != task || member->pgid != process->pgid)
			continue;
		parent = member->parent;
		if (!member->zombie && parent && parent->sid == member->sid &&
		    parent->pgid != member->pgid)
			return false;
	}
	return true;
}

/* Marks current's process as stopped and gets its other threads here; false: it is not to be. */
static bool stop_all(int signal)
{
	struct process *process = current->process;
	struct process_signals *s = &process->signals;
	struct task *task;
	bool stops;

	if (signal != UAPI_SIGSTOP && group_is_orphaned(process))
		return false;
	spin_lock(&s->lock);
	stops = s->stopping && !s->stopped;
	s->stopping = false;
	if (stops) {
		s->stopped = s->stop_report = signal;
		s->continue_report = false;
		list_for_each (task, &process->threads, thread_node)
			task_notify(task, TASK_WORK_SIGNAL);
	}
	spin_unlock(&s->lock);
	return stops;
}

void signal_stop(int signal)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);

	if (stop_all(signal))
		signal_tell_parent(current->process, UAPI_CLD_STOPPED, signal);
	spin_unlock_irqrestore(&task_list_lock, flags);
}

__sched void signal_park(void)
{
	const u8 *stopped = &current->process->signals.stopped;
	struct waiter w;

	while (READ_ONCE(*stopped) && !signal_fatal_pending()) {
		wait_prepare(&parked, &w);
		if (READ_ONCE(*stopped) && !signal_fatal_pending())
			schedule();
		wait_finish(&parked, &w);
	}
}

void signal_tell_parent(struct process *process, int code, int status)
{
	struct process *parent = process->parent;
	const struct uapi_siginfo info = {
	    .signo = UAPI_SIGCHLD,
	    .code = code,
	    .status = status,
	    .pid = process->pid,
	    .uid = process->uid,
	};
	bool ended = code == UAPI_CLD_EXITED || code == UAPI_CLD_KILLED;

	if (!parent)
		return;
	if (ended || !(READ_ONCE(signal_action(parent, UAPI_SIGCHLD)->flags) & UAPI_SA_NOCLDSTOP))
		signal_send_process(parent, &info);
	wake_up(&parent->child_exit);
}

bool signal_parent_ignores(struct process *process)
{
	const struct uapi_sigaction *action = signal_action(process->parent, UAPI_SIGCHLD);

	return action->handler == UAPI_SIG_IGN || (action->flags & UAPI_SA_NOCLDWAIT);
}
