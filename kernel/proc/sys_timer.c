/* SPDX-License-Identifier: MIT */
/* System calls about timers that send signals. */
#include <hotregs/syscalls.h>

#include <arch/uaccess.h>

#include "proc.h"
#include "timer.h"

#define NSEC_PER_SEC 1000000000ULL

static struct uapi_timespec to_timespec(u64 ns)
{
	return (struct uapi_timespec){.sec = ns / NSEC_PER_SEC, .nsec = ns % NSEC_PER_SEC};
}

/* What a program sets a timer to; @absolute is the caller's to fill. -EFAULT, -EINVAL. */
static int get_setting(const struct uapi_itimerspec __user *user, struct timer_setting *setting)
{
	struct uapi_itimerspec spec;

	if (copy_from_user(&spec, user, sizeof(spec)))
		return -EFAULT;
	return timespec_to_ns(&setting->value, &spec.value)
		   ?: timespec_to_ns(&setting->interval, &spec.interval);
}

static int put_setting(struct uapi_itimerspec __user *user, const struct timer_setting *setting)
{
	const struct uapi_itimerspec spec = {
	    .interval = to_timespec(setting->interval),
	    .value = to_timespec(setting->value),
	};

	return user ? copy_to_user(user, &spec, sizeof(spec)) : 0;
}

/* The timers of processor time are not done: -EINVAL. */
long sys_setitimer(int which, const struct uapi_itimerspec __user *user_new,
		   struct uapi_itimerspec __user *user_old)
{
	struct timer_setting new = {}, old;
	int err = which == UAPI_ITIMER_REAL ? get_setting(user_new, &new) : -EINVAL;

	if (!err)
		err = process_itimer(&new, &old);
	return err ? err : put_setting(user_old, &old);
}

long sys_getitimer(int which, struct uapi_itimerspec __user *user)
{
	struct timer_setting left;
	int err = which == UAPI_ITIMER_REAL ? process_itimer(NULL, &left) : -EINVAL;

	if (err)
		return err;
	return user ? put_setting(user, &left) : -EFAULT;
}

/* Is @tid a thread of the caller's process? */
static bool is_own_thread(pid_t tid)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	bool own = thread_find_own(tid);

	spin_unlock_irqrestore(&task_list_lock, flags);
	return own;
}

static int check_event(const struct uapi_sigevent *event)
{
	bool signals = event->notify == UAPI_SIGEV_SIGNAL || event->notify == UAPI_SIGEV_THREAD_ID;

	if ((!signals && event->notify != UAPI_SIGEV_NONE) || event->zero)
		return -EINVAL;
	if (signals && (event->signo <= 0 || event->signo >= UAPI_NSIG))
		return -EINVAL;
	return event->notify == UAPI_SIGEV_THREAD_ID && !is_own_thread(event->tid) ? -EINVAL : 0;
}

long sys_timer_create(int clock, const struct uapi_sigevent __user *user_event)
{
	struct uapi_sigevent event;
	int err;

	if (clock != UAPI_CLOCK_REALTIME && clock != UAPI_CLOCK_MONOTONIC)
		return -EINVAL;
	if (!user_event)
		return process_timer_create(clock, NULL);
	if (copy_from_user(&event, user_event, sizeof(event)))
		return -EFAULT;
	err = check_event(&event);
	return err ? err : process_timer_create(clock, &event);
}

long sys_timer_settime(int id, int flags, const struct uapi_itimerspec __user *user_new,
		       struct uapi_itimerspec __user *user_old)
{
	struct timer_setting new = {.absolute = flags & UAPI_TIMER_ABSTIME}, old;
	int err = flags & ~UAPI_TIMER_ABSTIME ? -EINVAL : get_setting(user_new, &new);

	if (!err)
		err = process_timer_set(id, &new, &old);
	return err ? err : put_setting(user_old, &old);
}

long sys_timer_gettime(int id, struct uapi_itimerspec __user *user)
{
	struct timer_setting left;
	int err = process_timer_set(id, NULL, &left);

	if (err)
		return err;
	return user ? put_setting(user, &left) : -EFAULT;
}

long sys_timer_getoverrun(int id)
{
	return process_timer_overrun(id);
}

long sys_timer_delete(int id)
{
	return process_timer_delete(id);
}
