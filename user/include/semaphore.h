/* SPDX-License-Identifier: MIT */
/* Semaphores of the threads of a process. They have no names and are not shared (ENOSYS). */
#pragma once

#include <limits.h>
#include <sys/types.h>
#include <time.h>

typedef struct {
	__uint32_t value;
} sem_t;

#ifndef SEM_VALUE_MAX
#define SEM_VALUE_MAX INT_MAX
#endif

int sem_init(sem_t *sem, int shared, unsigned value);
int sem_destroy(sem_t *sem);
int sem_post(sem_t *sem);
int sem_wait(sem_t *sem);
int sem_trywait(sem_t *sem);
int sem_timedwait(sem_t *sem, const struct timespec *deadline); /* by CLOCK_REALTIME */
int sem_getvalue(sem_t *sem, int *value);
