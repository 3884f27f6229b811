/* SPDX-License-Identifier: MIT */
/* Wait queues, the one way to sleep until something has happened. */
#pragma once

#include <hotregs/sched.h>
#include <hotregs/spinlock.h>

struct wait_queue {
	struct spinlock lock;
	struct list_head waiters;
};

/* One sleeper on one queue; it lives on the sleeper's stack. */
struct waiter {
	struct task *task;
	struct list_head node;
};

#define WAIT_QUEUE_INIT(name)                                            \
	{                                                                \
		.lock = {.check = LOCK_CHECK_INIT("wait queue " #name)}, \
		.waiters = LIST_HEAD_INIT((name).waiters),               \
	}

#define wait_queue_init(q)                                                                \
	do {                                                                              \
		struct wait_queue *_q = (q);                                              \
                                                                                          \
		_q->lock = (struct spinlock){.check = LOCK_CHECK_INIT("wait queue " #q)}; \
		list_init(&_q->waiters);                                                  \
	} while (0)

/* Puts the caller on @q and marks it TASK_SLEEPING; check the condition after, then schedule(). */
void wait_prepare(struct wait_queue *q, struct waiter *w);
/* Puts a caller that wait_prepare() has marked on one more queue. If the first has woken it
 * meanwhile, it stays awake. */
void wait_prepare_more(struct wait_queue *q, struct waiter *w);

/* Takes the caller off again and marks it TASK_RUNNING. */
void wait_finish(struct wait_queue *q, struct waiter *w);

/* Wakes everybody on @q. Any context but NMI. */
void wake_up(struct wait_queue *q);

/*
 * Sleeps until @condition. Evaluates to 0, or -EINTR when a signal has to be taken and @condition
 * does not hold: it may be what the signal is about. It expands in the caller, so that the caller
 * is where the task went to sleep.
 */
#define wait_event(q, condition) wait_event_until(q, condition, signal_pending(current))

/* The same, but -EINTR only when the caller has to end. */
#define wait_event_killable(q, condition) wait_event_until(q, condition, signal_fatal_pending())

#define wait_event_until(q, condition, interrupted) \
	({                                          \
		struct waiter _w;                   \
		int _ret = 0;                       \
                                                    \
		might_sleep();                      \
		while (!(condition)) {              \
			wait_prepare(q, &_w);       \
			if (interrupted)            \
				_ret = -EINTR;      \
			if (condition)              \
				_ret = 0;           \
			else if (!_ret)             \
				schedule();         \
			wait_finish(q, &_w);        \
			if (_ret)                   \
				break;              \
		}                                   \
		_ret;                               \
	})

/*
 * A sleeping lock, handed to the most urgent who waits, among equals in order of arrival. Meanwhile
 * its owner is at least as urgent.
 */
#define MUTEX_WAITED BIT(0)
struct mutex {
	unsigned long owner;      /* a task, and MUTEX_WAITED while others wait; 0: nobody's */
	struct list_head waiters; /* tasks by wait_node, the most urgent first */
	struct mutex *next;       /* of the owner's waited_for */
	struct lock_check check;
};

#define MUTEX_INIT(name)                                   \
	{                                                  \
		.waiters = LIST_HEAD_INIT((name).waiters), \
		.check = LOCK_CHECK_INIT("mutex " #name),  \
	}

#define mutex_init(m)                                                        \
	do {                                                                 \
		struct mutex *_m = (m);                                      \
                                                                             \
		_m->owner = 0;                                               \
		_m->check = (struct lock_check)LOCK_CHECK_INIT("mutex " #m); \
		list_init(&_m->waiters);                                     \
	} while (0)
/* May sleep, and not even a fatal signal ends the wait. */
void mutex_lock(struct mutex *m);
void mutex_unlock(struct mutex *m);

/* Sleeps for at least @ns nanoseconds, or until clock_ns() says @deadline; -EINTR when a signal has
 * to be taken. May sleep. */
int sleep_ns(u64 ns);
int sleep_until(u64 deadline);
