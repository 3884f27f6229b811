/* SPDX-License-Identifier: MIT */
/*
 * Record locks: a process's claims on ranges of a file's bytes, which only other such claims heed.
 * A process is told by its table of descriptors. Nobody looks for processes that wait for each
 * other in a circle: a signal gets them out.
 */
#include <hotregs/cpu.h>
#include <hotregs/mm.h>

#include "tree.h"

/* One claim, on bytes [start, end). */
struct record_lock {
	struct list_head node; /* in inode->locks */
	const struct files *owner;
	pid_t pid; /* who set it, for F_GETLK */
	bool write;
	u64 start, end; /* UINT64_MAX: however long the file becomes */
};

/* What @lock means, from its whence, start and length; -EINVAL, -EOVERFLOW. Inode locked. */
static int get_range(const struct inode *inode, loff_t pos, const struct uapi_flock *lock,
		     struct record_lock *range)
{
	s64 start = lock->start, end;

	if (lock->whence != UAPI_SEEK_SET && lock->whence != UAPI_SEEK_CUR &&
	    lock->whence != UAPI_SEEK_END)
		return -EINVAL;
	if (lock->whence == UAPI_SEEK_CUR && __builtin_add_overflow(start, pos, &start))
		return -EOVERFLOW;
	if (lock->whence == UAPI_SEEK_END &&
	    __builtin_add_overflow(start, (s64)inode->size, &start))
		return -EOVERFLOW;
	if (__builtin_add_overflow(start, lock->len, &end))
		return -EOVERFLOW;
	if (MIN(start, end) < 0)
		return -EINVAL;
	range->start = MIN(start, end);
	range->end = lock->len ? (u64)MAX(start, end) : UINT64_MAX;
	return 0;
}

static bool overlap(const struct record_lock *a, const struct record_lock *b)
{
	return a->start < b->end && b->start < a->end;
}

/* Another process's claim that is in @want's way; NULL: none. Inode locked. */
static struct record_lock *find_conflict(const struct inode *inode, const struct record_lock *want)
{
	struct record_lock *have;

	list_for_each (have, &inode->locks, node)
		if (have->owner != want->owner && (have->write || want->write) &&
		    overlap(have, want))
			return have;
	return NULL;
}

/* Takes @range out of its owner's claims; one that it lies inside of is split with *@spare. */
static void carve(struct inode *inode, const struct record_lock *range, struct record_lock **spare)
{
	struct record_lock *have, *next;

	list_for_each_safe (have, next, &inode->locks, node) {
		if (have->owner != range->owner || !overlap(have, range))
			continue;
		if (have->start < range->start && range->end < have->end) {
			**spare = *have;
			(*spare)->start = range->end;
			have->end = range->start;
			list_add(&(*spare)->node, &have->node);
			*spare = NULL;
			break;
		}
		if (have->start < range->start) {
			have->end = range->start;
		} else if (range->end < have->end) {
			have->start = range->end;
		} else {
			list_del(&have->node);
			kfree(have);
		}
	}
}

static void tell_waiters(struct inode *inode)
{
	WRITE_ONCE(inode->unlocks, inode->unlocks + 1);
	wake_up(&inode->unlocked);
}

/* Locked or not: waits until nothing is in @want's way, if it may; 0, -EAGAIN, -EINTR. */
static int wait_for(struct inode *inode, const struct record_lock *want, bool wait)
{
	while (find_conflict(inode, want)) {
		u32 seen = inode->unlocks;
		int err;

		if (!wait)
			return -EAGAIN;
		mutex_unlock(&inode->lock);
		err = wait_event(&inode->unlocked, READ_ONCE(inode->unlocks) != seen);
		mutex_lock(&inode->lock);
		if (err)
			return err;
	}
	return 0;
}

/* locks_set() with the inode locked, and with memory for what may be needed. */
static int set(struct inode *inode, struct record_lock *want, struct record_lock **claim,
	       struct record_lock **spare, bool wait)
{
	int err = *claim ? wait_for(inode, want, wait) : 0;

	if (err)
		return err;
	carve(inode, want, spare);
	if (*claim) {
		**claim = *want;
		list_add(&(*claim)->node, &inode->locks);
		*claim = NULL;
	}
	tell_waiters(inode); /* also where a write lock became one for reading */
	return 0;
}

int locks_set(struct inode *inode, const struct files *owner, loff_t pos,
	      const struct uapi_flock *lock, bool wait)
{
	struct record_lock want = {
	    .owner = owner, .pid = current->pid, .write = lock->type == UAPI_F_WRLCK};
	struct record_lock *claim = NULL, *spare;
	int err;

	if (!page_can_spare(1))
		return -ENOLCK;
	spare = kmalloc(sizeof(*spare));
	if (lock->type != UAPI_F_UNLCK)
		claim = kmalloc(sizeof(*claim));
	mutex_lock(&inode->lock);
	err = spare && (claim || lock->type == UAPI_F_UNLCK) ? 0 : -ENOLCK;
	if (!err)
		err = get_range(inode, pos, lock, &want);
	if (!err)
		err = set(inode, &want, &claim, &spare, wait);
	mutex_unlock(&inode->lock);
	kfree(claim);
	kfree(spare);
	return err;
}

int locks_get(struct inode *inode, const struct files *owner, loff_t pos, struct uapi_flock *lock)
{
	struct record_lock want = {.owner = owner, .write = lock->type == UAPI_F_WRLCK};
	const struct record_lock *have;
	int err;

	mutex_lock(&inode->lock);
	err = get_range(inode, pos, lock, &want);
	have = err ? NULL : find_conflict(inode, &want);
	if (have)
		*lock = (struct uapi_flock){
		    .type = have->write ? UAPI_F_WRLCK : UAPI_F_RDLCK,
		    .whence = UAPI_SEEK_SET,
		    .pid = have->pid,
		    .start = have->start,
		    .len = have->end == UINT64_MAX ? 0 : have->end - have->start,
		};
	else
		lock->type = UAPI_F_UNLCK;
	mutex_unlock(&inode->lock);
	return err;
}

void locks_drop(struct inode *inode, const struct files *owner)
{
	const struct record_lock all = {.owner = owner, .end = UINT64_MAX};
	struct record_lock *none = NULL;

	if (list_empty(&inode->locks))
		return; /* what others set meanwhile is not @owner's */
	mutex_lock(&inode->lock);
	carve(inode, &all, &none);
	tell_waiters(inode);
	mutex_unlock(&inode->lock);
}
