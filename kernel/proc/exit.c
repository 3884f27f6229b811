/* SPDX-License-Identifier: MIT */
/* The end of threads and of processes, from their own last act to what a parent finds; and of the
 * machine. */
#include <hotregs/fs.h>
#include <hotregs/futex.h>
#include <hotregs/perf_event.h>
#include <hotregs/printk.h>
#include <hotregs/smp.h>

#include <arch/power.h>
#include <arch/uaccess.h>

#include "signals.h"

/* What the machine's exit code says when init's own cannot be passed on. */
#define CODE_INIT_FAILED 125
/* The kernel itself did not behave (check_reports()), however well init did. */
#define CODE_REPORTS     123

/* Powers off because init has ended. */
static void __noreturn end_machine(int status)
{
	int code = status >> 8;

	if (status & 0x7f) {
		printk("init was ended by signal %d: powering off\n", status & 0x7f);
		code = CODE_INIT_FAILED;
	} else {
		printk("init exited with status %d: powering off\n", code);
	}
	if (check_reports()) {
		printk("the kernel's sanitizer has %u reports, see above\n", check_reports());
		code = CODE_REPORTS;
	}
	smp_stop_others();
	arch_power_off(MIN(code, CODE_INIT_FAILED));
}

/* Makes @child one of init's. List lock held. */
static void give_to_init(struct process *child)
{
	list_del(&child->sibling);
	list_add_tail(&child->sibling, &init_process->children);
	child->parent = init_process;
	WRITE_ONCE(child->ppid, init_process->pid);
}

/* Gives @process's children to init, which may have to wait for some of them at once. */
static void give_children_to_init(struct process *process)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	struct process *child, *next;
	bool zombies = false;

	list_for_each_safe (child, next, &process->children, sibling) {
		give_to_init(child);
		zombies |= child->zombie;
	}
	spin_unlock_irqrestore(&task_list_lock, flags);
	if (zombies)
		wake_up(&init_process->child_exit);
}

/* The whole process ends with its last thread. */
static void leave_process(struct process *process)
{
	if (process == init_process)
		end_machine(process->exit_status);
	give_children_to_init(process);
	process_timers_free(process);
}

/* Tells whoever joins the calling thread, if somebody is left to. */
static void clear_tid(void)
{
	u32 __user *addr = current->clear_tid;
	const u32 zero = 0;

	if (!addr || current->process->exiting)
		return;
	/* What a program made of that address is its own affair. */
	if (!copy_to_user(addr, &zero, sizeof(zero)))
		futex_wake_all(addr);
}

/* Inline, so that the last switch is where the end was decided. */
static __always_inline void leave(int status)
{
	struct task *task = current;
	struct process *process = task->process;
	unsigned long flags;
	bool last;

	files_put(task->files);
	task->files = NULL;
	threads_reap(process);
	signals_leave();
	flags = spin_lock_irqsave(&task_list_lock);
	task->ended = true;
	last = !--process->nr_alive;
	if (last && !process->exiting) {
		process->exiting = true;
		process->exit_status = status;
	}
	spin_unlock_irqrestore(&task_list_lock, flags);
	if (last)
		leave_process(process);
	clear_tid();
	check_no_locks();
	/* The address space stays: the last switch's sample has a user chain, too. */
	sched_exit();
	panic("a thread that has ended was run");
}

void thread_exit(int status)
{
	leave(status);
}

/* Makes @task end when it next is about to enter user mode. List lock held. */
static void kill_thread(struct task *task)
{
	task_notify(task, TASK_WORK_EXIT);
}

void process_end(struct process *process, int status)
{
	struct task *task;

	if (process->exiting)
		return;
	process->exiting = true;
	process->exit_status = status;
	list_for_each (task, &process->threads, thread_node)
		kill_thread(task);
	signal_unpark();
}

void process_exit(int status)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	bool told = signal_fatal_pending();

	process_end(current->process, status);
	/* It sees to its own end; until then it may sleep. */
	if (!told)
		task_clear_work(current, TASK_WORK_EXIT);
	spin_unlock_irqrestore(&task_list_lock, flags);
	leave(status);
}

/* Tells the other threads of current's process to end. False: current has to end itself. */
static bool kill_others(void)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	bool ok = !signal_fatal_pending();
	struct task *task;

	if (ok)
		list_for_each (task, &current->process->threads, thread_node)
			if (task != current)
				kill_thread(task);
	spin_unlock_irqrestore(&task_list_lock, flags);
	return ok;
}

/* Makes current, the only thread left, the leader; the one that was is freed. */
static void take_lead(struct process *process)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	struct task *old = process->leader;

	if (old != current) {
		old->tid = current->tid;
		current->tid = process->pid;
		process->leader = current;
	}
	spin_unlock_irqrestore(&task_list_lock, flags);
	threads_reap(process);
}

int threads_end_others(void)
{
	struct process *process = current->process;

	if (READ_ONCE(process->nr_present) == 1 && process->leader == current)
		return 0;
	if (!kill_others() ||
	    wait_event_killable(&process->thread_gone, READ_ONCE(process->nr_present) == 1))
		return -EINTR;
	take_lead(process);
	return 0;
}

/* Tells the parent of @process, which has ended; one that does not care has it taken off by init.
 * List lock held. */
static void tell_of_end(struct process *process)
{
	int status = process->exit_status, signal = status & 0x7f;
	struct process *parent = process->parent;

	signal_tell_parent(process, signal ? UAPI_CLD_KILLED : UAPI_CLD_EXITED,
			   signal ? signal : status >> 8);
	if (parent == init_process || !signal_parent_ignores(process))
		return;
	give_to_init(process);
	wake_up(&init_process->child_exit);
}

void process_thread_gone(struct task *task)
{
	struct process *process = task->process;

	perf_task_dead(task, READ_ONCE(process->ppid));
	spin_lock(&task_list_lock);
	task->gone = true;
	if (--process->nr_present) {
		wake_up(&process->thread_gone);
	} else {
		process->zombie = true;
		/* Under the lock: once the parent has seen a zombie, it frees it. */
		tell_of_end(process);
	}
	spin_unlock(&task_list_lock);
}
