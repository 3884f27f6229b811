/* SPDX-License-Identifier: MIT */
/*
 * Futexes: a thread sleeps as long as a word of its memory has a value; another one changes the
 * word and wakes it. Waiters are in buckets by where the word is. A bucket's lock orders the look
 * at the word with wake-ups: either the waiter sees the new value, or whoever wakes sees the
 * waiter.
 */
#include <hotregs/futex.h>
#include <hotregs/syscalls.h>
#include <hotregs/time.h>
#include <uapi/futex.h>

#include <arch/irq.h>
#include <arch/uaccess.h>

#include "proc.h"

#define NR_BUCKETS 64
#define OPTIONS    (UAPI_FUTEX_PRIVATE | UAPI_FUTEX_REALTIME)

struct bucket {
	struct spinlock lock;
	struct list_head waiters; /* in the order of their arrival */
};

/* Which word: all who can wait at one share their memory as a whole. */
struct key {
	const struct mm *mm;
	unsigned long addr;
};

struct waiter_at {
	struct list_head node; /* in its bucket, until woken */
	struct bucket *bucket;
	struct key key;
	u32 bits;
	struct task *task;
	bool woken;
};

struct deadline {
	struct timer timer;
	struct task *task;
	bool expired;
};

static struct bucket buckets[NR_BUCKETS];

void futex_init(void)
{
	for (int i = 0; i < NR_BUCKETS; i++) {
		spin_lock_init(&buckets[i].lock);
		list_init(&buckets[i].waiters);
	}
}

static struct bucket *bucket_of(const struct key *key)
{
	u64 hash = ((u64)key->addr / sizeof(u32) + (unsigned long)key->mm) * 0x9e3779b97f4a7c15ULL;

	return &buckets[hash >> 58];
}

_Static_assert(NR_BUCKETS == 1 << (64 - 58), "");

static int check_unshared(struct mm *mm, unsigned long addr)
{
	const struct vma *vma;
	int err = 0;

	mutex_lock(&mm->lock);
	vma = mm_find_vma(mm, addr);
	if (!vma)
		err = -EFAULT;
	else if (vma->flags & VMA_SHARED)
		err = -EINVAL;
	mutex_unlock(&mm->lock);
	return err;
}

/*
 * Which word is @addr of the current task? -EINVAL: not aligned, or in memory that others may
 * share, too, and not said to be private; -EFAULT. May sleep.
 */
static __always_inline int find_key(struct key *key, const u32 __user *user, bool private)
{
	unsigned long addr = (unsigned long)user;
	struct mm *mm = current->mm;

	if (addr % sizeof(u32))
		return -EINVAL;
	if (!user_range_ok(addr, sizeof(u32)))
		return -EFAULT;
	*key = (struct key){mm, addr};
	if (private)
		return 0;
	return check_unshared(mm, addr);
}

/*
 * Queues @w, asleep, if the word at @user is @value. -EAGAIN: it is not; -EFAULT. May sleep. Like
 * everything here it is called with interrupts on.
 */
static int queue(struct waiter_at *w, const struct key *key, const u32 __user *user, u32 value,
		 u32 bits)
{
	struct bucket *b = bucket_of(key);
	u32 now;

	w->bucket = b;
	w->key = *key;
	w->bits = bits;
	w->task = current;
	w->woken = false;
	irq_disable();
	spin_lock(&b->lock);
	while (unlikely(!arch_user_word(&now, user))) {
		/* Its page is not there, and can not come while the lock is held. */
		spin_unlock(&b->lock);
		irq_enable();
		if (copy_from_user(&now, user, sizeof(now)))
			return -EFAULT;
		/* Others may take it away each time; and a device's page never is one of memory. */
		if (signal_fatal_pending())
			return -EINTR;
		irq_disable();
		spin_lock(&b->lock);
	}
	if (likely(now == value)) {
		list_add_tail(&w->node, &b->waiters);
		sched_sleeps();
	}
	spin_unlock(&b->lock);
	irq_enable();
	return likely(now == value) ? 0 : -EAGAIN;
}

/* Sleeps until @w is woken, a signal comes, or *@expired; whatever it was, no longer queued. */
static __always_inline void sleep_queued(struct waiter_at *w, const bool *expired)
{
	struct task *task = w->task;

	/* If it has been woken already, it sleeps no more. */
	while (!(expired && READ_ONCE(*expired)) && !signal_pending(task)) {
		schedule();
		if (likely(READ_ONCE(w->woken)))
			break;
		sched_sleeps();
	}
	WRITE_ONCE(task->state, TASK_RUNNING);
	/* Whoever woke it may still be looking at it, with the lock held. */
	irq_disable();
	spin_lock(&w->bucket->lock);
	if (!w->woken)
		list_del(&w->node);
	spin_unlock(&w->bucket->lock);
	irq_enable();
}

static noinline long futex_wait(const struct key *key, const u32 __user *user, u32 value, u32 bits)
{
	struct waiter_at w;
	int err = queue(&w, key, user, value, bits);

	if (err)
		return err;
	sleep_queued(&w, NULL);
	return w.woken ? 0 : -EINTR;
}

static void deadline_passed(struct timer *timer, struct pt_regs *regs)
{
	struct deadline *d = container_of(timer, struct deadline, timer);

	WRITE_ONCE(d->expired, true);
	wake_up_task(d->task);
}

/* Until @until, in clock_ns(). */
static noinline long futex_wait_until(const struct key *key, const u32 __user *user, u32 value,
				      u32 bits, u64 until)
{
	struct deadline d = {.task = current};
	struct waiter_at w;
	int err = queue(&w, key, user, value, bits);

	if (err)
		return err;
	timer_init(&d.timer, deadline_passed);
	timer_arm(&d.timer, until);
	sleep_queued(&w, &d.expired);
	timer_cancel(&d.timer);
	if (w.woken)
		return 0;
	return d.expired ? -ETIMEDOUT : -EINTR;
}

/* Wakes up to @max of those who wait there for one of @bits; how many. */
static noinline long futex_wake(const struct key *key, u32 max, u32 bits)
{
	struct bucket *b = bucket_of(key);
	struct waiter_at *w, *next;
	u32 woken = 0;

	irq_disable();
	spin_lock(&b->lock);
	list_for_each_safe (w, next, &b->waiters, node) {
		if (woken == max)
			break;
		if (w->key.addr != key->addr || w->key.mm != key->mm || !(w->bits & bits))
			continue;
		list_del(&w->node);
		WRITE_ONCE(w->woken, true);
		wake_up_task(w->task);
		woken++;
	}
	spin_unlock(&b->lock);
	irq_enable();
	return woken;
}

void futex_wake_all(u32 __user *addr)
{
	struct key key;

	if (!find_key(&key, addr, false))
		futex_wake(&key, UINT32_MAX, UAPI_FUTEX_ALL_BITS);
}

/* When a wait by @op that was given @user as its timeout is over. */
static int find_deadline(u64 *until, int op, const struct uapi_timespec __user *user)
{
	u64 ns, boot = clock_realtime_ns() - clock_ns();
	int err = timespec_from_user(&ns, user);

	if (err)
		return err;
	if ((op & ~OPTIONS) == UAPI_FUTEX_WAIT)
		*until = signal_deadline(ns);
	else
		*until = op & UAPI_FUTEX_REALTIME ? ns - MIN(ns, boot) : ns;
	return 0;
}

static long wait_at(const struct key *key, const u32 __user *user, int op, u32 value, u32 bits,
		    const struct uapi_timespec __user *timeout)
{
	u64 until;
	int err;

	if (likely(!timeout))
		return futex_wait(key, user, value, bits);
	err = find_deadline(&until, op, timeout);
	return err ? err : futex_wait_until(key, user, value, bits, until);
}

long sys_futex(u32 __user *addr, int op, u32 value, const struct uapi_timespec __user *timeout,
	       u32 __user *addr2, u32 bits)
{
	struct key key;
	int err = find_key(&key, addr, op & UAPI_FUTEX_PRIVATE);

	switch (op & ~UAPI_FUTEX_PRIVATE) {
	case UAPI_FUTEX_WAIT:
		return err ? err : wait_at(&key, addr, op, value, UAPI_FUTEX_ALL_BITS, timeout);
	case UAPI_FUTEX_WAKE:
		return err ? err : futex_wake(&key, value, UAPI_FUTEX_ALL_BITS);
	case UAPI_FUTEX_WAIT_BITSET:
	case UAPI_FUTEX_WAIT_BITSET | UAPI_FUTEX_REALTIME:
		err = bits ? err : -EINVAL;
		return err ? err : wait_at(&key, addr, op, value, bits, timeout);
	case UAPI_FUTEX_WAKE_BITSET:
		err = bits ? err : -EINVAL;
		return err ? err : futex_wake(&key, value, bits);
	default:
		return -ENOSYS;
	}
}
