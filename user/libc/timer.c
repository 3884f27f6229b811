/* SPDX-License-Identifier: MIT */
/* Timers that send signals. */
#include "libc.h"

#include <signal.h>
#include <stddef.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

_Static_assert(ITIMER_REAL == UAPI_ITIMER_REAL && TIMER_ABSTIME == UAPI_TIMER_ABSTIME, "timers");

static struct uapi_itimerspec from_itimerval(const struct itimerval *value)
{
	/* A number of microseconds that is none stays none. */
	return (struct uapi_itimerspec){
	    .interval = {value->it_interval.tv_sec, value->it_interval.tv_usec * 1000LL},
	    .value = {value->it_value.tv_sec, value->it_value.tv_usec * 1000LL},
	};
}

/* Rounded up, for what has a time to go must not look as if it had none. */
static struct timeval to_timeval(const struct uapi_timespec *ts)
{
	long usec = (ts->nsec + 999) / 1000;

	return (struct timeval){.tv_sec = ts->sec + usec / 1000000, .tv_usec = usec % 1000000};
}

static struct itimerval to_itimerval(const struct uapi_itimerspec *spec)
{
	return (struct itimerval){
	    .it_interval = to_timeval(&spec->interval),
	    .it_value = to_timeval(&spec->value),
	};
}

int setitimer(int which, const struct itimerval *restrict value, struct itimerval *restrict old)
{
	struct uapi_itimerspec new = from_itimerval(value), before;

	if (SYSCALL(setitimer, which, &new, &before) < 0)
		return -1;
	if (old)
		*old = to_itimerval(&before);
	return 0;
}

int getitimer(int which, struct itimerval *value)
{
	struct uapi_itimerspec left;

	if (SYSCALL(getitimer, which, &left) < 0)
		return -1;
	*value = to_itimerval(&left);
	return 0;
}

unsigned alarm(unsigned seconds)
{
	const struct itimerval value = {.it_value.tv_sec = seconds};
	struct itimerval old = {};

	setitimer(ITIMER_REAL, &value, &old);
	return old.it_value.tv_sec + (old.it_value.tv_usec != 0);
}

int timer_create(clockid_t clock, struct sigevent *restrict event, timer_t *restrict timer)
{
	struct uapi_sigevent k;
	long id;

	if (event)
		k = (struct uapi_sigevent){
		    .notify = event->sigev_notify,
		    .signo = event->sigev_signo,
		    .value = (uintptr_t)event->sigev_value.sival_ptr,
		    .tid = event->sigev_notify_thread_id,
		};
	id = SYSCALL(timer_create, clock, event ? &k : NULL);
	if (id < 0)
		return -1;
	*timer = id;
	return 0;
}

static struct uapi_itimerspec from_itimerspec(const struct itimerspec *spec)
{
	return (struct uapi_itimerspec){
	    .interval = {spec->it_interval.tv_sec, spec->it_interval.tv_nsec},
	    .value = {spec->it_value.tv_sec, spec->it_value.tv_nsec},
	};
}

static struct itimerspec to_itimerspec(const struct uapi_itimerspec *k)
{
	return (struct itimerspec){
	    .it_interval = {.tv_sec = k->interval.sec, .tv_nsec = k->interval.nsec},
	    .it_value = {.tv_sec = k->value.sec, .tv_nsec = k->value.nsec},
	};
}

int timer_settime(timer_t timer, int flags, const struct itimerspec *restrict value,
		  struct itimerspec *restrict old)
{
	struct uapi_itimerspec new = from_itimerspec(value), before;

	if (SYSCALL6(timer_settime, timer, flags, &new, &before, 0, 0) < 0)
		return -1;
	if (old)
		*old = to_itimerspec(&before);
	return 0;
}

int timer_gettime(timer_t timer, struct itimerspec *value)
{
	struct uapi_itimerspec left;

	if (SYSCALL(timer_gettime, timer, &left) < 0)
		return -1;
	*value = to_itimerspec(&left);
	return 0;
}

int timer_getoverrun(timer_t timer)
{
	return SYSCALL(timer_getoverrun, timer);
}

int timer_delete(timer_t timer)
{
	return SYSCALL(timer_delete, timer);
}
