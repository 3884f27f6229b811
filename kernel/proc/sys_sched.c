/* SPDX-License-Identifier: MIT */
/*
 * System calls about who runs when. Of the scheduler's priorities the lowest half are those of
 * SCHED_OTHER by nice value; a negative nice value, and the numbers of SCHED_FIFO and SCHED_RR,
 * come above. The very highest is the kernel's.
 */
#include <hotregs/smp.h>
#include <hotregs/syscalls.h>

#include <arch/uaccess.h>

#include "proc.h"

#define NSEC_PER_TICK (1000000000 / TICK_HZ)

#define POLICY_KEEP (-1)

/* -20 (most urgent) to 19 become 30 to 1. */
static unsigned nice_priority(int nice)
{
	return PRIORITY_DEFAULT - nice * PRIORITY_DEFAULT / 20;
}

static unsigned realtime_priority(int number)
{
	return PRIORITY_DEFAULT + number;
}

_Static_assert(PRIORITY_DEFAULT + UAPI_SCHED_PRIORITY_MAX < PRIORITY_MAX, "");

/* The number under a real-time policy; 0 under SCHED_OTHER. */
static int realtime_number(const struct task *task)
{
	return task->policy == UAPI_SCHED_OTHER ? 0 : task->own_priority - PRIORITY_DEFAULT;
}

void task_inherit_sched(struct task *task, const struct task *from)
{
	task->priority = task->own_priority = from->own_priority;
	task->fifo = from->fifo;
	task->policy = from->policy;
	task->nice = from->nice;
}

long sys_sched_yield(void)
{
	yield();
	return 0;
}

/* Thread @tid, 0: the caller; NULL: there is none that runs or could. List lock held. */
static struct task *find_thread(pid_t tid)
{
	struct task *task = tid ? task_find(tid) : current;

	return task && !task->gone ? task : NULL;
}

/* What may be asked of every program's thread, of @tid's; the answer, or -ESRCH, -EPERM. */
static long ask_thread(pid_t tid, long (*answer)(const struct task *task))
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	const struct task *task = find_thread(tid);
	long ret = task ? answer(task) : -ESRCH;

	spin_unlock_irqrestore(&task_list_lock, flags);
	return ret;
}

/* --- Nice values --- */

/* Who may not touch @task at all is told so, rather than that it asks for too much. */
static int set_nice(struct task *task, int nice)
{
	int err = process_may_access(task);

	if (!err && nice < task->nice && !process_privileged())
		err = -EACCES;
	if (err)
		return err;
	task->nice = nice;
	return task->policy == UAPI_SCHED_OTHER ? sched_set_priority(task, nice_priority(nice)) : 0;
}

long sys_setpriority(pid_t tid, int nice)
{
	unsigned long flags;
	struct task *task;
	int err;

	if (nice < UAPI_NICE_MIN || nice > UAPI_NICE_MAX)
		return -EINVAL;
	flags = spin_lock_irqsave(&task_list_lock);
	task = find_thread(tid);
	err = task ? set_nice(task, nice) : -ESRCH;
	spin_unlock_irqrestore(&task_list_lock, flags);
	return err;
}

/* A nice value turned round, so that no answer looks like an error. */
static long get_nice(const struct task *task)
{
	return UAPI_NICE_MAX + 1 - task->nice;
}

long sys_getpriority(pid_t tid)
{
	return ask_thread(tid, get_nice);
}

/* --- Policies --- */

static int check_policy(int policy, int number)
{
	if (policy == UAPI_SCHED_OTHER)
		return number ? -EINVAL : 0;
	if (policy != UAPI_SCHED_FIFO && policy != UAPI_SCHED_RR)
		return -EINVAL;
	return number < 1 || number > UAPI_SCHED_PRIORITY_MAX ? -EINVAL : 0;
}

/* @number is 0 for SCHED_OTHER. List lock held. */
static int set_policy(struct task *task, int policy, int number)
{
	int err = process_may_access(task);

	if (policy == POLICY_KEEP)
		policy = task->policy;
	err = check_policy(policy, number) ?: err;
	if (!err && policy != UAPI_SCHED_OTHER && !process_privileged())
		err = -EPERM;
	if (err)
		return err;
	task->policy = policy;
	task->fifo = policy == UAPI_SCHED_FIFO;
	return sched_set_priority(task,
				  number ? realtime_priority(number) : nice_priority(task->nice));
}

long sys_sched_setscheduler(pid_t tid, int policy, int number)
{
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	struct task *task = find_thread(tid);
	int err = task ? set_policy(task, policy, number) : -ESRCH;

	spin_unlock_irqrestore(&task_list_lock, flags);
	return err;
}

static long get_policy(const struct task *task)
{
	return task->policy;
}

long sys_sched_getscheduler(pid_t tid)
{
	return ask_thread(tid, get_policy);
}

static long get_number(const struct task *task)
{
	return realtime_number(task);
}

long sys_sched_getparam(pid_t tid)
{
	return ask_thread(tid, get_number);
}

long sys_sched_rr_get_interval(pid_t tid, struct uapi_timespec __user *interval)
{
	long policy = ask_thread(tid, get_policy);
	struct uapi_timespec ts = {};

	if (policy < 0)
		return policy;
	if (policy != UAPI_SCHED_FIFO)
		ts.nsec = SLICE_TICKS * NSEC_PER_TICK;
	return copy_to_user(interval, &ts, sizeof(ts));
}

/* --- On which processors --- */

/* Processors beyond those there can be are none. */
static u32 mask_to_cpus(unsigned long mask)
{
	return mask & cpus_online();
}

static int set_affinity(struct task *task, unsigned long mask)
{
	return process_may_access(task) ?: sched_set_affinity(task, mask_to_cpus(mask));
}

/* A caller that has to leave its processor does so before it is back in user mode. */
long sys_sched_setaffinity(pid_t tid, size_t size, const unsigned long __user *user_mask)
{
	unsigned long mask = 0, flags;
	struct task *task;
	int err;

	if (copy_from_user(&mask, user_mask, MIN(size, sizeof(mask))))
		return -EFAULT;
	flags = spin_lock_irqsave(&task_list_lock);
	task = find_thread(tid);
	err = task ? set_affinity(task, mask) : -ESRCH;
	spin_unlock_irqrestore(&task_list_lock, flags);
	return err;
}

static long get_affinity(const struct task *task)
{
	return READ_ONCE(task->affinity) & cpus_online();
}

long sys_sched_getaffinity(pid_t tid, size_t size, unsigned long __user *user_mask)
{
	long answer = ask_thread(tid, get_affinity);
	unsigned long mask = answer;

	if (answer < 0)
		return answer;
	if (size < sizeof(mask))
		return -EINVAL;
	return copy_to_user(user_mask, &mask, sizeof(mask)) ?: (long)sizeof(mask);
}

long sys_getcpu(void)
{
	return READ_ONCE(current->cpu);
}
