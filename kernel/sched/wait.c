/* SPDX-License-Identifier: MIT */
/* Sleeping until something has happened: wait queues, timed sleep. */
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
