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

/*
 * Which word is @addr of the current task? -EINVAL: not aligned, or in memory that others may
 * share, too, and not said to be private; -EFAULT. May sleep.
 */
static int find_key(struct key *key, const u32 __user *user, bool private)
{
	unsigned long addr = (unsigned long)user;
	struct mm *mm = current->mm;
	const struct vma *vma;
	int err = 0;

	if (addr % sizeof(u32))
		return -EINVAL;
	if (!user_range_ok(addr, sizeof(u32)))
		return -EFAULT;
	*key = (struct key){mm, addr};
	if (private)
		return 0;
	mutex_lock(&mm->lock);
	vma = mm_find_vma(mm, addr);
	if (!vma)
		err = -EFAULT;
	else if (vma->flags & VMA_SHARED)
		err = -EINVAL;
	mutex_unlock(&mm->lock);
	return err;
}

/* Reads a word without faulting; false: its page has to be faulted in. Interrupts off. */
static bool read_word(u32 *value, const u32 __user *user)
{
	unsigned long addr = (unsigned long)user;
	struct user_reader reader = {};

	if (!user_reader_map(&reader, addr))
		return false;
	*value = READ_ONCE(*(const u32 *)(reader.data + (addr & ~PAGE_MASK)));
	return true;
}

/* Queues @w, asleep, if the word at @user is @value. -EAGAIN: it is not; -EFAULT. May sleep. */
static int queue(struct waiter_at *w, const u32 __user *user, u32 value)
{
	struct bucket *b = bucket_of(&w->key);
	unsigned long flags;
	u32 now;

	for (;;) {
		flags = spin_lock_irqsave(&b->lock);
		if (read_word(&now, user))
			break;
		spin_unlock_irqrestore(&b->lock, flags);
		if (copy_from_user(&now, user, sizeof(now)))
			return -EFAULT;
	}
	if (now == value) {
		list_add_tail(&w->node, &b->waiters);
		WRITE_ONCE(current->state, TASK_SLEEPING);
	}
	spin_unlock_irqrestore(&b->lock, flags);
	return now == value ? 0 : -EAGAIN;
}

/* Takes @w off its bucket, unless it was woken; returns whether it was. */
static bool unqueue(struct waiter_at *w)
{
	struct bucket *b = bucket_of(&w->key);
	unsigned long flags = spin_lock_irqsave(&b->lock);

	if (!w->woken)
		list_del(&w->node);
	spin_unlock_irqrestore(&b->lock, flags);
	return w->woken;
}

static void deadline_passed(struct timer *timer, struct pt_regs *regs)
{
	struct deadline *d = container_of(timer, struct deadline, timer);

	WRITE_ONCE(d->expired, true);
	wake_up_task(d->task);
}

/* Waits until @until, in clock_ns(); UINT64_MAX: for ever. */
static long futex_wait(const struct key *key, const u32 __user *user, u32 value, u32 bits,
		       u64 until)
{
	struct waiter_at w = {.key = *key, .bits = bits, .task = current};
	struct deadline d = {.task = current};
	long err = queue(&w, user, value);

	if (err)
		return err;
	timer_init(&d.timer, deadline_passed);
	if (until != UINT64_MAX)
		timer_arm(&d.timer, until);
	for (;;) {
		WRITE_ONCE(current->state, TASK_SLEEPING);
		if (READ_ONCE(w.woken) || READ_ONCE(d.expired) || signal_pending(current))
			break;
		schedule();
	}
	WRITE_ONCE(current->state, TASK_RUNNING);
	if (until != UINT64_MAX)
		timer_cancel(&d.timer);
	if (unqueue(&w))
		return 0;
	return READ_ONCE(d.expired) ? -ETIMEDOUT : -EINTR;
}

/* Wakes up to @max of those who wait there for one of @bits; how many. */
static long futex_wake(const struct key *key, u32 max, u32 bits)
{
	struct bucket *b = bucket_of(key);
	unsigned long flags = spin_lock_irqsave(&b->lock);
	struct waiter_at *w, *next;
	u32 woken = 0;

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
	spin_unlock_irqrestore(&b->lock, flags);
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
	int err;

	*until = UINT64_MAX;
	if (!user)
		return 0;
	err = timespec_from_user(&ns, user);
	if (err)
		return err;
	if ((op & ~OPTIONS) == UAPI_FUTEX_WAIT)
		ns = signal_deadline(ns);
	else if (op & UAPI_FUTEX_REALTIME)
		ns -= MIN(ns, boot);
	*until = ns;
	return 0;
}

long sys_futex(u32 __user *addr, int op, u32 value, const struct uapi_timespec __user *timeout,
	       u32 __user *addr2, u32 bits)
{
	int what = op & ~OPTIONS;
	bool wait = what == UAPI_FUTEX_WAIT || what == UAPI_FUTEX_WAIT_BITSET;
	bool wake = what == UAPI_FUTEX_WAKE || what == UAPI_FUTEX_WAKE_BITSET;
	struct key key;
	u64 until;
	int err;

	if ((!wait && !wake) || (op & UAPI_FUTEX_REALTIME && what != UAPI_FUTEX_WAIT_BITSET))
		return -ENOSYS;
	if (what == UAPI_FUTEX_WAIT || what == UAPI_FUTEX_WAKE)
		bits = UAPI_FUTEX_ALL_BITS;
	if (!bits)
		return -EINVAL;
	err = find_key(&key, addr, op & UAPI_FUTEX_PRIVATE);
	if (err)
		return err;
	if (wake)
		return futex_wake(&key, value, bits);
	err = find_deadline(&until, op, timeout);
	return err ? err : futex_wait(&key, addr, value, bits, until);
}
