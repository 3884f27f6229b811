/* SPDX-License-Identifier: MIT */
/*
 * Condition variables: a number that changes with every signal. Who waits notes it while it holds
 * the mutex and sleeps as long as it stays; a signal in between is not missed.
 */
#include "thread.h"

static int wait_until(pthread_cond_t *cond, pthread_mutex_t *mutex, const struct timespec *deadline)
{
	uint32_t sequence = __atomic_load_n(&cond->sequence, __ATOMIC_RELAXED);
	int err;

	if (deadline && (deadline->tv_nsec < 0 || deadline->tv_nsec >= 1000000000))
		return EINVAL;
	err = pthread_mutex_unlock(mutex);
	if (err)
		return err;
	err = futex_wait_until(&cond->sequence, sequence,
			       cond->clock ? cond->clock : CLOCK_REALTIME, deadline);
	pthread_mutex_lock(mutex);
	return err;
}

int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	return wait_until(cond, mutex, NULL);
}

int pthread_cond_timedwait(pthread_cond_t *cond, pthread_mutex_t *mutex,
			   const struct timespec *deadline)
{
	return wait_until(cond, mutex, deadline);
}

/* Nobody who was woken touches the condition again, so that it may be destroyed at once. */
static void wake(pthread_cond_t *cond, uint32_t n)
{
	__atomic_add_fetch(&cond->sequence, 1, __ATOMIC_RELEASE);
	futex_wake(&cond->sequence, n);
}

int pthread_cond_signal(pthread_cond_t *cond)
{
	wake(cond, 1);
	return 0;
}

int pthread_cond_broadcast(pthread_cond_t *cond)
{
	wake(cond, FUTEX_ALL);
	return 0;
}

int pthread_cond_init(pthread_cond_t *cond, const pthread_condattr_t *attr)
{
	*cond = (pthread_cond_t){.clock = attr ? attr->clock : CLOCK_REALTIME};
	return 0;
}

int pthread_cond_destroy(pthread_cond_t *cond UNUSED)
{
	return 0;
}

/* --- Attributes --- */

int pthread_condattr_init(pthread_condattr_t *attr)
{
	attr->clock = CLOCK_REALTIME;
	return 0;
}

int pthread_condattr_destroy(pthread_condattr_t *attr UNUSED)
{
	return 0;
}

int pthread_condattr_setclock(pthread_condattr_t *attr, clockid_t clock)
{
	if (clock != CLOCK_REALTIME && clock != CLOCK_MONOTONIC)
		return EINVAL;
	attr->clock = clock;
	return 0;
}

int pthread_condattr_getclock(const pthread_condattr_t *attr, clockid_t *clock)
{
	*clock = attr->clock;
	return 0;
}

int pthread_condattr_setpshared(pthread_condattr_t *attr UNUSED, int shared)
{
	return pthread_mutexattr_setpshared(NULL, shared);
}

int pthread_condattr_getpshared(const pthread_condattr_t *attr UNUSED, int *shared)
{
	*shared = PTHREAD_PROCESS_PRIVATE;
	return 0;
}
