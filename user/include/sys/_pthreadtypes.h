/* SPDX-License-Identifier: MIT */
/*
 * The types of threads, in the place of newlib's, which hold no more than a number. Members are the
 * library's own affair, but that all zero is what the static initialisers say.
 */
#ifndef _SYS__PTHREADTYPES_H_
#define _SYS__PTHREADTYPES_H_

#include <stddef.h>
#include <sys/sched.h>

typedef struct pthread *pthread_t;

typedef struct {
	size_t stack_size, guard_size;
	void *stack; /* lowest address; NULL: one is made */
	int detach_state, inherit_sched, policy;
	struct sched_param param;
} pthread_attr_t;

typedef struct {
	__uint32_t word, type, depth;
	pthread_t owner;
} pthread_mutex_t;

typedef struct {
	int type;
} pthread_mutexattr_t;

typedef struct {
	__uint32_t sequence;
	clockid_t clock; /* 0: CLOCK_REALTIME */
} pthread_cond_t;

typedef struct {
	clockid_t clock;
} pthread_condattr_t;

typedef struct {
	__uint32_t word, sequence, readers, waiting_writers;
	pthread_t writer;
} pthread_rwlock_t;

typedef struct {
	int unused;
} pthread_rwlockattr_t;

typedef struct {
	__uint32_t word, sequence, needed, waiting, inside;
} pthread_barrier_t;

typedef struct {
	int unused;
} pthread_barrierattr_t;

typedef __uint32_t pthread_spinlock_t;
typedef __uint32_t pthread_key_t;

typedef struct {
	__uint32_t state;
} pthread_once_t;

#define _PTHREAD_MUTEX_INITIALIZER \
	{                          \
		0                  \
	}
#define _PTHREAD_COND_INITIALIZER \
	{                         \
		0                 \
	}
#define _PTHREAD_RWLOCK_INITIALIZER \
	{                           \
		0                   \
	}
#define _PTHREAD_ONCE_INIT \
	{                  \
		0          \
	}

#define PTHREAD_SCOPE_PROCESS 0
#define PTHREAD_SCOPE_SYSTEM  1

#define PTHREAD_INHERIT_SCHED  1
#define PTHREAD_EXPLICIT_SCHED 2

#define PTHREAD_CREATE_JOINABLE 0
#define PTHREAD_CREATE_DETACHED 1

#define PTHREAD_PROCESS_PRIVATE 0
#define PTHREAD_PROCESS_SHARED  1

#define PTHREAD_MUTEX_NORMAL     0
#define PTHREAD_MUTEX_RECURSIVE  1
#define PTHREAD_MUTEX_ERRORCHECK 2
#define PTHREAD_MUTEX_DEFAULT    PTHREAD_MUTEX_NORMAL

#define PTHREAD_STACK_MIN 16384

#endif
