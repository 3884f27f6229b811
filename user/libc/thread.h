/* SPDX-License-Identifier: MIT */
/*
 * Threads inside the C library: what each has, locks and waiting on a futex. The thread pointer and
 * the layout around it are the architecture's (thread_pointer.h).
 */
#pragma once

#include "libc.h"

#include <pthread.h>
#include <reent.h>
#include <stdbool.h>
#include <stdint.h>
#include <time.h>
#include <uapi/futex.h>

#define UNUSED __attribute__((unused))

#define KEYS_MAX 128 /* of pthread_key_create(); POSIX: at least */

enum thread_state {
	THREAD_JOINABLE,
	THREAD_DETACHED,
	THREAD_ENDED, /* of a joinable one: its result is there */
};

/* A thread; the main thread's is on its stack, the others' at the top of theirs. */
struct pthread {
	struct pthread *self; /* first: x86_64 reads it through FS */
	uint32_t tid;   /* 0 when it has ended, set by the kernel: a futex; the main thread's is
			   0, too, as long as there is no other one */
	uint32_t state; /* enum thread_state */
	uint32_t start_gate;  /* a futex: it may begin. GATE_* */
	struct _reent *reent; /* newlib's data of this thread; NULL: not needed yet */
	void *(*start)(void *);
	void *arg, *result;
	struct _pthread_cleanup_context *cleanup;
	char *map; /* its guard and stack; NULL: not made here */
	size_t map_size, guard_size;
	struct pthread *next_stack; /* in the cache of stacks */
	struct _reent *reent_space; /* for newlib's data; NULL: the first thread's are elsewhere */
	struct specific *specific;  /* KEYS_MAX values by key; NULL: it has set none yet */
};

/* A value of pthread_setspecific(). */
struct specific {
	const void *value;
	uint32_t generation; /* of the key, when it was set */
};

/* What there is on both sides of the thread pointer. */
struct tls_layout {
	size_t below, above; /* bytes */
	intptr_t data, self; /* from it to the data, and to the thread's part */
};

#include <thread_pointer.h>

/* --- tls.c --- */

/* Bytes that hold a thread's part and its thread-local data, at the top of its memory. */
size_t tls_space(void);

/*
 * Where the part of a thread is when these bytes end at @top; its fields are the caller's to fill.
 * Its thread-local data have their first values. *sp: there the rest of the stack ends.
 */
struct pthread *tls_init(char *top, char **sp);

/* What the thread pointer of @thread is. */
uintptr_t tls_pointer(const struct pthread *thread);

/* Gives the calling thread, the first one, its part, in tls_space() bytes at @space. */
void tls_start(char *space);

/* --- pthread.c --- */

/* Threads that have not ended. */
extern uint32_t pthread_count;

/* The kernel's number of @thread. */
pid_t thread_number(const struct pthread *thread);

/* Has the process ever had a second thread? If not, nobody else can hold a lock. */
bool threads_ever(void);

/* Makes a thread forget that there were others: it is the only one, in a forked process. */
void threads_forked(void);

/* --- thread_stack.c --- */

/* Bytes that a thread takes of its stack for itself. */
size_t thread_space(void);

/* A thread that is placed at the end of a stack; *sp: what is left of that ends there. */
struct pthread *thread_place(char *stack_end, char **sp);

/* A thread with a stack of @stack_size bytes, which *sp becomes the end of; NULL: no memory. */
struct pthread *thread_alloc(size_t stack_size, size_t guard_size, char **sp);

/* Takes back what thread_alloc() gave, as soon as the kernel has cleared the thread's tid. */
void thread_release(struct pthread *thread);

/* In a forked process: nobody runs on the stacks that are kept. Their lock is held. */
extern struct lock stack_cache_lock;
void stacks_forked(void);

/* --- pthread_key.c: runs the destructors of the calling thread's values --- */
extern struct lock keys_lock;
void keys_destroy(void);

/* --- reent.c: frees what newlib has allocated for the calling thread --- */
void reent_free(void);

/* --- lock.c --- */

/* A futex that excludes; zero is free. */
struct lock {
	uint32_t word;
};

void lock_acquire_slow(struct lock *lock);
/* With @deadline (NULL: none) by @clock; 0, or ETIMEDOUT, EINVAL. */
int lock_acquire_until(struct lock *lock, clockid_t clock, const struct timespec *deadline);
void lock_wake(struct lock *lock);

static inline bool lock_try(struct lock *lock)
{
	uint32_t free = 0;

	return __atomic_compare_exchange_n(&lock->word, &free, 1, false, __ATOMIC_ACQUIRE,
					   __ATOMIC_RELAXED);
}

static inline void lock_acquire(struct lock *lock)
{
	if (!lock_try(lock))
		lock_acquire_slow(lock);
}

static inline void lock_release(struct lock *lock)
{
	if (__atomic_exchange_n(&lock->word, 0, __ATOMIC_RELEASE) != 1)
		lock_wake(lock);
}

/*
 * The library's locks around a fork: no other thread is inside then. Those of open files are not
 * among them, since a thread may hold one for as long as it likes.
 */
void library_locks_acquire(void);
void library_locks_release(void);

/* In a forked process: frees what threads that it does not have held. The list's lock is held. */
void file_locks_forked(void);

/* --- futex.c: none changes errno --- */

/* Sleeps while *word is @value; may return early. */
void futex_wait(const uint32_t *word, uint32_t value);
/* The same until @deadline (NULL: no end) by @clock: 0, ETIMEDOUT, or EINVAL for a wrong time. */
int futex_wait_until(const uint32_t *word, uint32_t value, clockid_t clock,
		     const struct timespec *deadline);
void futex_wake(const uint32_t *word, uint32_t n);
#define FUTEX_ALL INT32_MAX
