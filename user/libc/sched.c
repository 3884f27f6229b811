/* SPDX-License-Identifier: MIT */
/* Who runs when: nice values, policies and processors, of processes and of threads; thread names.
 */
#define _GNU_SOURCE /* thread names */
#include "thread.h"

#include <sched.h>
#include <string.h>
#include <sys/resource.h>

_Static_assert(SCHED_OTHER == UAPI_SCHED_OTHER && SCHED_FIFO == UAPI_SCHED_FIFO &&
		   SCHED_RR == UAPI_SCHED_RR,
	       "policies");

#define POLICY_KEEP (-1)

static bool is_realtime(int policy)
{
	return policy == SCHED_FIFO || policy == SCHED_RR;
}

static int invalid(void)
{
	errno = EINVAL;
	return -1;
}

int sched_yield(void)
{
	return SYSCALL(sched_yield);
}

int setpriority(int which, id_t who, int nice)
{
	if (which != PRIO_PROCESS)
		return invalid();
	nice = nice < UAPI_NICE_MIN ? UAPI_NICE_MIN : nice > UAPI_NICE_MAX ? UAPI_NICE_MAX : nice;
	return SYSCALL(setpriority, who, nice);
}

int getpriority(int which, id_t who)
{
	long ret;

	if (which != PRIO_PROCESS)
		return invalid();
	ret = SYSCALL(getpriority, who);
	return ret < 0 ? -1 : UAPI_NICE_MAX + 1 - (int)ret;
}

int nice(int increment)
{
	int old;

	errno = 0;
	old = getpriority(PRIO_PROCESS, 0);
	if (old == -1 && errno)
		return -1;
	if (setpriority(PRIO_PROCESS, 0, old + increment)) {
		errno = errno == EACCES ? EPERM : errno;
		return -1;
	}
	return getpriority(PRIO_PROCESS, 0);
}

int sched_get_priority_min(int policy)
{
	if (policy == SCHED_OTHER)
		return 0;
	return is_realtime(policy) ? 1 : invalid();
}

int sched_get_priority_max(int policy)
{
	if (policy == SCHED_OTHER)
		return 0;
	return is_realtime(policy) ? UAPI_SCHED_PRIORITY_MAX : invalid();
}

int sched_setscheduler(pid_t pid, int policy, const struct sched_param *param)
{
	if (policy != SCHED_OTHER && !is_realtime(policy))
		return invalid();
	return SYSCALL(sched_setscheduler, pid, policy, param->sched_priority);
}

int sched_getscheduler(pid_t pid)
{
	return SYSCALL(sched_getscheduler, pid);
}

int sched_setparam(pid_t pid, const struct sched_param *param)
{
	return SYSCALL(sched_setscheduler, pid, POLICY_KEEP, param->sched_priority);
}

int sched_getparam(pid_t pid, struct sched_param *param)
{
	long number = SYSCALL(sched_getparam, pid);

	if (number < 0)
		return -1;
	param->sched_priority = number;
	return 0;
}

int sched_rr_get_interval(pid_t pid, struct timespec *interval)
{
	struct uapi_timespec ts;

	if (SYSCALL(sched_rr_get_interval, pid, &ts))
		return -1;
	interval->tv_sec = ts.sec;
	interval->tv_nsec = ts.nsec;
	return 0;
}

int sched_setaffinity(pid_t pid, size_t size, const cpu_set_t *set)
{
	return SYSCALL(sched_setaffinity, pid, size, set);
}

/* The kernel tells how many bytes it has filled. 0 or a negative errno value. */
static long get_affinity(pid_t tid, size_t size, cpu_set_t *set)
{
	long filled = raw_syscall3(SYS_sched_getaffinity, tid, size, (long)set);

	if (filled < 0)
		return filled;
	memset((char *)set + filled, 0, size - filled);
	return 0;
}

int sched_getaffinity(pid_t pid, size_t size, cpu_set_t *set)
{
	return syscall_result(get_affinity(pid, size, set));
}

int sched_getcpu(void)
{
	return SYSCALL(getcpu);
}

/* --- Threads --- */

int pthread_setschedparam(pthread_t thread, int policy, const struct sched_param *param)
{
	if (policy != SCHED_OTHER && !is_realtime(policy))
		return EINVAL;
	return -raw_syscall3(SYS_sched_setscheduler, thread_number(thread), policy,
			     param->sched_priority);
}

int pthread_setschedprio(pthread_t thread, int number)
{
	return -raw_syscall3(SYS_sched_setscheduler, thread_number(thread), POLICY_KEEP, number);
}

int pthread_getschedparam(pthread_t thread, int *policy, struct sched_param *param)
{
	long tid = thread_number(thread);
	long number = raw_syscall3(SYS_sched_getparam, tid, 0, 0);

	if (number < 0)
		return -number;
	*policy = raw_syscall3(SYS_sched_getscheduler, tid, 0, 0);
	param->sched_priority = number;
	return 0;
}

int pthread_setaffinity_np(pthread_t thread, size_t size, const cpu_set_t *set)
{
	return -raw_syscall3(SYS_sched_setaffinity, thread_number(thread), size, (long)set);
}

int pthread_getaffinity_np(pthread_t thread, size_t size, cpu_set_t *set)
{
	return -get_affinity(thread_number(thread), size, set);
}

int pthread_setname_np(pthread_t thread, const char *name)
{
	return -raw_syscall3(SYS_thread_setname, thread_number(thread), (long)name, 0);
}

int pthread_getname_np(pthread_t thread, char *name, size_t size)
{
	long len = raw_syscall3(SYS_thread_getname, thread_number(thread), (long)name, size);

	return len < 0 ? -len : 0;
}
