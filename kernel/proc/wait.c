/* SPDX-License-Identifier: MIT */
/* Waiting for children: that they end, which frees what is left of them, stop or go on. */
#include <hotregs/perf_event.h>
#include <uapi/types.h>

#include "proc.h"

#define KNOWN_OPTIONS (UAPI_WNOHANG | UAPI_WUNTRACED | UAPI_WCONTINUED)

/* What waitpid()'s first argument names: a child, all (-1), the caller's group (0), another (< -1).
 */
static bool is_meant(const struct process *child, pid_t pid)
{
	if (pid > 0)
		return child->pid == pid;
	return pid == -1 || child->pgid == (pid ? -pid : current->process->pgid);
}

/* Has @child something to tell? List lock held. */
static bool has_news(const struct process *child, int options)
{
	return child->zombie || ((options & UAPI_WUNTRACED) && child->signals.stop_report) ||
	       ((options & UAPI_WCONTINUED) && child->signals.continue_report);
}

/* The first child that @pid means and that has something to tell; *any: is there one that has or
 * may have? List lock held. */
static struct process *find_news(pid_t pid, int options, bool *any)
{
	struct process *child;

	*any = false;
	list_for_each (child, &current->process->children, sibling) {
		if (!is_meant(child, pid))
			continue;
		*any = true;
		if (has_news(child, options))
			return child;
	}
	return NULL;
}

/* Has process_wait() something to return: news, or that there can not be any? */
static bool wait_is_over(pid_t pid, int options)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	bool any;
	bool over = find_news(pid, options, &any) || !any;

	spin_unlock_irqrestore(&task_list_lock, flags);
	return over;
}

/* Takes a zombie away from the list of children. List lock held. */
static void take_zombie(struct process *child)
{
	struct process *self = current->process;
	u64 utime, stime;

	list_del(&child->sibling);
	process_times(child, &utime, &stime);
	self->child_utime += utime + child->child_utime;
	self->child_stime += stime + child->child_stime;
}

/* That @child has stopped or gone on, which is told once. List lock held. */
static int take_report(struct process *child, int options)
{
	struct process_signals *s = &child->signals;
	int status;

	spin_lock(&s->lock);
	if ((options & UAPI_WUNTRACED) && s->stop_report) {
		status = WAIT_STATUS_STOP(s->stop_report);
		s->stop_report = 0;
	} else {
		status = WAIT_STATUS_CONTINUED;
		s->continue_report = false;
	}
	spin_unlock(&s->lock);
	return status;
}

/* The number of a child that has something to tell, and *status; *zombie is to be freed. 0: none
 * has yet; -ECHILD. */
static pid_t take_news(pid_t pid, int options, int *status, struct process **zombie)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	bool any;
	struct process *child = find_news(pid, options, &any);
	pid_t found = child ? child->pid : any ? 0 : -ECHILD;

	*zombie = NULL;
	if (child && child->zombie) {
		take_zombie(child);
		*status = child->exit_status;
		*zombie = child;
	} else if (child) {
		*status = take_report(child, options);
	}
	spin_unlock_irqrestore(&task_list_lock, flags);
	return found;
}

pid_t process_wait(pid_t pid, int *status, int options)
{
	struct process *zombie;
	pid_t found;

	if (options & ~KNOWN_OPTIONS)
		return -EINVAL;
	if (pid == INT32_MIN)
		return -ESRCH;
	while (!(found = take_news(pid, options, status, &zombie)) && !(options & UAPI_WNOHANG))
		if (wait_event(&current->process->child_exit, wait_is_over(pid, options)))
			return -EINTR;
	if (zombie)
		process_free(zombie);
	return found;
}
