/* SPDX-License-Identifier: MIT */
/* The end of a process, from its own last act to what its parent finds; and of the machine. */
#include <hotregs/fs.h>
#include <hotregs/perf_event.h>
#include <hotregs/printk.h>

#include <arch/power.h>

#include "proc.h"

/* What the machine's exit code says when init's own cannot be passed on. */
#define CODE_INIT_FAILED 125

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
	arch_power_off(MIN(code, CODE_INIT_FAILED));
}

/* Gives @process's children to init, which may have to wait for some of them at once. */
static void give_children_to_init(struct process *process)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	struct process *child, *next;
	bool zombies = false;

	list_for_each_safe (child, next, &process->children, sibling) {
		list_del(&child->sibling);
		list_add_tail(&child->sibling, &init_process->children);
		child->parent = init_process;
		WRITE_ONCE(child->ppid, init_process->pid);
		zombies |= child->zombie;
	}
	spin_unlock_irqrestore(&task_list_lock, flags);
	if (zombies)
		wake_up(&init_process->child_exit);
}

void process_exit(int status)
{
	struct task *task = current;

	files_put(task->files);
	task->files = NULL;
	if (task->process == init_process)
		end_machine(status);
	give_children_to_init(task->process);
	task->process->exit_status = status;
	check_no_locks();
	/* The address space stays: the last switch's sample has a user chain, too. */
	irq_disable();
	task->state = TASK_DEAD;
	schedule();
	panic("a process that has ended was run");
}

void process_thread_gone(struct task *task)
{
	struct process *process = task->process;

	perf_task_dead(task, READ_ONCE(process->ppid));
	spin_lock(&task_list_lock);
	task->gone = true;
	process->zombie = true;
	/* Under the lock: once the parent has seen a zombie, it frees it. */
	if (process->parent)
		wake_up(&process->parent->child_exit);
	spin_unlock(&task_list_lock);
}
