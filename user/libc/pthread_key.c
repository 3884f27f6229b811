/* SPDX-License-Identifier: MIT */
/* Values that each thread has its own of, by key; and what is to be done once. */
#include "thread.h"

#include <stdlib.h>

#define DESTRUCTOR_ROUNDS 4 /* POSIX: at least; a destructor may set values again */

struct lock keys_lock;
static struct {
	/* Odd: in use. It rises, so that values of a key that was here before count as NULL. */
	uint32_t generation;
	void (*destructor)(void *);
} keys[KEYS_MAX];

static uint32_t generation(pthread_key_t key)
{
	return key < KEYS_MAX ? __atomic_load_n(&keys[key].generation, __ATOMIC_ACQUIRE) : 0;
}

int pthread_key_create(pthread_key_t *key, void (*destructor)(void *))
{
	int err = EAGAIN;

	lock_acquire(&keys_lock);
	for (pthread_key_t i = 0; err && i < KEYS_MAX; i++) {
		if (keys[i].generation & 1)
			continue;
		keys[i].destructor = destructor;
		__atomic_store_n(&keys[i].generation, keys[i].generation + 1, __ATOMIC_RELEASE);
		*key = i;
		err = 0;
	}
	lock_release(&keys_lock);
	return err;
}

int pthread_key_delete(pthread_key_t key)
{
	int err = EINVAL;

	lock_acquire(&keys_lock);
	if (generation(key) & 1) {
		__atomic_store_n(&keys[key].generation, keys[key].generation + 1, __ATOMIC_RELEASE);
		err = 0;
	}
	lock_release(&keys_lock);
	return err;
}

int pthread_setspecific(pthread_key_t key, const void *value)
{
	struct pthread *self = thread_self();
	uint32_t now = generation(key);

	if (!(now & 1))
		return EINVAL;
	if (!self->specific)
		self->specific = calloc(KEYS_MAX, sizeof(*self->specific));
	if (!self->specific)
		return ENOMEM;
	self->specific[key].value = value;
	self->specific[key].generation = now;
	return 0;
}

void *pthread_getspecific(pthread_key_t key)
{
	const struct pthread *self = thread_self();
	uint32_t now = generation(key);

	if (!(now & 1) || !self->specific || self->specific[key].generation != now)
		return NULL;
	return (void *)self->specific[key].value;
}

/* Destroys all values there are now; were there any? */
static bool destroy_round(struct pthread *self)
{
	bool any = false;

	for (pthread_key_t i = 0; i < KEYS_MAX; i++) {
		void (*destructor)(void *);
		void *value;

		lock_acquire(&keys_lock);
		value = pthread_getspecific(i);
		destructor = keys[i].destructor;
		self->specific[i].value = NULL;
		lock_release(&keys_lock);
		if (!value || !destructor)
			continue;
		destructor(value);
		any = true;
	}
	return any;
}

void keys_destroy(void)
{
	struct pthread *self = thread_self();

	if (!self->specific)
		return;
	for (int round = 0; round < DESTRUCTOR_ROUNDS && destroy_round(self); round++)
		;
	free(self->specific);
	self->specific = NULL;
}

/* --- Once --- */

enum { ONCE_NEW, ONCE_RUNNING, ONCE_DONE };

int pthread_once(pthread_once_t *once, void (*routine)(void))
{
	uint32_t state = ONCE_NEW;

	if (__atomic_load_n(&once->state, __ATOMIC_ACQUIRE) == ONCE_DONE)
		return 0;
	if (__atomic_compare_exchange_n(&once->state, &state, ONCE_RUNNING, false, __ATOMIC_ACQUIRE,
					__ATOMIC_ACQUIRE)) {
		routine();
		__atomic_store_n(&once->state, ONCE_DONE, __ATOMIC_RELEASE);
		futex_wake(&once->state, FUTEX_ALL);
		return 0;
	}
	while (__atomic_load_n(&once->state, __ATOMIC_ACQUIRE) != ONCE_DONE)
		futex_wait(&once->state, ONCE_RUNNING);
	return 0;
}
