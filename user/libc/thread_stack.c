/* SPDX-License-Identifier: MIT */
/*
 * Memory of threads: a guard that nothing may touch, the stack, and at its top the thread's part
 * and its thread-local data. A few of those that ended are kept for the next ones.
 */
#include "thread.h"

#include <sys/mman.h>
#include <unistd.h>

#define CACHE_MAX 4

/* For newlib's data, above the thread's part. */
#define REENT_SPACE ((sizeof(struct _reent) + 15) & -16UL)

struct lock stack_cache_lock;
static struct pthread *cache; /* by next_stack, the last one that ended first */

/* Takes out of the cache one of this size that nobody runs on any more; NULL: there is none. */
static struct pthread *take_cached(size_t map_size, size_t guard_size)
{
	struct pthread **link, *thread;

	lock_acquire(&stack_cache_lock);
	for (link = &cache; (thread = *link); link = &thread->next_stack)
		if (thread->map_size == map_size && thread->guard_size == guard_size &&
		    !__atomic_load_n(&thread->tid, __ATOMIC_ACQUIRE))
			break;
	if (thread)
		*link = thread->next_stack;
	lock_release(&stack_cache_lock);
	return thread;
}

size_t thread_space(void)
{
	return tls_space() + REENT_SPACE;
}

/* Reserves all of it, and then gives what is above the guard its rights; NULL: no memory. */
static char *map_stack(size_t map_size, size_t guard_size)
{
	const int flags = MAP_PRIVATE | MAP_ANONYMOUS, prot = PROT_READ | PROT_WRITE;
	char *map = mmap(NULL, map_size, guard_size ? PROT_NONE : prot, flags, -1, 0);

	if (map == MAP_FAILED)
		return NULL;
	if (guard_size && mmap(map + guard_size, map_size - guard_size, prot, flags | MAP_FIXED, -1,
			       0) == MAP_FAILED) {
		munmap(map, map_size);
		return NULL;
	}
	return map;
}

struct pthread *thread_place(char *stack_end, char **sp)
{
	struct pthread *thread = tls_init(stack_end - REENT_SPACE, sp);

	*thread = (struct pthread){.self = thread};
	thread->reent_space = (struct _reent *)(stack_end - REENT_SPACE);
	return thread;
}

struct pthread *thread_alloc(size_t stack_size, size_t guard_size, char **sp)
{
	size_t page = getpagesize(), size;
	struct pthread *thread;
	char *map;

	if (__builtin_add_overflow(stack_size, thread_space() + page - 1, &stack_size) ||
	    __builtin_add_overflow(guard_size, page - 1, &guard_size))
		return NULL;
	stack_size &= -page;
	guard_size &= -page;
	if (__builtin_add_overflow(stack_size, guard_size, &size))
		return NULL;
	thread = take_cached(size, guard_size);
	map = thread ? thread->map : map_stack(size, guard_size);
	if (!map)
		return NULL;
	thread = thread_place(map + size, sp);
	thread->map = map;
	thread->map_size = size;
	thread->guard_size = guard_size;
	return thread;
}

/* Takes out what is too much and nobody runs on; NULL: nothing. Lock held. */
static struct pthread *take_surplus(void)
{
	struct pthread **link = &cache, *thread;
	unsigned n = 0;

	for (; (thread = *link); link = &thread->next_stack) {
		if (++n > CACHE_MAX && !__atomic_load_n(&thread->tid, __ATOMIC_ACQUIRE)) {
			*link = thread->next_stack;
			return thread;
		}
	}
	return NULL;
}

void thread_release(struct pthread *thread)
{
	if (!thread->map)
		return;
	lock_acquire(&stack_cache_lock);
	thread->next_stack = cache;
	cache = thread;
	while ((thread = take_surplus()))
		munmap(thread->map, thread->map_size);
	lock_release(&stack_cache_lock);
}

void stacks_forked(void)
{
	for (struct pthread *thread = cache; thread; thread = thread->next_stack)
		thread->tid = 0;
}
