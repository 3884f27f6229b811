/* SPDX-License-Identifier: MIT */
/* Holding an open file over several calls: it has a lock already, newlib's, which counts. */
#include <stdio.h>
#include <sys/lock.h>

void __sinit(struct _reent *reent);

/* The standard files are opened, and so get theirs, when one of them is first used. */
static _LOCK_T lock_of(FILE *file)
{
	if (!file->_lock)
		__sinit(_GLOBAL_REENT);
	return file->_lock;
}

void flockfile(FILE *file)
{
	__retarget_lock_acquire_recursive(lock_of(file));
}

int ftrylockfile(FILE *file)
{
	return __retarget_lock_try_acquire_recursive(lock_of(file)) ? 0 : -1;
}

void funlockfile(FILE *file)
{
	__retarget_lock_release_recursive(lock_of(file));
}
