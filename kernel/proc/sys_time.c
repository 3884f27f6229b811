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

int timespec_from_user(u64 *ns, const struct uapi_timespec __user *user)
{
	struct uapi_timespec ts;

	if (copy_from_user(&ts, user, sizeof(ts)))
		return -EFAULT;
	if (ts.sec < 0 || ts.nsec < 0 || ts.nsec >= (s64)NSEC_PER_SEC)
		return -EINVAL;
	if (__builtin_mul_overflow((u64)ts.sec, NSEC_PER_SEC, ns) ||
	    __builtin_add_overflow(*ns, (u64)ts.nsec, ns))
		*ns = UINT64_MAX;
	return 0;
}

/* What is left in @rem after an interruption has no reader: only a fatal signal interrupts. */
long sys_nanosleep(const struct uapi_timespec __user *req, struct uapi_timespec __user *rem)
{
	u64 ns;
	int err = timespec_from_user(&ns, req);

	return err ? err : sleep_ns(ns);
}

static void current_process_times(u64 *utime, u64 *stime)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);

	process_times(current->process, utime, stime);
	spin_unlock_irqrestore(&task_list_lock, flags);
}

long sys_clock_gettime(int clock, struct uapi_timespec __user *user_ts)
{
	struct uapi_timespec ts = {};
	u64 ns, utime, stime;

	switch (clock) {
	case UAPI_CLOCK_REALTIME:
		ts.sec = clock_boot_epoch;
		ns = clock_ns();
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
	ts.sec += ns / NSEC_PER_SEC;
	ts.nsec = ns % NSEC_PER_SEC;
	return copy_to_user(user_ts, &ts, sizeof(ts));
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
