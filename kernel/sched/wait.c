/* SPDX-License-Identifier: MIT */
/* Sleeping until something has happened: wait queues, mutexes, timed sleep. */
#include <hotregs/printk.h>
#include <hotregs/time.h>
#include <hotregs/wait.h>

void wait_prepare_more(struct wait_queue *q, struct waiter *w)
{
	unsigned long flags = spin_lock_irqsave(&q->lock);

	w->task = current;
	list_add_tail(&w->node, &q->waiters);
	spin_unlock_irqrestore(&q->lock, flags);
}

void wait_prepare(struct wait_queue *q, struct waiter *w)
{
	unsigned long flags = spin_lock_irqsave(&q->lock);

	w->task = current;
	list_add_tail(&w->node, &q->waiters);
	/* Under the queue's lock, so that a wake-up comes wholly before or wholly after; but what
	 * else may wake the caller does not take it. */
	sched_sleeps();
	spin_unlock_irqrestore(&q->lock, flags);
}

void wait_finish(struct wait_queue *q, struct waiter *w)
{
	unsigned long flags = spin_lock_irqsave(&q->lock);

	list_del(&w->node);
	WRITE_ONCE(current->state, TASK_RUNNING);
	spin_unlock_irqrestore(&q->lock, flags);
}

void wake_up(struct wait_queue *q)
{
	unsigned long flags = spin_lock_irqsave(&q->lock);
	struct waiter *w;

	list_for_each (w, &q->waiters, node)
		wake_up_task(w->task);
	spin_unlock_irqrestore(&q->lock, flags);
}

/* --- Mutexes --- */

/* Takes the mutex if it is nobody's: then nobody waits for it. */
static inline bool mutex_take(struct mutex *m)
{
	unsigned long nobody = 0;

	return __atomic_compare_exchange_n(&m->owner, &nobody, (unsigned long)current, false,
					   __ATOMIC_ACQUIRE, __ATOMIC_RELAXED);
}

/* Takes the mutex, or says in it that somebody waits. The lock of its waiters is held. */
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

/* Takes the mutex, or puts the caller last in line. */
static noinline bool mutex_take_or_queue(struct mutex *m, struct waiter *w)
{
	unsigned long flags = spin_lock_irqsave(&m->waiters.lock);
	bool taken = mutex_take_or_claim(m);

	if (!taken) {
		w->task = current;
		list_add_tail(&w->node, &m->waiters.waiters);
	}
	spin_unlock_irqrestore(&m->waiters.lock, flags);
	return taken;
}

static inline bool mutex_is_mine(const struct mutex *m)
{
	unsigned long owner = __atomic_load_n(&m->owner, __ATOMIC_ACQUIRE);

	return (owner & ~MUTEX_WAITED) == (unsigned long)current;
}

__sched void mutex_lock(struct mutex *m)
{
	unsigned long flags;
	struct waiter w;

	if (!check_mutex_lock(m, __builtin_return_address(0)))
		return;
	if (likely(mutex_take(m)))
		return;
	ASSERT(!mutex_is_mine(m));
	if (mutex_take_or_queue(m, &w))
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
	flags = spin_lock_irqsave(&m->waiters.lock);
	spin_unlock_irqrestore(&m->waiters.lock, flags);
}

/* Makes the first in line the owner. */
static noinline void mutex_hand_over(struct mutex *m)
{
	unsigned long flags = spin_lock_irqsave(&m->waiters.lock), owner;
	struct waiter *w = list_first(&m->waiters.waiters, struct waiter, node);
	struct task *next = w->task;

	list_del(&w->node);
	owner = (unsigned long)next | (list_empty(&m->waiters.waiters) ? 0 : MUTEX_WAITED);
	/* From here on it may be gone from where it waited. */
	__atomic_store_n(&m->owner, owner, __ATOMIC_RELEASE);
	wake_up_task(next);
	spin_unlock_irqrestore(&m->waiters.lock, flags);
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

/* A sleeper and what wakes it. */
struct sleep_timer {
	struct timer timer;
	struct task *task;
	bool expired;
};

static void sleep_expired(struct timer *timer, struct pt_regs *regs)
{
	struct sleep_timer *s = container_of(timer, struct sleep_timer, timer);

	WRITE_ONCE(s->expired, true);
	wake_up_task(s->task);
}

__sched int sleep_until(u64 deadline)
{
	struct sleep_timer s = {.task = current};
	int err = 0;

	might_sleep();
	timer_init(&s.timer, sleep_expired);
	timer_arm(&s.timer, deadline);
	for (;;) {
		sched_sleeps();
		if (READ_ONCE(s.expired))
			break;
		if (signal_pending(current)) {
			err = -EINTR;
			break;
		}
		schedule();
	}
	WRITE_ONCE(current->state, TASK_RUNNING);
	timer_cancel(&s.timer);
	return err;
}

__sched int sleep_ns(u64 ns)
{
	u64 now = clock_ns();

	return sleep_until(now + MIN(ns, UINT64_MAX - now));
}
