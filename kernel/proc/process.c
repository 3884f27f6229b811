/* SPDX-License-Identifier: MIT */
/* What processes and their threads are made of: making it, finding it, freeing it. */
#include <hotregs/fs.h>
#include <hotregs/perf_event.h>
#include <hotregs/string.h>

#include "proc.h"

/*
 * What keeps a fork bomb from taking the machine, beside the reserve of page_can_spare(): so much
 * memory there is for each process, and for each thread, on average. Of both, a part is for the
 * privileged user, who has to be able to end it.
 */
#define PAGES_PER_PROCESS 64
#define PAGES_PER_THREAD  16
#define PRIVILEGED_PART   8

static u32 nr_processes, nr_threads; /* not yet freed; atomic */
static u64 nr_forks;                 /* processes published since boot; under task_list_lock */

/* What the caller may have of @most. */
static size_t own_part(size_t most)
{
	return process_privileged() ? most : most - most / PRIVILEGED_PART;
}

int check_room(bool process)
{
	size_t pages = page_nr_total();

	if (READ_ONCE(nr_threads) >= own_part(MIN(pages / PAGES_PER_THREAD, THREAD_MAX)) ||
	    (process && READ_ONCE(nr_processes) >= own_part(pages / PAGES_PER_PROCESS)))
		return -EAGAIN;
	return page_can_spare(0) ? 0 : -ENOMEM;
}

u64 process_nr_forks(void)
{
	return READ_ONCE(nr_forks);
}

void process_cwd(char cwd[PROCESS_CWD_MAX])
{
	struct process *process = current->process;
	unsigned long flags;

	if (!process) {
		strlcpy(cwd, "/", PROCESS_CWD_MAX);
		return;
	}
	flags = spin_lock_irqsave(&process->cwd_lock);
	strlcpy(cwd, process->cwd, PROCESS_CWD_MAX);
	spin_unlock_irqrestore(&process->cwd_lock, flags);
}

void process_set_cwd(const char *cwd)
{
	struct process *process = current->process;
	unsigned long flags = spin_lock_irqsave(&process->cwd_lock);

	strlcpy(process->cwd, cwd, PROCESS_CWD_MAX);
	spin_unlock_irqrestore(&process->cwd_lock, flags);
}

/* Drops a reference. */
static void process_put(struct process *process)
{
	if (!refcount_put(&process->refs))
		return;
	signals_free(process);
	kfree(process);
	__atomic_fetch_sub(&nr_processes, 1, __ATOMIC_RELAXED);
}

struct task *thread_create(struct process *process, const char *comm, void (*entry)(void *arg),
			   void *arg)
{
	struct task *task = task_create(comm, entry, arg);

	if (IS_ERR(task))
		return task;
	__atomic_fetch_add(&nr_threads, 1, __ATOMIC_RELAXED);
	task->process = process;
	task_signals_init(task, current->signals.blocked);
	refcount_get(&process->refs);
	return task;
}

void thread_publish(struct task *task)
{
	struct process *process = task->process;

	task_publish(task, process->pid);
	list_add_tail(&task->thread_node, &process->threads);
	process->nr_alive++;
	process->nr_present++;
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
	wait_queue_init(&process->thread_gone);
	process->umask = 022;
	spin_lock_init(&process->cwd_lock);
	strlcpy(process->cwd, "/", sizeof(process->cwd));
	if (signals_init(&process->signals, current->process)) {
		process_put(process);
		return ERR_PTR(-ENOMEM);
	}
	task = thread_create(process, comm, entry, arg);
	if (!IS_ERR(task))
		process->leader = task;
	process_put(process);
	return IS_ERR(task) ? (void *)task : process;
}

void thread_free(struct task *task)
{
	struct process *process = task->process;
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	struct mm *mm = task->mm;

	/* Readers of /proc find an address space under the list lock, or not at all. */
	task->mm = NULL;
	list_del_init(&task->thread_node);
	process->freed_utime += task->utime;
	process->freed_stime += task->stime;
	spin_unlock_irqrestore(&task_list_lock, flags);
	if (task->files)
		files_put(task->files);
	if (mm)
		mm_put(mm);
	perf_task_free(task);
	task_signals_free(task);
	task_free(task);
	__atomic_fetch_sub(&nr_threads, 1, __ATOMIC_RELAXED);
	process_put(process);
}

void process_free(struct process *process)
{
	struct task *leader = process->leader;

	threads_reap(process);
	thread_free(leader);
}

/* A thread that is gone, the leader aside, taken off the list; NULL: none. */
static struct task *take_gone(struct process *process)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	struct task *task, *found = NULL;

	list_for_each (task, &process->threads, thread_node) {
		if (task->gone && task != process->leader) {
			list_del_init(&task->thread_node);
			found = task;
			break;
		}
	}
	spin_unlock_irqrestore(&task_list_lock, flags);
	return found;
}

void threads_reap(struct process *process)
{
	struct task *task;

	while ((task = take_gone(process)))
		thread_free(task);
}

static void publish(struct process *process, struct process *parent)
{
	thread_publish(process->leader);
	process->pid = process->leader->pid;
	process->pgid = parent ? parent->pgid : process->pid;
	process->sid = parent ? parent->sid : process->pid;
	process->parent = parent;
	process->ppid = parent ? parent->pid : 0;
	if (parent)
		list_add_tail(&process->sibling, &parent->children);
	nr_forks++;
}

bool process_publish(struct process *process, struct process *parent)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	bool ok = !parent || !signal_fatal_pending();

	if (ok)
		publish(process, parent);
	spin_unlock_irqrestore(&task_list_lock, flags);
	return ok;
}

struct process *process_find(pid_t pid)
{
	struct task *task = task_find(pid);

	return task && task->process && task->pid == pid ? task->process : NULL;
}

void process_times(const struct process *process, u64 *utime, u64 *stime)
{
	struct task *task;

	*utime = process->freed_utime;
	*stime = process->freed_stime;
	list_for_each (task, &process->threads, thread_node) {
		*utime += task->utime;
		*stime += task->stime;
	}
}
