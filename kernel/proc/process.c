/* SPDX-License-Identifier: MIT */
/* What processes and their threads are made of: making it, freeing it, finding it. */
#include <hotregs/fs.h>
#include <hotregs/perf_event.h>
#include <hotregs/string.h>

#include "proc.h"

static u32 nr_processes; /* not yet freed; atomic */
static u64 nr_forks;     /* processes published since boot; under task_list_lock */

u32 process_count(void)
{
	return READ_ONCE(nr_processes);
}

u64 process_nr_forks(void)
{
	return READ_ONCE(nr_forks);
}

/* Drops a reference. */
static void process_put(struct process *process)
{
	if (!refcount_put(&process->refs))
		return;
	kfree(process);
	__atomic_fetch_sub(&nr_processes, 1, __ATOMIC_RELAXED);
}

/* A thread of @process, which it holds; ERR_PTR(-ENOMEM). */
static struct task *thread_create(struct process *process, const char *comm,
				  void (*entry)(void *arg), void *arg)
{
	struct task *task = task_create(comm, entry, arg);
	unsigned long flags;

	if (IS_ERR(task))
		return task;
	task->process = process;
	refcount_get(&process->refs);
	flags = spin_lock_irqsave(&task_list_lock);
	list_add_tail(&task->thread_node, &process->threads);
	spin_unlock_irqrestore(&task_list_lock, flags);
	return task;
}

struct process *process_create(const char *comm, void (*entry)(void *arg), void *arg)
{
	struct process *process = kzalloc(sizeof(*process));
	struct task *task;

	if (!process)
		return ERR_PTR(-ENOMEM);
	__atomic_fetch_add(&nr_processes, 1, __ATOMIC_RELAXED);
	refcount_set(&process->refs, 1); /* ours, until it has a thread */
	list_init(&process->threads);
	list_init(&process->children);
	list_init(&process->sibling);
	wait_queue_init(&process->child_exit);
	strlcpy(process->cwd, "/", sizeof(process->cwd));
	task = thread_create(process, comm, entry, arg);
	if (!IS_ERR(task))
		process->leader = task;
	process_put(process);
	return IS_ERR(task) ? (void *)task : process;
}

/* Frees a thread that never ran or is gone, and its process with the last one. */
static void thread_free(struct task *task)
{
	struct process *process = task->process;
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	struct mm *mm = task->mm;

	/* Readers of /proc find an address space under the list lock, or not at all. */
	task->mm = NULL;
	list_del(&task->thread_node);
	spin_unlock_irqrestore(&task_list_lock, flags);
	if (task->files)
		files_put(task->files);
	if (mm)
		mm_put(mm);
	perf_task_free(task);
	task_free(task);
	process_put(process);
}

void process_free(struct process *process)
{
	struct task *task, *next;

	list_for_each_safe (task, next, &process->threads, thread_node)
		thread_free(task);
}

void process_publish(struct process *process, struct process *parent)
{
	struct task *task = process->leader;
	unsigned long flags;

	/* Until sched_start() it does not sleep, whatever wakes it: a signal may come before. */
	task->state = TASK_RUNNING;
	task_publish(task, 0);
	flags = spin_lock_irqsave(&task_list_lock);
	process->pid = task->pid;
	process->pgid = parent ? parent->pgid : process->pid;
	process->sid = parent ? parent->sid : process->pid;
	process->parent = parent;
	process->ppid = parent ? parent->pid : 0;
	if (parent)
		list_add_tail(&process->sibling, &parent->children);
	nr_forks++;
	spin_unlock_irqrestore(&task_list_lock, flags);
}

struct process *process_find(pid_t pid)
{
	struct task *task = task_find(pid);

	return task && task->process && task->pid == pid ? task->process : NULL;
}

void process_times(const struct process *process, u64 *utime, u64 *stime)
{
	struct task *task;

	*utime = *stime = 0;
	list_for_each (task, &process->threads, thread_node) {
		*utime += task->utime;
		*stime += task->stime;
	}
}
