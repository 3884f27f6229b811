/* SPDX-License-Identifier: MIT */
/* System calls that send signals: to whom, and who may. */
#include <hotregs/syscalls.h>

#include "signals.h"

/* May the caller send @signal to @process? List lock held. */
static int check_kill(struct process *process, int signal)
{
	bool spared;
	int err;

	/* A session's shell lets its jobs go on, whoever they have become. */
	if (signal != UAPI_SIGCONT || process->sid != current->process->sid) {
		err = process_may_access(process->leader);
		if (err)
			return err;
	}
	spin_lock(&process->signals.lock);
	spared = signal && signal_spares_init(process, signal);
	spin_unlock(&process->signals.lock);
	/* Only init itself may end the machine. */
	return spared ? -EPERM : 0;
}

/* To the process of @task, NULL for none, or to @task alone; 0 as a signal only asks. List lock
 * held. */
static int kill_one(struct task *task, bool thread, const struct uapi_siginfo *info)
{
	int err;

	if (!task)
		return -ESRCH;
	if (!task->process)
		return -EPERM; /* kernel threads take none */
	err = check_kill(task->process, info->signo);
	if (err || !info->signo)
		return err;
	return thread ? signal_send_task(task, info) : signal_send_process(task->process, info);
}

/* To all processes of group @pgid, or with -1 to all but init and the caller. It is enough that one
 * could be reached. List lock held. */
static int kill_many(pid_t pgid, const struct uapi_siginfo *info)
{
	int result = -ESRCH;
	struct task *task;

	list_for_each (task, &task_list, all_node) {
		struct process *process = task->process;
		int err;

		if (!process || process->leader != task)
			continue;
		if (pgid == -1 ? process == init_process || process == current->process
			       : process->pgid != pgid)
			continue;
		err = kill_one(task, false, info);
		if (result)
			result = err;
	}
	return result;
}

/* Whose process kill() means by @pid. A thread's number is nobody's once it has ended; a process
 * has its leader's until it has been waited for. List lock held. */
static struct task *find(pid_t pid)
{
	struct task *task = task_find(pid);

	return task && (!task->ended || task->process->leader == task) ? task : NULL;
}

static struct uapi_siginfo make_info(int signal, int code)
{
	return (struct uapi_siginfo){
	    .signo = signal,
	    .code = code,
	    .pid = current->pid,
	    .uid = current->process->uid,
	};
}

long sys_kill(pid_t pid, int signal)
{
	const struct uapi_siginfo info = make_info(signal, UAPI_SI_USER);
	unsigned long flags;
	int err;

	if (signal < 0 || signal >= UAPI_NSIG)
		return -EINVAL;
	if (pid == INT32_MIN)
		return -ESRCH;
	flags = spin_lock_irqsave(&task_list_lock);
	if (pid > 0)
		err = kill_one(find(pid), false, &info);
	else
		err = kill_many(pid == -1 ? -1 : pid ? -pid : current->process->pgid, &info);
	spin_unlock_irqrestore(&task_list_lock, flags);
	return err;
}

long sys_tgkill(pid_t pid, pid_t tid, int signal)
{
	const struct uapi_siginfo info = make_info(signal, UAPI_SI_TKILL);
	unsigned long flags;
	struct task *task;
	int err = -ESRCH;

	if (pid <= 0 || tid <= 0 || signal < 0 || signal >= UAPI_NSIG)
		return -EINVAL;
	flags = spin_lock_irqsave(&task_list_lock);
	task = task_find(tid);
	if (task && task->pid == pid && !task->ended)
		err = kill_one(task, true, &info);
	spin_unlock_irqrestore(&task_list_lock, flags);
	return err;
}

long sys_sigqueue(pid_t pid, int signal, unsigned long value)
{
	struct uapi_siginfo info = make_info(signal, UAPI_SI_QUEUE);
	unsigned long flags;
	int err;

	if (pid <= 0 || signal < 0 || signal >= UAPI_NSIG)
		return -EINVAL;
	info.value = value;
	flags = spin_lock_irqsave(&task_list_lock);
	err = kill_one(find(pid), false, &info);
	spin_unlock_irqrestore(&task_list_lock, flags);
	return err;
}
