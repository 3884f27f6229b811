/* SPDX-License-Identifier: MIT */
/* A process makes another one, as a copy of itself. */
#include <hotregs/fs.h>
#include <hotregs/perf_event.h>
#include <hotregs/string.h>

#include <arch/switch.h>

#include "proc.h"

void user_task_begin(void *arg)
{
	exit_to_user(task_user_regs(current), false);
	irq_disable();
	arch_return_to_user();
}

/* Gives @child what it inherits from current; what was given when it fails is process_free()'s. */
static int inherit(struct process *child)
{
	struct files *files = files_fork(current->files);
	struct task *task = child->leader;
	struct mm *mm;

	if (IS_ERR(files))
		return PTR_ERR(files);
	task->files = files;
	mm = mm_fork(current->mm);
	if (IS_ERR(mm))
		return PTR_ERR(mm);
	task->mm = mm;
	task_inherit_sched(task, current);
	child->uid = current->process->uid;
	child->umask = READ_ONCE(current->process->umask);
	process_cwd(child->cwd);
	task->signals.stack_base = current->signals.stack_base;
	task->signals.stack_size = current->signals.stack_size;
	arch_fork(task, current);
	return perf_task_fork(task);
}

pid_t process_fork(void)
{
	int err = check_room(true);
	struct process *child;
	pid_t pid;

	if (err)
		return err;
	child = process_create(current->comm, user_task_begin, NULL);
	if (IS_ERR(child))
		return PTR_ERR(child);
	err = inherit(child);
	if (!err && !process_publish(child, current->process))
		err = -EINTR;
	if (err) {
		process_free(child);
		return err;
	}
	pid = child->pid;
	perf_task_forked(child->leader);
	sched_start(child->leader);
	return pid;
}
