/* SPDX-License-Identifier: MIT */
/* A process makes another one, as a copy of itself. */
#include <hotregs/fs.h>
#include <hotregs/perf_event.h>
#include <hotregs/string.h>

#include <arch/switch.h>

#include "proc.h"

/*
 * What keeps a fork bomb from taking the machine, beside the reserve of page_can_spare(): so much
 * memory there is for each process on average.
 */
#define PAGES_PER_PROCESS 64

/* A child's first code: it has returned from fork() with 0, unless a signal was faster. */
static void fork_return(void *arg)
{
	exit_to_user(task_user_regs(current));
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
	task->priority = current->priority;
	child->uid = current->process->uid;
	strlcpy(child->cwd, current->process->cwd, sizeof(child->cwd));
	arch_fork(task, current);
	return perf_task_fork(task);
}

/* Is there room for one more process? -EAGAIN: too many are there; -ENOMEM. */
static int check_room(void)
{
	if (process_count() >= MIN(page_nr_total() / PAGES_PER_PROCESS, PROCESS_MAX))
		return -EAGAIN;
	return page_can_spare(0) ? 0 : -ENOMEM;
}

pid_t process_fork(void)
{
	int err = check_room();
	struct process *child;
	pid_t pid;

	if (err)
		return err;
	child = process_create(current->comm, fork_return, NULL);
	if (IS_ERR(child))
		return PTR_ERR(child);
	err = inherit(child);
	if (err) {
		process_free(child);
		return err;
	}
	process_publish(child, current->process);
	pid = child->pid;
	perf_task_forked(child->leader);
	sched_start(child->leader);
	return pid;
}
