/* SPDX-License-Identifier: MIT */
/* System calls about time. */
#include <hotregs/cpu.h>
#include <hotregs/syscalls.h>
#include <hotregs/time.h>
#include <hotregs/wait.h>

#include <arch/uaccess.h>

#include "proc.h"

#define NSEC_PER_SEC  1000000000ULL
#define NSEC_PER_TICK (NSEC_PER_SEC / TICK_HZ)

int timespec_to_ns(u64 *ns, const struct uapi_timespec *ts)
{
	if (ts->sec < 0 || ts->nsec < 0 || ts->nsec >= (s64)NSEC_PER_SEC)
		return -EINVAL;
	if (__builtin_mul_overflow((u64)ts->sec, NSEC_PER_SEC, ns) ||
	    __builtin_add_overflow(*ns, (u64)ts->nsec, ns))
		*ns = UINT64_MAX;
	return 0;
}

int timespec_from_user(u64 *ns, const struct uapi_timespec __user *user)
{
	struct uapi_timespec ts;

	return copy_from_user(&ts, user, sizeof(ts)) ? -EFAULT : timespec_to_ns(ns, &ts);
}

static int put_timespec(struct uapi_timespec __user *user, u64 ns)
{
	const struct uapi_timespec ts = {.sec = ns / NSEC_PER_SEC, .nsec = ns % NSEC_PER_SEC};

	return copy_to_user(user, &ts, sizeof(ts));
}

/* Sleeps for @ns; what is left when a signal comes is for @rem. The call itself is where chains of
 * sleepers begin. */
static __always_inline int sleep_for(u64 ns, struct uapi_timespec __user *rem)
{
	u64 deadline = signal_deadline(ns), now;
	int err = sleep_until(deadline);

	if (err != -EINTR || !rem)
		return err;
	now = clock_ns();
	return put_timespec(rem, deadline > now ? deadline - now : 0) ?: err;
}

/* Sleeps until the time of day is @ns; somebody may set it meanwhile. */
static int sleep_until_realtime(u64 ns)
{
	u64 now;
	int err = 0;

	while (!err && (now = clock_realtime_ns()) < ns)
		err = sleep_ns(MIN(ns - now, CLOCK_SET_NOTICED_NS));
	return err;
}

long sys_nanosleep(const struct uapi_timespec __user *req, struct uapi_timespec __user *rem)
{
	u64 ns;
	int err = timespec_from_user(&ns, req);

	return err ? err : sleep_for(ns, rem);
}

long sys_clock_nanosleep(int clock, int flags, const struct uapi_timespec __user *req,
			 struct uapi_timespec __user *rem)
{
	u64 ns;
	int err;

	if ((clock != UAPI_CLOCK_REALTIME && clock != UAPI_CLOCK_MONOTONIC) ||
	    (flags & ~UAPI_TIMER_ABSTIME))
		return -EINVAL;
	err = timespec_from_user(&ns, req);
	if (err)
		return err;
	if (!(flags & UAPI_TIMER_ABSTIME))
		return sleep_for(ns, rem);
	return clock == UAPI_CLOCK_REALTIME ? sleep_until_realtime(ns) : sleep_until(ns);
}

static void current_process_times(u64 *utime, u64 *stime)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);

	process_times(current->process, utime, stime);
	spin_unlock_irqrestore(&task_list_lock, flags);
}

long sys_clock_gettime(int clock, struct uapi_timespec __user *user_ts)
{
	u64 ns, utime, stime;

	switch (clock) {
	case UAPI_CLOCK_REALTIME:
		ns = clock_realtime_ns();
		break;
	case UAPI_CLOCK_MONOTONIC:
		ns = clock_ns();
		break;
	case UAPI_CLOCK_PROCESS_CPUTIME:
		current_process_times(&utime, &stime);
		ns = (utime + stime) * NSEC_PER_TICK;
		break;
	case UAPI_CLOCK_THREAD_CPUTIME:
		ns = (current->utime + current->stime) * NSEC_PER_TICK;
		break;
	default:
		return -EINVAL;
	}
	return put_timespec(user_ts, ns);
}

long sys_clock_getres(int clock, struct uapi_timespec __user *user_ts)
{
	u64 ns;

	switch (clock) {
	case UAPI_CLOCK_REALTIME:
	case UAPI_CLOCK_MONOTONIC:
		ns = 1;
		break;
	case UAPI_CLOCK_PROCESS_CPUTIME:
	case UAPI_CLOCK_THREAD_CPUTIME:
		ns = NSEC_PER_TICK;
		break;
	default:
		return -EINVAL;
	}
	return user_ts ? put_timespec(user_ts, ns) : 0;
}

long sys_clock_settime(int clock, const struct uapi_timespec __user *user_ts)
{
	u64 ns;
	int err;

	if (clock != UAPI_CLOCK_REALTIME)
		return -EINVAL;
	if (!process_privileged())
		return -EPERM;
	err = timespec_from_user(&ns, user_ts);
	if (err)
		return err;
	/* Before the machine was started it can not have been. */
	if (ns < clock_ns())
		return -EINVAL;
	clock_set_realtime(ns);
	return 0;
}

long sys_times(struct uapi_tms __user *user_tms)
{
	struct uapi_tms tms = {
	    .cutime = current->process->child_utime,
	    .cstime = current->process->child_stime,
	};
	u64 utime, stime;

	current_process_times(&utime, &stime);
	tms.utime = utime;
	tms.stime = stime;
	if (user_tms && copy_to_user(user_tms, &tms, sizeof(tms)))
		return -EFAULT;
	return clock_ns() / NSEC_PER_TICK;
}
