/* SPDX-License-Identifier: MIT */
/* Signals, of which there are only the default actions: to end the process, or nothing. */
#include <hotregs/wait.h>
#include <uapi/types.h>

#include "proc.h"

/* Signals whose default action is nothing, and those that would stop: newlib's numbers. */
#define SIGURG   16
#define SIGSTOP  17
#define SIGTSTP  18
#define SIGCONT  19
#define SIGCHLD  20
#define SIGTTIN  21
#define SIGTTOU  22
#define SIGWINCH 28

#define IGNORED_SIGNALS (BIT(SIGURG) | BIT(SIGCONT) | BIT(SIGCHLD) | BIT(SIGWINCH))
#define STOP_SIGNALS    (BIT(SIGSTOP) | BIT(SIGTSTP) | BIT(SIGTTIN) | BIT(SIGTTOU))

/* May the caller send @signal to @task's process? */
static int check_kill(const struct task *task, int signal)
{
	int err;

	if (!task)
		return -ESRCH;
	err = process_may_access(task);
	if (err)
		return err;
	/* Only init itself may end the machine. */
	return task->process == init_process && task != current && signal ? -EPERM : 0;
}

/* There are no process groups, and nothing that could be stopped and go on: -EINVAL. */
int process_kill(pid_t pid, int signal)
{
	unsigned long flags;
	struct task *task;
	int err;

	if (pid <= 0 || signal < 0 || signal >= UAPI_NSIG || (STOP_SIGNALS & BIT(signal)))
		return -EINVAL;
	flags = spin_lock_irqsave(&task_list_lock);
	task = task_find(pid);
	err = check_kill(task, signal);
	if (!err && signal && !(IGNORED_SIGNALS & BIT(signal)))
		process_end(task->process, WAIT_STATUS_SIGNAL(signal));
	spin_unlock_irqrestore(&task_list_lock, flags);
	return err;
}
