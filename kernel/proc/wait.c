/* SPDX-License-Identifier: MIT */
/* Waiting for children, which frees what is left of them. */
#include <hotregs/perf_event.h>
#include <uapi/types.h>

#include "proc.h"

/* The first child that @pid means (-1: any) and that has ended; *any: is there one that has or
 * will? List lock held. */
static struct task *find_zombie(pid_t pid, bool *any)
{
	struct task *child;

	*any = false;
	list_for_each (child, &current->children, sibling) {
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
static struct task *take_zombie(pid_t pid, bool *any)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	struct task *child = find_zombie(pid, any);

	if (child) {
		list_del(&child->sibling);
		current->child_utime += child->utime + child->child_utime;
		current->child_stime += child->stime + child->child_stime;
	}
	spin_unlock_irqrestore(&task_list_lock, flags);
	return child;
}

/* Frees @child. Readers of /proc find its address space under the list lock, or not at all. */
static void reap(struct task *child)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	struct mm *mm = child->mm;

	child->mm = NULL;
	spin_unlock_irqrestore(&task_list_lock, flags);
	if (mm)
		mm_put(mm);
	perf_task_free(child);
	process_free(child);
}

pid_t process_wait(pid_t pid, int *status, int options)
{
	struct task *child;
	bool any;

	if ((options & ~UAPI_WNOHANG) || (pid <= 0 && pid != -1))
		return -EINVAL;
	while (!(child = take_zombie(pid, &any))) {
		if (!any)
			return -ECHILD;
		if (options & UAPI_WNOHANG)
			return 0;
		if (wait_event(current->child_exit, wait_is_over(pid)))
			return -EINTR;
	}
	pid = child->pid;
	*status = child->exit_status;
	reap(child);
	return pid;
}
