/* SPDX-License-Identifier: MIT */
/* Who may use a terminal: the group in its foreground, and others as far as they are let. */
#include "proc.h"
#include "signals.h"

int process_check_group(pid_t pgid)
{
	unsigned long flags;
	bool exists;

	if (pgid <= 0)
		return -EINVAL;
	flags = spin_lock_irqsave(&task_list_lock);
	exists = group_exists(pgid, current->process->sid);
	spin_unlock_irqrestore(&task_list_lock, flags);
	return exists ? 0 : -EPERM;
}

int process_check_session(pid_t sid)
{
	const struct process *leader;
	unsigned long flags;
	bool others;

	if (!sid || current->process->sid == sid)
		return 0;
	flags = spin_lock_irqsave(&task_list_lock);
	leader = process_find(sid);
	others = leader && leader->sid == sid && !leader->zombie;
	spin_unlock_irqrestore(&task_list_lock, flags);
	return others ? -ENOTTY : 0;
}

/* Does the caller not want to hear of @signal? */
static bool refuses(int signal)
{
	const struct process_signals *s = &current->process->signals;

	return (current->signals.blocked & UAPI_SIGBIT(signal)) ||
	       READ_ONCE(s->action[signal - 1].handler) == UAPI_SIG_IGN;
}

int process_check_foreground(pid_t foreground, int signal)
{
	struct process *self = current->process;
	unsigned long flags;
	bool orphaned;

	if (!foreground || !self || READ_ONCE(self->pgid) == foreground)
		return 0;
	if (refuses(signal))
		return signal == UAPI_SIGTTOU ? 0 : -EIO;
	flags = spin_lock_irqsave(&task_list_lock);
	orphaned = group_is_orphaned(self);
	spin_unlock_irqrestore(&task_list_lock, flags);
	if (orphaned)
		return -EIO;
	signal_send_group(self->pgid, signal);
	return -EINTR;
}
