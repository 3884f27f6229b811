/* SPDX-License-Identifier: MIT */
/* Clocks, processor times and sleeping. */
#include "libc.h"

#include <stddef.h>
#include <sys/time.h>
#include <sys/times.h>
#include <time.h>
#include <unistd.h>

_Static_assert(CLOCK_REALTIME == UAPI_CLOCK_REALTIME && CLOCK_MONOTONIC == UAPI_CLOCK_MONOTONIC &&
		   CLOCK_PROCESS_CPUTIME_ID == UAPI_CLOCK_PROCESS_CPUTIME &&
		   CLOCK_THREAD_CPUTIME_ID == UAPI_CLOCK_THREAD_CPUTIME,
	       "clocks");

int clock_gettime(clockid_t clock, struct timespec *ts)
{
	struct uapi_timespec k;

	if (SYSCALL(clock_gettime, clock, &k) < 0)
		return -1;
	ts->tv_sec = k.sec;
	ts->tv_nsec = k.nsec;
	return 0;
}

int gettimeofday(struct timeval *tv, void *zone)
{
	struct timespec ts;

	(void)zone;
	if (clock_gettime(CLOCK_REALTIME, &ts) < 0)
		return -1;
	tv->tv_sec = ts.tv_sec;
	tv->tv_usec = ts.tv_nsec / 1000;
	return 0;
}

int clock_getres(clockid_t clock, struct timespec *ts)
{
	struct uapi_timespec k;

	if (SYSCALL(clock_getres, clock, &k) < 0)
		return -1;
	if (ts)
		*ts = (struct timespec){.tv_sec = k.sec, .tv_nsec = k.nsec};
	return 0;
}

int clock_settime(clockid_t clock, const struct timespec *ts)
{
	const struct uapi_timespec k = {.sec = ts->tv_sec, .nsec = ts->tv_nsec};

	return SYSCALL(clock_settime, clock, &k);
}

/* Returns its error. */
int clock_nanosleep(clockid_t clock, int flags, const struct timespec *ts, struct timespec *rest)
{
	const struct uapi_timespec k = {.sec = ts->tv_sec, .nsec = ts->tv_nsec};
	struct uapi_timespec left;
	int err = -raw_syscall6(SYS_clock_nanosleep, clock, flags, (long)&k, (long)&left, 0, 0);

	if (err == EINTR && rest && !(flags & TIMER_ABSTIME))
		*rest = (struct timespec){.tv_sec = left.sec, .tv_nsec = left.nsec};
	return err;
}

int nanosleep(const struct timespec *ts, struct timespec *rest)
{
	const struct uapi_timespec k = {.sec = ts->tv_sec, .nsec = ts->tv_nsec};
	struct uapi_timespec left;
	int err = SYSCALL(nanosleep, &k, &left);

	if (err && errno == EINTR && rest)
		*rest = (struct timespec){.tv_sec = left.sec, .tv_nsec = left.nsec};
	return err;
}

/* What is left when a signal comes, as a time that one could sleep again. */
unsigned sleep(unsigned seconds)
{
	struct timespec ts = {.tv_sec = seconds}, rest = ts;

	if (!nanosleep(&ts, &rest))
		return 0;
	return rest.tv_sec + (rest.tv_nsec != 0);
}

int usleep(useconds_t us)
{
	struct timespec ts = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};

	return nanosleep(&ts, NULL);
}

/* The kernel counts 1/100 s; newlib's clock() takes these for units of CLOCKS_PER_SEC. */
clock_t times(struct tms *tms)
{
	const clock_t scale = CLOCKS_PER_SEC / 100;
	struct uapi_tms k;
	long ticks = SYSCALL(times, &k);

	if (ticks < 0)
		return -1;
	tms->tms_utime = k.utime * scale;
	tms->tms_stime = k.stime * scale;
	tms->tms_cutime = k.cutime * scale;
	tms->tms_cstime = k.cstime * scale;
	return ticks * scale;
}
