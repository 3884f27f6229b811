/* SPDX-License-Identifier: MIT */
/* System calls about the threads of a process: making and ending them, their names. */
#include <hotregs/fs.h>
#include <hotregs/perf_event.h>
#include <hotregs/string.h>
#include <hotregs/syscalls.h>

#include <arch/switch.h>
#include <arch/uaccess.h>

#include "proc.h"

_Static_assert(UAPI_THREAD_NAME_MAX == TASK_COMM_LEN, "");

/* Gives @task what the threads of current's process share; what was given when it fails is
 * thread_free()'s. */
static int share(struct task *task)
{
	refcount_get(&current->files->refs);
	task->files = current->files;
	task->mm = mm_get(current->mm);
	task_inherit_sched(task, current);
	return perf_task_fork(task);
}

/* Makes @task known; false: current has to end, and so have all its threads. */
static bool publish(struct task *task)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	bool ok = !signal_fatal_pending();

	if (ok)
		thread_publish(task);
	spin_unlock_irqrestore(&task_list_lock, flags);
	return ok;
}

long sys_thread_create(unsigned long entry, unsigned long arg, unsigned long stack,
		       unsigned long tls, u32 __user *user_tid)
{
	const u32 zero = 0;
	struct task *task;
	int err = check_room(false);
	pid_t tid;

	/* No processor is sent to an address of the kernel's, or to one that is none: returning
	 * there would fault in the kernel (Intel SDM vol. 2, IRET). */
	if (!err && (!user_range_ok(entry, 1) || copy_to_user(user_tid, &zero, sizeof(zero))))
		err = -EFAULT;
	if (err)
		return err;
	threads_reap(current->process);
	task = thread_create(current->process, current->comm, user_task_begin, NULL);
	if (IS_ERR(task))
		return PTR_ERR(task);
	arch_user_thread_init(task, entry, arg, stack);
	err = arch_set_tls(task, tls) ?: share(task);
	if (!err && !publish(task))
		err = -EINTR;
	if (err) {
		thread_free(task);
		return err;
	}
	tid = task->tid;
	task->clear_tid = user_tid;
	/* Somebody may have taken the memory away meanwhile: then nobody will be told of its end.
	 */
	copy_to_user(user_tid, &tid, sizeof(tid));
	perf_task_forked(task);
	sched_start(task);
	return tid;
}

long sys_thread_exit(int status)
{
	thread_exit(WAIT_STATUS_EXIT(status));
	return 0;
}

long sys_thread_set_tls(unsigned long tls)
{
	return arch_set_tls(current, tls);
}

long sys_thread_set_clear_tid(u32 __user *tid)
{
	current->clear_tid = tid;
	return current->tid;
}

struct task *thread_find_own(pid_t tid)
{
	struct task *task = task_find(tid);

	return task && task->process == current->process && !task->ended ? task : NULL;
}

long sys_thread_setname(pid_t tid, const char __user *user_name)
{
	char name[TASK_COMM_LEN];
	ssize_t len = strncpy_from_user(name, user_name, sizeof(name));
	unsigned long flags;
	struct task *task;

	if (len < 0)
		return len == -ENAMETOOLONG ? -ERANGE : len;
	flags = spin_lock_irqsave(&task_list_lock);
	task = thread_find_own(tid);
	if (task)
		strlcpy(task->comm, name, sizeof(task->comm));
	spin_unlock_irqrestore(&task_list_lock, flags);
	if (!task)
		return -ESRCH;
	perf_task_comm(tid);
	return 0;
}

long sys_thread_getname(pid_t tid, char __user *user_name, size_t size)
{
	char name[TASK_COMM_LEN];
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	const struct task *task = thread_find_own(tid);
	size_t len;

	if (task)
		strlcpy(name, task->comm, sizeof(name));
	spin_unlock_irqrestore(&task_list_lock, flags);
	if (!task)
		return -ESRCH;
	len = strlen(name);
	if (size <= len)
		return -ERANGE;
	return copy_to_user(user_name, name, len + 1) ?: (long)len;
}
