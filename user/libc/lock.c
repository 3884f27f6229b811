/* SPDX-License-Identifier: MIT */
/*
 * The library's own lock, and those that newlib asks for. A lock's word is 0: free, 1: held, 2:
 * held and perhaps somebody waits.
 */
#include "thread.h"

#include <stdlib.h>
#include <sys/lock.h>

int lock_acquire_until(struct lock *lock, clockid_t clock, const struct timespec *deadline)
{
	int err;

	if (lock_try(lock))
		return 0;
	/* Whoever has waited takes it as one that is waited for: it does not know of others. */
	while (__atomic_exchange_n(&lock->word, 2, __ATOMIC_ACQUIRE)) {
		err = futex_wait_until(&lock->word, 2, clock, deadline);
		if (err)
			return err;
	}
	return 0;
}

void lock_acquire_slow(struct lock *lock)
{
	while (__atomic_exchange_n(&lock->word, 2, __ATOMIC_ACQUIRE))
		futex_wait(&lock->word, 2);
}

void lock_wake(struct lock *lock)
{
	futex_wake(&lock->word, 1);
}

/* --- newlib's --- */

struct __lock {
	struct lock lock;
	uint32_t depth; /* the owner's */
	struct pthread *owner;
	struct __lock *next, **link; /* in made_locks; link: what points to this one */
};

struct __lock __lock___sinit_recursive_mutex;
struct __lock __lock___sfp_recursive_mutex;
struct __lock __lock___atexit_recursive_mutex;
struct __lock __lock___at_quick_exit_mutex;
struct __lock __lock___malloc_recursive_mutex;
struct __lock __lock___env_recursive_mutex;
struct __lock __lock___tz_mutex;
struct __lock __lock___dd_hash_mutex;
struct __lock __lock___arc4random_mutex;

/* Those that were made at run time: of open files. */
static struct lock made_lock;
static struct __lock *made_locks;

/* In the order in which they are taken within each other. */
static struct __lock *const fork_locks[] = {
    &__lock___atexit_recursive_mutex, &__lock___env_recursive_mutex, &__lock___sfp_recursive_mutex,
    &__lock___sinit_recursive_mutex, &__lock___malloc_recursive_mutex};
#define NR_FORK_LOCKS (sizeof(fork_locks) / sizeof(fork_locks[0]))

/* Nothing else is taken within these. */
static struct lock *const inner_locks[] = {&keys_lock, &stack_cache_lock, &made_lock};
#define NR_INNER_LOCKS (sizeof(inner_locks) / sizeof(inner_locks[0]))

void library_locks_acquire(void)
{
	for (size_t i = 0; i < NR_FORK_LOCKS; i++)
		__retarget_lock_acquire_recursive(fork_locks[i]);
	for (size_t i = 0; i < NR_INNER_LOCKS; i++)
		lock_acquire(inner_locks[i]);
}

void library_locks_release(void)
{
	for (size_t i = NR_INNER_LOCKS; i-- > 0;)
		lock_release(inner_locks[i]);
	for (size_t i = NR_FORK_LOCKS; i-- > 0;)
		__retarget_lock_release_recursive(fork_locks[i]);
}

void file_locks_forked(void)
{
	struct pthread *self = thread_self();

	for (struct __lock *lock = made_locks; lock; lock = lock->next) {
		if (lock->owner == self)
			continue;
		lock->lock.word = 0;
		lock->depth = 0;
		lock->owner = NULL;
	}
}

void __retarget_lock_init_recursive(_LOCK_T *result)
{
	struct __lock *lock = calloc(1, sizeof(*lock));

	/* There is nobody to tell; and a file without a lock would be one that is torn. */
	if (!lock)
		abort();
	lock_acquire(&made_lock);
	lock->next = made_locks;
	lock->link = &made_locks;
	if (lock->next)
		lock->next->link = &lock->next;
	made_locks = lock;
	lock_release(&made_lock);
	*result = lock;
}

void __retarget_lock_init(_LOCK_T *lock)
{
	__retarget_lock_init_recursive(lock);
}

void __retarget_lock_close_recursive(_LOCK_T lock)
{
	lock_acquire(&made_lock);
	*lock->link = lock->next;
	if (lock->next)
		lock->next->link = lock->link;
	lock_release(&made_lock);
	free(lock);
}

void __retarget_lock_close(_LOCK_T lock)
{
	__retarget_lock_close_recursive(lock);
}

void __retarget_lock_acquire(_LOCK_T lock)
{
	lock_acquire(&lock->lock);
}

int __retarget_lock_try_acquire(_LOCK_T lock)
{
	return lock_try(&lock->lock);
}

void __retarget_lock_release(_LOCK_T lock)
{
	lock_release(&lock->lock);
}

/* Does the caller hold @lock already? Only it could have written its own address there. */
static bool again(_LOCK_T lock, struct pthread *self)
{
	if (__atomic_load_n(&lock->owner, __ATOMIC_RELAXED) != self)
		return false;
	lock->depth++;
	return true;
}

void __retarget_lock_acquire_recursive(_LOCK_T lock)
{
	struct pthread *self = thread_self();

	if (again(lock, self))
		return;
	lock_acquire(&lock->lock);
	__atomic_store_n(&lock->owner, self, __ATOMIC_RELAXED);
}

int __retarget_lock_try_acquire_recursive(_LOCK_T lock)
{
	struct pthread *self = thread_self();

	if (again(lock, self))
		return 1;
	if (!lock_try(&lock->lock))
		return 0;
	__atomic_store_n(&lock->owner, self, __ATOMIC_RELAXED);
	return 1;
}

void __retarget_lock_release_recursive(_LOCK_T lock)
{
	if (lock->depth) {
		lock->depth--;
		return;
	}
	__atomic_store_n(&lock->owner, NULL, __ATOMIC_RELAXED);
	lock_release(&lock->lock);
}
