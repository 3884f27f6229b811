/* SPDX-License-Identifier: MIT */
/*
 * Mutexes, and how they make who has one as urgent as who waits for it.
 *
 * Else a task that is less urgent than both could keep the owner from its processor, and so the
 * waiter, for as long as it likes. An owner that waits for another mutex itself passes on how
 * urgent it has become, and so on. Only of mutexes that somebody waits for this is kept; to take
 * and give back another one is a single exchange.
 */
#include <hotregs/printk.h>
#include <hotregs/wait.h>

#include "run_queue.h"

/*
 * The lines of all mutexes: who waits for what, and by that all tasks' priorities, which change
 * under it and the lock of the task's run queue. One lock, since how urgent somebody is goes from
 * line to line.
 */
static struct spinlock lines = SPINLOCK_INIT;

static inline struct task *mutex_owner(const struct mutex *m)
{
	return (struct task *)(__atomic_load_n(&m->owner, __ATOMIC_ACQUIRE) & ~MUTEX_WAITED);
}

static inline bool mutex_is_mine(const struct mutex *m)
{
	return mutex_owner(m) == current;
}

/* --- Who is how urgent; lines held --- */

static inline struct task *first_in_line(const struct mutex *m)
{
	return list_first(&m->waiters, struct task, wait_node);
}

/* What @task has to run with: its own priority, or that of the most urgent who waits for it. */
static unsigned urgency(const struct task *task)
{
	unsigned most = task->own_priority;

	for (const struct mutex *m = task->waited_for; m; m = m->next)
		most = MAX(most, first_in_line(m)->priority);
	return most;
}

/* Puts @task in line for @m, behind all who are as urgent. */
static void line_up(struct mutex *m, struct task *task)
{
	struct list_head *before = m->waiters.prev;

	while (before != &m->waiters &&
	       list_entry(before, struct task, wait_node)->priority < task->priority)
		before = before->prev;
	list_add(&task->wait_node, before);
}

/* Who waits for @task, or its own priority, has changed; so may have how urgent it is, then its
 * place in line, then how urgent is whom it waits for. */
static void pass_on(struct task *task)
{
	unsigned priority;

	while ((priority = urgency(task)) != task->priority) {
		sched_requeue(task, priority);
		if (!task->waits_for)
			break;
		list_del(&task->wait_node);
		line_up(task->waits_for, task);
		task = mutex_owner(task->waits_for);
	}
}

int sched_set_priority(struct task *task, unsigned priority)
{
	unsigned long flags;

	if (priority <= PRIORITY_IDLE || priority > PRIORITY_MAX)
		return -EINVAL;
	flags = spin_lock_irqsave(&lines);
	task->own_priority = priority;
	pass_on(task);
	spin_unlock_irqrestore(&lines, flags);
	return 0;
}

/* @owner has @m, for which others have begun to wait. */
static void begin_waited(struct task *owner, struct mutex *m)
{
	m->next = owner->waited_for;
	owner->waited_for = m;
}

/* @owner no longer has @m. */
static void end_waited(struct task *owner, struct mutex *m)
{
	struct mutex **at = &owner->waited_for;

	while (*at != m)
		at = &(*at)->next;
	*at = m->next;
}

/* --- Taking and giving back --- */

/* Takes the mutex if it is nobody's: then nobody waits for it. */
static inline bool mutex_take(struct mutex *m)
{
	unsigned long nobody = 0;

	return __atomic_compare_exchange_n(&m->owner, &nobody, (unsigned long)current, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* Takes the mutex, or says in it that somebody waits: from then on its owner does not change but by
 * mutex_hand_over(). lines held. */
static bool mutex_take_or_claim(struct mutex *m)
{
	unsigned long owner;

	do {
		if (mutex_take(m))
			return true;
		owner = READ_ONCE(m->owner);
	} while (!owner || !__atomic_compare_exchange_n(&m->owner, &owner, owner | MUTEX_WAITED,
							false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return false;
}

/* Takes the mutex, or puts the caller in line. */
static noinline bool mutex_take_or_queue(struct mutex *m)
{
	unsigned long flags = spin_lock_irqsave(&lines);
	bool taken = mutex_take_or_claim(m);

	if (!taken) {
		if (list_empty(&m->waiters))
			begin_waited(mutex_owner(m), m);
		current->waits_for = m;
		line_up(m, current);
		pass_on(mutex_owner(m));
	}
	spin_unlock_irqrestore(&lines, flags);
	return taken;
}

__sched void mutex_lock(struct mutex *m)
{
	unsigned long flags;

	if (!check_mutex_lock(m, __builtin_return_address(0)))
		return;
	if (likely(mutex_take(m)))
		return;
	ASSERT(!mutex_is_mine(m));
	if (mutex_take_or_queue(m))
		return;
	/* mutex_unlock() makes the first in line the owner before it wakes it. */
	for (;;) {
		sched_sleeps();
		if (mutex_is_mine(m))
			break;
		schedule();
	}
	WRITE_ONCE(current->state, TASK_RUNNING);
	/*
	 * It may be about to wake it only now: to give the mutex back, and end, takes no lock that
	 * would wait for that.
	 */
	flags = spin_lock_irqsave(&lines);
	spin_unlock_irqrestore(&lines, flags);
}

/* Makes the first in line the owner; to those behind it is urgent enough. */
static noinline void mutex_hand_over(struct mutex *m)
{
	unsigned long flags = spin_lock_irqsave(&lines), waited = 0;
	struct task *next = first_in_line(m);

	end_waited(current, m);
	list_del(&next->wait_node);
	next->waits_for = NULL;
	if (!list_empty(&m->waiters)) {
		begin_waited(next, m);
		waited = MUTEX_WAITED;
	}
	__atomic_store_n(&m->owner, (unsigned long)next | waited, __ATOMIC_RELEASE);
	/* First, so that the other one finds this processor taken by a less urgent task. */
	pass_on(current);
	wake_up_task(next);
	spin_unlock_irqrestore(&lines, flags);
}

void mutex_unlock(struct mutex *m)
{
	unsigned long owner = (unsigned long)current;

	if (!check_mutex_unlock(m, __builtin_return_address(0)))
		return;
	if (likely(__atomic_compare_exchange_n(&m->owner, &owner, 0, false, __ATOMIC_RELEASE,
					       __ATOMIC_RELAXED)))
		return;
	ASSERT(mutex_is_mine(m));
	mutex_hand_over(m);
}
