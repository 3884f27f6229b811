/* SPDX-License-Identifier: MIT */
/* Barriers, where so many threads wait for each other; and spin locks, which give the CPU away. */
#include "thread.h"

#include <sched.h>

static struct lock *lock_of(pthread_barrier_t *barrier)
{
	return (struct lock *)&barrier->word;
}

_Static_assert(offsetof(pthread_barrier_t, word) == 0, "");

/* The last thread that still looks at @barrier tells whoever destroys it. */
static void leave(pthread_barrier_t *barrier)
{
	if (!__atomic_sub_fetch(&barrier->inside, 1, __ATOMIC_RELEASE))
		futex_wake(&barrier->inside, FUTEX_ALL);
}

int pthread_barrier_wait(pthread_barrier_t *barrier)
{
	uint32_t sequence;
	bool last;

	__atomic_add_fetch(&barrier->inside, 1, __ATOMIC_RELAXED);
	lock_acquire(lock_of(barrier));
	sequence = barrier->sequence;
	last = ++barrier->waiting == barrier->needed;
	if (last) {
		barrier->waiting = 0;
		__atomic_store_n(&barrier->sequence, sequence + 1, __ATOMIC_RELEASE);
	}
	lock_release(lock_of(barrier));
	if (last)
		futex_wake(&barrier->sequence, FUTEX_ALL);
	else
		while (__atomic_load_n(&barrier->sequence, __ATOMIC_ACQUIRE) == sequence)
			futex_wait(&barrier->sequence, sequence);
	leave(barrier);
	return last ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
}

int pthread_barrier_init(pthread_barrier_t *barrier, const pthread_barrierattr_t *attr UNUSED,
			 unsigned needed)
{
	if (!needed)
		return EINVAL;
	*barrier = (pthread_barrier_t){.needed = needed};
	return 0;
}

int pthread_barrier_destroy(pthread_barrier_t *barrier)
{
	uint32_t inside;

	if (barrier->waiting)
		return EBUSY;
	/* Those that were let go may not have noticed yet. */
	while ((inside = __atomic_load_n(&barrier->inside, __ATOMIC_ACQUIRE)))
		futex_wait(&barrier->inside, inside);
	return 0;
}

int pthread_barrierattr_init(pthread_barrierattr_t *attr UNUSED)
{
	return 0;
}

int pthread_barrierattr_destroy(pthread_barrierattr_t *attr UNUSED)
{
	return 0;
}

int pthread_barrierattr_setpshared(pthread_barrierattr_t *attr UNUSED, int shared)
{
	return pthread_mutexattr_setpshared(NULL, shared);
}

int pthread_barrierattr_getpshared(const pthread_barrierattr_t *attr UNUSED, int *shared)
{
	*shared = PTHREAD_PROCESS_PRIVATE;
	return 0;
}

/* --- Spin locks --- */

int pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
	int err = pthread_mutexattr_setpshared(NULL, shared);

	if (!err)
		*lock = 0;
	return err;
}

int pthread_spin_destroy(pthread_spinlock_t *lock UNUSED)
{
	return 0;
}

int pthread_spin_trylock(pthread_spinlock_t *lock)
{
	return __atomic_exchange_n(lock, 1, __ATOMIC_ACQUIRE) ? EBUSY : 0;
}

int pthread_spin_lock(pthread_spinlock_t *lock)
{
	/* Its holder may be waiting for this very CPU. */
	while (pthread_spin_trylock(lock))
		sched_yield();
	return 0;
}

int pthread_spin_unlock(pthread_spinlock_t *lock)
{
	__atomic_store_n(lock, 0, __ATOMIC_RELEASE);
	return 0;
}
