/* SPDX-License-Identifier: MIT */
/*
 * newlib's data of each thread (errno, buffers of strtok(), asctime() and the like). The first
 * thread's are newlib's own; another's are prepared when it first needs them.
 */
#include "thread.h"

#include <stdlib.h>
#include <string.h> /* _REENT_INIT_PTR() of newer newlibs clears with memset() */

struct _reent *__getreent(void);

static __attribute__((noinline)) struct _reent *reent_create(struct pthread *self)
{
	_REENT_INIT_PTR(self->reent_space);
	self->reent = self->reent_space;
	return self->reent;
}

struct _reent *__getreent(void)
{
	struct pthread *self = thread_self();

	return __builtin_expect(self->reent != NULL, 1) ? self->reent : reent_create(self);
}

/* Of what a conversion of floating-point numbers needs, some releases forget these. */
static void free_powers(struct _reent *reent)
{
	struct _Bigint *power = _REENT_MP_P5S(reent), *next;

	for (; power; power = next) {
		next = power->_next;
		_free_r(reent, power);
	}
	_REENT_MP_P5S(reent) = NULL;
}

void reent_free(void)
{
	struct _reent *reent = thread_self()->reent;

	if (!reent || reent == _impure_ptr)
		return;
	free_powers(reent);
	_reclaim_reent(reent);
}
