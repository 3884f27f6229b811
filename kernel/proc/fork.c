/* SPDX-License-Identifier: MIT */
/* Making processes, and freeing what they are made of. */
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

static u64 nr_forks;     /* atomic, as is the next */
static u32 nr_processes; /* not yet freed */

u64 process_nr_forks(void)
{
	return READ_ONCE(nr_forks);
}

struct task *process_create(const char *comm, void (*entry)(void *arg), void *arg)
{
	struct task *task = task_create(comm, entry, arg);

	if (IS_ERR(task))
		return task;
	task->child_exit = kmalloc(sizeof(*task->child_exit));
	if (!task->child_exit) {
		task_free(task);
		return ERR_PTR(-ENOMEM);
	}
	__atomic_fetch_add(&nr_processes, 1, __ATOMIC_RELAXED);
	wait_queue_init(task->child_exit);
	strlcpy(task->cwd, "/", sizeof(task->cwd));
	return task;
}

void process_free(struct task *task)
{
	if (task->files)
		files_put(task->files);
	if (task->mm)
		mm_put(task->mm);
	kfree(task->child_exit);
	task_free(task);
	__atomic_fetch_sub(&nr_processes, 1, __ATOMIC_RELAXED);
}

void process_publish(struct task *task, struct task *parent)
{
	unsigned long flags;

	/* Until sched_start() it does not sleep, whatever wakes it: a signal may come before. */
	task->state = TASK_RUNNING;
	if (parent) {
		flags = spin_lock_irqsave(&task_list_lock);
		task->parent = parent;
		list_add_tail(&task->sibling, &parent->children);
		spin_unlock_irqrestore(&task_list_lock, flags);
	}
	task_publish(task, 0);
	__atomic_fetch_add(&nr_forks, 1, __ATOMIC_RELAXED);
}

/* A child's first code: it has returned from fork() with 0, unless a signal was faster. */
static void fork_return(void *arg)
{
	exit_to_user(task_user_regs(current));
	irq_disable();
	arch_return_to_user();
}

/* Gives @child what it inherits from current; what was given when it fails is process_free()'s. */
static int inherit(struct task *child)
{
	struct files *files = files_fork(current->files);
	struct mm *mm;

	if (IS_ERR(files))
		return PTR_ERR(files);
	child->files = files;
	mm = mm_fork(current->mm);
	if (IS_ERR(mm))
		return PTR_ERR(mm);
	child->mm = mm;
	child->priority = current->priority;
	strlcpy(child->cwd, current->cwd, sizeof(child->cwd));
	arch_fork(child, current);
	return perf_task_fork(child);
}

/* Is there room for one more process? -EAGAIN: too many are there; -ENOMEM. */
static int check_room(void)
{
	if (READ_ONCE(nr_processes) >= MIN(page_nr_total() / PAGES_PER_PROCESS, PROCESS_MAX))
		return -EAGAIN;
	return page_can_spare(0) ? 0 : -ENOMEM;
}

pid_t process_fork(void)
{
	int err = check_room();
	struct task *child;
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
	process_publish(child, current);
	pid = child->pid;
	perf_task_forked(child);
	sched_start(child);
	return pid;
}
