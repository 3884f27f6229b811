/* SPDX-License-Identifier: MIT */
/* Waiting for children, which frees what is left of them. */
#include <hotregs/perf_event.h>
#include <uapi/types.h>

#include "proc.h"

/* The first child that @pid means (-1: any) and that has ended; *any: is there one that has or
 * will? List lock held. */
static struct process *find_zombie(pid_t pid, bool *any)
{
	struct process *child;

	*any = false;
	list_for_each (child, &current->process->children, sibling) {
		if (pid != -1 && child->pid != pid)
			continue;
		*any = true;
		if (child->zombie)
			return child;
	}
	return NULL;
}

/* Has process_wait() something to return: a child that has ended, or none that could? */
static bool wait_is_over(pid_t pid)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	bool any;
	bool over = find_zombie(pid, &any) || !any;

	spin_unlock_irqrestore(&task_list_lock, flags);
	return over;
}

/* Takes a zombie away from the list of children; NULL: none now. */
static struct process *take_zombie(pid_t pid, bool *any)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	struct process *child = find_zombie(pid, any), *self = current->process;
	u64 utime, stime;

	if (child) {
		list_del(&child->sibling);
		process_times(child, &utime, &stime);
		self->child_utime += utime + child->child_utime;
		self->child_stime += stime + child->child_stime;
	}
	spin_unlock_irqrestore(&task_list_lock, flags);
	return child;
}

pid_t process_wait(pid_t pid, int *status, int options)
{
	struct process *child;
	bool any;

	if ((options & ~UAPI_WNOHANG) || (pid <= 0 && pid != -1))
		return -EINVAL;
	while (!(child = take_zombie(pid, &any))) {
		if (!any)
			return -ECHILD;
		if (options & UAPI_WNOHANG)
			return 0;
		if (wait_event(&current->process->child_exit, wait_is_over(pid)))
			return -EINTR;
	}
	pid = child->pid;
	*status = child->exit_status;
	process_free(child);
	return pid;
}
