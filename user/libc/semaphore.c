/* SPDX-License-Identifier: MIT */
/* Semaphores: a number that is a futex. */
#include "thread.h"

#include <semaphore.h>

static int failed(int error)
{
	errno = error;
	return -1;
}

int sem_init(sem_t *sem, int shared, unsigned value)
{
	if (shared)
		return failed(ENOSYS);
	if (value > SEM_VALUE_MAX)
		return failed(EINVAL);
	sem->value = value;
	return 0;
}

int sem_destroy(sem_t *sem UNUSED)
{
	return 0;
}

/* Nobody looks at @sem after it was raised, so whoever waited may destroy it. */
int sem_post(sem_t *sem)
{
	uint32_t value = __atomic_load_n(&sem->value, __ATOMIC_RELAXED);

	do {
		if (value == SEM_VALUE_MAX)
			return failed(EOVERFLOW);
	} while (!__atomic_compare_exchange_n(&sem->value, &value, value + 1, true,
					      __ATOMIC_RELEASE, __ATOMIC_RELAXED));
	futex_wake(&sem->value, 1);
	return 0;
}

static bool take(sem_t *sem)
{
	uint32_t value = __atomic_load_n(&sem->value, __ATOMIC_RELAXED);

	while (value)
		if (__atomic_compare_exchange_n(&sem->value, &value, value - 1, true,
						__ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
			return true;
	return false;
}

int sem_trywait(sem_t *sem)
{
	return take(sem) ? 0 : failed(EAGAIN);
}

int sem_timedwait(sem_t *sem, const struct timespec *deadline)
{
	while (!take(sem)) {
		int err = futex_wait_until(&sem->value, 0, CLOCK_REALTIME, deadline);

		if (err)
			return failed(err);
	}
	return 0;
}

int sem_wait(sem_t *sem)
{
	return sem_timedwait(sem, NULL);
}

int sem_getvalue(sem_t *sem, int *value)
{
	*value = __atomic_load_n(&sem->value, __ATOMIC_RELAXED);
	return 0;
}
