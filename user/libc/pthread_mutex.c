/* SPDX-License-Identifier: MIT */
/* Mutexes: a lock, and for the types that know it, who holds it and how often. */
#include "thread.h"

#include <limits.h>

static struct lock *lock_of(pthread_mutex_t *mutex)
{
	return (struct lock *)&mutex->word;
}

_Static_assert(offsetof(pthread_mutex_t, word) == 0, "");

/* Only the caller itself could have written its own address there. */
static bool is_mine(const pthread_mutex_t *mutex)
{
	return __atomic_load_n(&mutex->owner, __ATOMIC_RELAXED) == thread_self();
}

static void set_owner(pthread_mutex_t *mutex, struct pthread *owner)
{
	__atomic_store_n(&mutex->owner, owner, __ATOMIC_RELAXED);
}

/* The caller, who holds @mutex, wants it again. */
static int again(pthread_mutex_t *mutex, int if_checked)
{
	if (mutex->type == PTHREAD_MUTEX_ERRORCHECK)
		return if_checked;
	if (mutex->depth == UINT32_MAX)
		return EAGAIN;
	mutex->depth++;
	return 0;
}

int pthread_mutex_lock(pthread_mutex_t *mutex)
{
	if (mutex->type == PTHREAD_MUTEX_NORMAL) {
		lock_acquire(lock_of(mutex));
		return 0;
	}
	if (is_mine(mutex))
		return again(mutex, EDEADLK);
	lock_acquire(lock_of(mutex));
	set_owner(mutex, thread_self());
	return 0;
}

int pthread_mutex_trylock(pthread_mutex_t *mutex)
{
	if (mutex->type != PTHREAD_MUTEX_NORMAL && is_mine(mutex))
		return again(mutex, EBUSY);
	if (!lock_try(lock_of(mutex)))
		return EBUSY;
	if (mutex->type != PTHREAD_MUTEX_NORMAL)
		set_owner(mutex, thread_self());
	return 0;
}

int pthread_mutex_timedlock(pthread_mutex_t *mutex, const struct timespec *deadline)
{
	int err;

	if (mutex->type != PTHREAD_MUTEX_NORMAL && is_mine(mutex))
		return again(mutex, EDEADLK);
	err = lock_acquire_until(lock_of(mutex), CLOCK_REALTIME, deadline);
	if (!err && mutex->type != PTHREAD_MUTEX_NORMAL)
		set_owner(mutex, thread_self());
	return err;
}

int pthread_mutex_unlock(pthread_mutex_t *mutex)
{
	if (mutex->type != PTHREAD_MUTEX_NORMAL) {
		if (!is_mine(mutex))
			return EPERM;
		if (mutex->depth) {
			mutex->depth--;
			return 0;
		}
		set_owner(mutex, NULL);
	}
	lock_release(lock_of(mutex));
	return 0;
}

int pthread_mutex_init(pthread_mutex_t *mutex, const pthread_mutexattr_t *attr)
{
	*mutex = (pthread_mutex_t){.type = attr ? attr->type : PTHREAD_MUTEX_DEFAULT};
	return 0;
}

int pthread_mutex_destroy(pthread_mutex_t *mutex)
{
	return __atomic_load_n(&mutex->word, __ATOMIC_RELAXED) ? EBUSY : 0;
}

/* --- Attributes --- */

int pthread_mutexattr_init(pthread_mutexattr_t *attr)
{
	attr->type = PTHREAD_MUTEX_DEFAULT;
	return 0;
}

int pthread_mutexattr_destroy(pthread_mutexattr_t *attr UNUSED)
{
	return 0;
}

int pthread_mutexattr_settype(pthread_mutexattr_t *attr, int type)
{
	if (type < PTHREAD_MUTEX_NORMAL || type > PTHREAD_MUTEX_ERRORCHECK)
		return EINVAL;
	attr->type = type;
	return 0;
}

int pthread_mutexattr_gettype(const pthread_mutexattr_t *attr, int *type)
{
	*type = attr->type;
	return 0;
}

/* Processes share no memory that a mutex could be in. */
int pthread_mutexattr_setpshared(pthread_mutexattr_t *attr UNUSED, int shared)
{
	if (shared == PTHREAD_PROCESS_PRIVATE)
		return 0;
	return shared == PTHREAD_PROCESS_SHARED ? ENOTSUP : EINVAL;
}

int pthread_mutexattr_getpshared(const pthread_mutexattr_t *attr UNUSED, int *shared)
{
	*shared = PTHREAD_PROCESS_PRIVATE;
	return 0;
}
