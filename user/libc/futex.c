/* SPDX-License-Identifier: MIT */
/* Waiting for a word to change. */
#include "thread.h"

static long futex(const uint32_t *word, int op, uint32_t value, const struct uapi_timespec *timeout)
{
	return raw_syscall6(SYS_futex, (long)word, op | UAPI_FUTEX_PRIVATE, value, (long)timeout, 0,
			    (long)UAPI_FUTEX_ALL_BITS);
}

void futex_wait(const uint32_t *word, uint32_t value)
{
	futex(word, UAPI_FUTEX_WAIT, value, NULL);
}

int futex_wait_until(const uint32_t *word, uint32_t value, clockid_t clock,
		     const struct timespec *deadline)
{
	struct uapi_timespec until;
	int op = UAPI_FUTEX_WAIT_BITSET;
	long ret;

	if (clock == CLOCK_REALTIME)
		op |= UAPI_FUTEX_REALTIME;
	if (deadline)
		until = (struct uapi_timespec){deadline->tv_sec, deadline->tv_nsec};
	/* What lies before the clock's beginning has passed; the kernel knows no negative times. */
	if (deadline && deadline->tv_sec < 0)
		until.sec = 0;
	ret = futex(word, op, value, deadline ? &until : NULL);
	return ret == -ETIMEDOUT || ret == -EINVAL ? -ret : 0;
}

void futex_wake(const uint32_t *word, uint32_t n)
{
	futex(word, UAPI_FUTEX_WAKE, n, NULL);
}
