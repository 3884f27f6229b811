/* SPDX-License-Identifier: MIT */
/* Locks for many readers or one writer; a writer that waits keeps new readers out. */
#include "thread.h"

#include <limits.h>

static struct lock *lock_of(pthread_rwlock_t *rw)
{
	return (struct lock *)&rw->word;
}

_Static_assert(offsetof(pthread_rwlock_t, word) == 0, "");

static bool has_room(const pthread_rwlock_t *rw, bool write)
{
	return !rw->writer && !(write ? rw->readers : rw->waiting_writers);
}

/* Sleeps until something has changed; the lock is held before and after. */
static int wait_change(pthread_rwlock_t *rw, const struct timespec *deadline)
{
	uint32_t sequence = rw->sequence;
	int err;

	lock_release(lock_of(rw));
	err = futex_wait_until(&rw->sequence, sequence, CLOCK_REALTIME, deadline);
	lock_acquire(lock_of(rw));
	return err;
}

/* Something has changed: whoever waits looks again. */
static void tell_change(pthread_rwlock_t *rw)
{
	__atomic_add_fetch(&rw->sequence, 1, __ATOMIC_RELEASE);
	futex_wake(&rw->sequence, FUTEX_ALL);
}

static int take(pthread_rwlock_t *rw, bool write, bool wait, const struct timespec *deadline)
{
	int err = 0;

	lock_acquire(lock_of(rw));
	if (rw->writer == thread_self() && wait)
		err = EDEADLK;
	rw->waiting_writers += write;
	while (!err && !has_room(rw, write))
		err = wait ? wait_change(rw, deadline) : EBUSY;
	rw->waiting_writers -= write;
	if (!err && write)
		rw->writer = thread_self();
	else if (!err && rw->readers == UINT32_MAX)
		err = EAGAIN;
	else if (!err)
		rw->readers++;
	else if (write && !rw->waiting_writers && wait)
		tell_change(rw); /* readers that it kept out */
	lock_release(lock_of(rw));
	return err;
}

int pthread_rwlock_rdlock(pthread_rwlock_t *rw)
{
	return take(rw, false, true, NULL);
}

int pthread_rwlock_tryrdlock(pthread_rwlock_t *rw)
{
	return take(rw, false, false, NULL);
}

int pthread_rwlock_timedrdlock(pthread_rwlock_t *rw, const struct timespec *deadline)
{
	return take(rw, false, true, deadline);
}

int pthread_rwlock_wrlock(pthread_rwlock_t *rw)
{
	return take(rw, true, true, NULL);
}

int pthread_rwlock_trywrlock(pthread_rwlock_t *rw)
{
	return take(rw, true, false, NULL);
}

int pthread_rwlock_timedwrlock(pthread_rwlock_t *rw, const struct timespec *deadline)
{
	return take(rw, true, true, deadline);
}

int pthread_rwlock_unlock(pthread_rwlock_t *rw)
{
	int err = 0;

	lock_acquire(lock_of(rw));
	if (rw->writer)
		err = rw->writer == thread_self() ? 0 : EPERM;
	else if (!rw->readers)
		err = EPERM;
	if (!err && rw->writer)
		rw->writer = NULL;
	else if (!err)
		rw->readers--;
	if (!err && !rw->readers)
		tell_change(rw);
	lock_release(lock_of(rw));
	return err;
}

int pthread_rwlock_init(pthread_rwlock_t *rw, const pthread_rwlockattr_t *attr UNUSED)
{
	*rw = (pthread_rwlock_t)PTHREAD_RWLOCK_INITIALIZER;
	return 0;
}

int pthread_rwlock_destroy(pthread_rwlock_t *rw)
{
	return rw->writer || rw->readers ? EBUSY : 0;
}

/* --- Attributes --- */

int pthread_rwlockattr_init(pthread_rwlockattr_t *attr UNUSED)
{
	return 0;
}

int pthread_rwlockattr_destroy(pthread_rwlockattr_t *attr UNUSED)
{
	return 0;
}

int pthread_rwlockattr_setpshared(pthread_rwlockattr_t *attr UNUSED, int shared)
{
	return pthread_mutexattr_setpshared(NULL, shared);
}

int pthread_rwlockattr_getpshared(const pthread_rwlockattr_t *attr UNUSED, int *shared)
{
	*shared = PTHREAD_PROCESS_PRIVATE;
	return 0;
}
