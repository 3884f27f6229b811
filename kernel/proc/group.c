/* SPDX-License-Identifier: MIT */
/* System calls about process groups and sessions. */
#include <hotregs/syscalls.h>

#include "proc.h"

bool group_exists(pid_t pgid, pid_t sid)
{
	struct task *task;

	list_for_each (task, &task_list, all_node) {
		const struct process *process = task->process;

		if (process && process->pgid == pgid && process->sid == sid)
			return true;
	}
	return false;
}

/* The process a call is about: @pid, 0 for the caller; NULL. List lock held. */
static struct process *find(pid_t pid)
{
	return pid ? process_find(pid) : current->process;
}

/* May the caller move @process to @pgid? List lock held. */
static int check_move(const struct process *process, pid_t pgid)
{
	const struct process *self = current->process;

	if (!process || (process != self && process->parent != self))
		return -ESRCH;
	if (process != self && process->has_exec)
		return -EACCES; /* it may have found out which group it is in */
	if (process->sid == process->pid || process->sid != self->sid)
		return -EPERM;
	return pgid == process->pid || group_exists(pgid, self->sid) ? 0 : -EPERM;
}

long sys_setpgid(pid_t pid, pid_t pgid)
{
	struct process *process;
	unsigned long flags;
	int err;

	if (pid < 0 || pgid < 0)
		return -EINVAL;
	flags = spin_lock_irqsave(&task_list_lock);
	process = find(pid);
	if (process && !pgid)
		pgid = process->pid;
	err = check_move(process, pgid);
	if (!err)
		process->pgid = pgid;
	spin_unlock_irqrestore(&task_list_lock, flags);
	return err;
}

long sys_getpgid(pid_t pid)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	const struct process *process = find(pid);
	pid_t pgid = process ? process->pgid : -ESRCH;

	spin_unlock_irqrestore(&task_list_lock, flags);
	return pgid;
}

/* Who leads a group can not leave it. */
long sys_setsid(void)
{
	struct process *self = current->process;
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	struct task *task;
	pid_t sid = self->pid;

	list_for_each (task, &task_list, all_node)
		if (task->process && task->process->pgid == self->pid)
			sid = -EPERM;
	if (sid > 0)
		self->pgid = self->sid = sid;
	spin_unlock_irqrestore(&task_list_lock, flags);
	return sid;
}

long sys_getsid(pid_t pid)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	const struct process *process = find(pid);
	pid_t sid = process ? process->sid : -ESRCH;

	spin_unlock_irqrestore(&task_list_lock, flags);
	return sid;
}
