/* SPDX-License-Identifier: MIT */
/*
 * Checks of the kernel by itself: lists, reference counts, locks, sleeping, stacks. They cost time
 * on every path, so that only test builds have them (CHECKS, make/kernel.mk); elsewhere each is
 * nothing.
 *
 * A check that fails ends the machine, unless a test expects it: then the message is kept, and what
 * was wrong is left undone. So each returns whether to go on.
 */
#pragma once

#include <hotregs/types.h>

struct list_head;
struct refcount;
struct spinlock;
struct mutex;
struct task;

/* What a lock carries to be checked: its class is every lock that was set up in the same place. */
#ifdef CHECKS
struct lock_check {
	const char *name; /* of the class, told apart by it; NULL: never set up */
	u8 class;         /* its number + 1; 0: not yet looked up */
};
#define LOCK_CHECK_STRING(x) #x
#define LOCK_CHECK_LINE(x)   LOCK_CHECK_STRING(x)
#define LOCK_CHECK_INIT(kind)                                              \
	{                                                                  \
		.name = kind " of " __FILE__ ":" LOCK_CHECK_LINE(__LINE__) \
	}
#else
struct lock_check {
};
#define LOCK_CHECK_INIT(kind) \
	{                     \
	}
#endif

/* The locks that a CPU (spinlocks) or a task (mutexes) holds. */
#define HELD_LOCKS_MAX 12
struct held_locks {
#ifdef CHECKS
	u32 nr;
	struct held_lock {
		const struct lock_check *lock;
		unsigned long place; /* where it was taken */
	} at[HELD_LOCKS_MAX];
#endif
};

/* Is a task on a processor? From when it is switched to until it is fully off. */
struct task_check {
#ifdef CHECKS
	bool on_cpu;
#endif
};

#ifdef CHECKS

/* What uname says, for programs that measure. */
#define KERNEL_KIND "profiling kernel that checks itself"

/* A check has failed: panics, or keeps the message for a test. Any context. */
bool check_failed(const char *fmt, ...) __printf(1, 2);

/* Reports of undefined behaviour (SAN=1) since boot, of which there should be none. Any context. */
u32 check_reports(void);

/* From panic: nothing is checked any more. */
void check_stop(void);

/* The machine is up: from now on, what may sleep is called where it may. */
void check_start(void);

/* For tests: failures between the two are expected. The message, or NULL when there was not one. */
void check_expect(void);
const char *check_expected(void);

bool check_list_insert(struct list_head *n, const struct list_head *prev,
		       const struct list_head *next);
bool check_list_delete(const struct list_head *n);
bool check_refcount_get(const struct refcount *r);
bool check_refcount_put(const struct refcount *r);

/* Before the lock is waited for, and before it is released. */
bool check_spin_lock(struct spinlock *lock);
bool check_spin_unlock(const struct spinlock *lock);
bool check_mutex_lock(struct mutex *m, const void *caller);
bool check_mutex_unlock(const struct mutex *m, const void *caller);

/* Said by whatever may sleep, also when it happens not to: here it may. */
void might_sleep(void);
/* The caller is about to leave the CPU to another task, or an interrupt: no spinlock is held. */
bool check_no_spinlocks(void);
/* The calling task is about to leave the kernel, or to end: it holds no lock. */
void check_no_locks(void);

/* @task is about to run on a processor, and runs on no other; and it is off its processor. */
void check_task_on(struct task *task);
void check_task_off(struct task *task);

/* Sets the value that stack frames are guarded with. Its callers, up to the first, never return. */
void check_stack_init(void);

#else

#define KERNEL_KIND "profiling kernel"

static inline u32 check_reports(void)
{
	return 0;
}

static inline void check_stop(void)
{
}

static inline void check_start(void)
{
}

static inline bool check_list_insert(struct list_head *n, const struct list_head *prev,
				     const struct list_head *next)
{
	return true;
}

static inline bool check_list_delete(const struct list_head *n)
{
	return true;
}

static inline bool check_refcount_get(const struct refcount *r)
{
	return true;
}

static inline bool check_refcount_put(const struct refcount *r)
{
	return true;
}

static inline bool check_spin_lock(struct spinlock *lock)
{
	return true;
}

static inline bool check_spin_unlock(const struct spinlock *lock)
{
	return true;
}

static inline bool check_mutex_lock(struct mutex *m, const void *caller)
{
	return true;
}

static inline bool check_mutex_unlock(const struct mutex *m, const void *caller)
{
	return true;
}

static inline void might_sleep(void)
{
}

static inline bool check_no_spinlocks(void)
{
	return true;
}

static inline void check_no_locks(void)
{
}

static inline void check_task_on(struct task *task)
{
}

static inline void check_task_off(struct task *task)
{
}

static inline void check_stack_init(void)
{
}

#endif
