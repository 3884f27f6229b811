/* SPDX-License-Identifier: MIT */
/* What threads and processes keep of signals: taking them, masks, and what a new one begins with.
 */
#include <hotregs/string.h>

#include "signals.h"

#define ACTIONS_SIZE ((UAPI_NSIG - 1) * sizeof(struct uapi_sigaction))

/* @entry has left its queue for good. Lock held. */
static void release(struct process *process, struct signal_entry *entry)
{
	if (entry->kept) {
		entry->missed = entry->info.overrun;
		entry->info.overrun = 0;
		return;
	}
	process->signals.nr_queued--;
	kfree(entry);
}

int signal_take(uapi_sigset_t set, struct uapi_siginfo *info)
{
	struct process *process = current->process;
	struct signal_queue *own = &current->signals.queue, *shared = &process->signals.queue;
	int signal = signal_first((own->set | shared->set) & set);
	struct signal_entry *entry;

	if (!signal)
		return 0;
	entry = signal_queue_take(own->set & UAPI_SIGBIT(signal) ? own : shared, signal);
	if (entry) {
		*info = entry->info;
		release(process, entry);
	} else {
		*info = (struct uapi_siginfo){.signo = signal};
	}
	return signal;
}

static void discard_from(struct process *process, struct signal_queue *q, uapi_sigset_t set)
{
	struct signal_entry *entry;

	while ((entry = signal_queue_drop(q, set)))
		release(process, entry);
}

void signal_discard(struct process *process, uapi_sigset_t set)
{
	struct task *task;

	discard_from(process, &process->signals.queue, set);
	list_for_each (task, &process->threads, thread_node)
		discard_from(process, &task->signals.queue, set);
}

void signal_retarget(struct process *process, const struct task *leaves)
{
	for (uapi_sigset_t set = process->signals.queue.set; set; set &= set - 1) {
		struct task *task = signal_find_taker(process, leaves, signal_first(set & -set));

		if (task)
			signal_notify(task);
	}
}

/* Has current blocked what is pending for its process? Another thread must take it then. */
static bool block(uapi_sigset_t blocked)
{
	struct process *process = current->process;
	struct task_signals *own = &current->signals;
	unsigned long flags = spin_lock_irqsave(&process->signals.lock);
	uapi_sigset_t added = blocked & ~own->blocked, shared = process->signals.queue.set;

	own->blocked = blocked;
	if ((shared | own->queue.set) & ~blocked)
		task_set_work(current, TASK_WORK_SIGNAL);
	spin_unlock_irqrestore(&process->signals.lock, flags);
	return shared & added;
}

/* Each handler begins and ends with this; so the lock of all tasks is taken where it must be. */
void signal_set_blocked(uapi_sigset_t blocked)
{
	struct process *process = current->process;
	unsigned long flags;

	if (likely(!block(blocked & ~UNBLOCKABLE)))
		return;
	flags = spin_lock_irqsave(&task_list_lock);
	spin_lock(&process->signals.lock);
	signal_retarget(process, NULL);
	spin_unlock(&process->signals.lock);
	spin_unlock_irqrestore(&task_list_lock, flags);
}

void signals_leave(void)
{
	struct process_signals *s = &current->process->signals;
	unsigned long flags = spin_lock_irqsave(&task_list_lock);

	spin_lock(&s->lock);
	current->signals.blocked = ~(uapi_sigset_t)0;
	signal_retarget(current->process, current);
	spin_unlock(&s->lock);
	spin_unlock_irqrestore(&task_list_lock, flags);
}

int signals_init(struct process_signals *signals, struct process *parent)
{
	unsigned long flags;

	spin_lock_init(&signals->lock);
	signal_queue_init(&signals->queue);
	signals->action = kzalloc(ACTIONS_SIZE);
	if (!signals->action)
		return -ENOMEM;
	if (parent) {
		flags = spin_lock_irqsave(&parent->signals.lock);
		memcpy(signals->action, parent->signals.action, ACTIONS_SIZE);
		spin_unlock_irqrestore(&parent->signals.lock, flags);
	}
	return 0;
}

void task_signals_init(struct task *task, uapi_sigset_t blocked)
{
	signal_queue_init(&task->signals.queue);
	task->signals.blocked = blocked;
}

void task_signals_free(struct task *task)
{
	struct process *process = task->process;
	unsigned long flags = spin_lock_irqsave(&process->signals.lock);

	discard_from(process, &task->signals.queue, ~0ULL);
	spin_unlock_irqrestore(&process->signals.lock, flags);
}

void signals_free(struct process *process)
{
	discard_from(process, &process->signals.queue, ~0ULL);
	kfree(process->signals.action);
}

void signals_exec(void)
{
	struct process *process = current->process;
	unsigned long flags = spin_lock_irqsave(&process->signals.lock);

	for (int signal = 1; signal < UAPI_NSIG; signal++) {
		struct uapi_sigaction *action = signal_action(process, signal);
		u64 handler = action->handler;

		*action = (struct uapi_sigaction){
		    .handler = handler == UAPI_SIG_IGN ? UAPI_SIG_IGN : UAPI_SIG_DFL};
	}
	current->signals.stack_base = 0;
	current->signals.stack_size = 0;
	spin_unlock_irqrestore(&process->signals.lock, flags);
}
