/* SPDX-License-Identifier: MIT */
/* Nice values and policies: what is answered, what is refused, who runs then. */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "ktap.h"

#define NOBODY 31000 /* no task has this number */

static int set(pid_t pid, int policy, int priority)
{
	const struct sched_param param = {.sched_priority = priority};

	return sched_setscheduler(pid, policy, &param);
}

static int priority_of(pid_t pid)
{
	struct sched_param param = {.sched_priority = -1};

	return sched_getparam(pid, &param) ? -1 : param.sched_priority;
}

static void nice_values(void)
{
	for (int n = -20; n <= 19; n++) {
		errno = 0;
		if (setpriority(PRIO_PROCESS, 0, n) || getpriority(PRIO_PROCESS, 0) != n || errno)
			_exit(1);
	}
	/* Beyond the limits is at them. */
	if (setpriority(PRIO_PROCESS, 0, 100) || getpriority(PRIO_PROCESS, 0) != 19 ||
	    setpriority(PRIO_PROCESS, getpid(), -100) || getpriority(PRIO_PROCESS, getpid()) != -20)
		_exit(2);
	_exit(nice(5) != -15 || nice(-3) != -18);
}

TEST(sched_nice_values)
{
	EXPECT_EQ(in_child(nice_values), 0);
	EXPECT_ERRNO(syscall(SYS_setpriority, 0, 20), EINVAL);
	EXPECT_ERRNO(syscall(SYS_setpriority, 0, -21), EINVAL);
	EXPECT_ERRNO(setpriority(PRIO_PROCESS, NOBODY, 0), ESRCH);
	EXPECT_ERRNO(getpriority(PRIO_PROCESS, NOBODY), ESRCH);
	EXPECT_ERRNO(setpriority(99, 0, 0), EINVAL);
	EXPECT_ERRNO(getpriority(99, 0), EINVAL);
	EXPECT_EQ(getpriority(PRIO_PROCESS, 0), 0);
}

static void policies(void)
{
	static const int realtime[] = {SCHED_FIFO, SCHED_RR};
	const struct sched_param four = {.sched_priority = 4}, none = {};

	for (int i = 0; i < 2; i++) {
		int policy = realtime[i];

		if (set(0, policy, 1) || sched_getscheduler(0) != policy || priority_of(0) != 1)
			_exit(1);
		if (sched_setparam(0, &four) || sched_getscheduler(getpid()) != policy ||
		    priority_of(getpid()) != 4)
			_exit(2);
		if (!sched_setparam(0, &none) || errno != EINVAL || priority_of(0) != 4)
			_exit(3);
	}
	/* A nice value waits for its policy. */
	if (setpriority(PRIO_PROCESS, 0, 7) || priority_of(0) != 4 || set(0, SCHED_OTHER, 0) ||
	    getpriority(PRIO_PROCESS, 0) != 7 || priority_of(0))
		_exit(4);
	if (!sched_setparam(0, &four) || errno != EINVAL)
		_exit(5);
	_exit(0);
}

TEST(sched_policies)
{
	EXPECT_EQ(sched_getscheduler(0), SCHED_OTHER);
	EXPECT_EQ(priority_of(0), 0);
	EXPECT_EQ(in_child(policies), 0);
}

TEST(sched_limits)
{
	EXPECT_EQ(sched_get_priority_min(SCHED_OTHER), 0);
	EXPECT_EQ(sched_get_priority_max(SCHED_OTHER), 0);
	EXPECT_EQ(sched_get_priority_min(SCHED_FIFO), 1);
	EXPECT_EQ(sched_get_priority_max(SCHED_RR), sched_get_priority_max(SCHED_FIFO));
	EXPECT_ERRNO(sched_get_priority_max(77), EINVAL);
	EXPECT_ERRNO(sched_get_priority_min(-1), EINVAL);
	EXPECT_ERRNO(set(0, SCHED_FIFO, 0), EINVAL);
	EXPECT_ERRNO(set(0, SCHED_RR, sched_get_priority_max(SCHED_RR) + 1), EINVAL);
	EXPECT_ERRNO(set(0, SCHED_OTHER, 1), EINVAL);
	EXPECT_ERRNO(set(0, 77, 1), EINVAL);
	EXPECT_ERRNO(set(0, -1, 1), EINVAL);
	EXPECT_ERRNO(set(NOBODY, SCHED_OTHER, 0), ESRCH);
	EXPECT_ERRNO(sched_getscheduler(NOBODY), ESRCH);
	EXPECT_ERRNO(priority_of(NOBODY), ESRCH);
}

static void without_privilege(void)
{
	if (set(0, SCHED_RR, 3) || setuid(1000))
		_exit(1);
	/* Down is free, up is not. */
	if (set(0, SCHED_RR, 3) != -1 || errno != EPERM)
		_exit(2);
	if (set(0, SCHED_OTHER, 0) || set(0, SCHED_FIFO, 1) != -1 || errno != EPERM)
		_exit(3);
	if (nice(3) != 3 || nice(-1) != -1 || errno != EPERM)
		_exit(4);
	if (set(1, SCHED_OTHER, 0) != -1 || errno != EPERM)
		_exit(5);
	_exit(sched_getscheduler(1) != SCHED_OTHER);
}

TEST(sched_privilege)
{
	EXPECT_EQ(in_child(without_privilege), 0);
}

TEST(sched_interval)
{
	struct timespec ts = {-1, -1};

	EXPECT_EQ(sched_rr_get_interval(0, &ts), 0);
	EXPECT(ts.tv_sec == 0 && ts.tv_nsec > 0);
	EXPECT_ERRNO(sched_rr_get_interval(NOBODY, &ts), ESRCH);
	EXPECT_ERRNO(syscall(SYS_sched_rr_get_interval, 0L, bad_pointer), EFAULT);
}

/* --- Who runs --- */

static volatile int turns, last;

static uint64_t cpu_time(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts);
	return ts.tv_sec * 1000000000ULL + ts.tv_nsec;
}

/* Computes for some slices, and counts how often it finds that another one ran meanwhile. */
static void *compute(void *arg)
{
	int me = (uintptr_t)arg;

	while (cpu_time() < 50000000) {
		if (last != me) {
			turns++;
			last = me;
		}
	}
	return NULL;
}

static int turns_under(int policy)
{
	pthread_attr_t attr;
	pthread_t threads[2];
	struct sched_param param = {.sched_priority = 3};

	/* Above both, until they wait for it to sleep. */
	set(0, SCHED_FIFO, 5);
	pthread_attr_init(&attr);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, policy);
	pthread_attr_setschedparam(&attr, &param);
	turns = last = 0;
	for (uintptr_t i = 0; i < 2; i++)
		if (pthread_create(&threads[i], &attr, compute, (void *)(i + 1)))
			return -1;
	for (int i = 0; i < 2; i++)
		pthread_join(threads[i], NULL);
	return turns;
}

static void fifo_turns(void)
{
	_exit(turns_under(SCHED_FIFO));
}

static void rr_turns(void)
{
	_exit(turns_under(SCHED_RR));
}

/* 50 ms of computing are more than two slices: equals alternate under the one, and not under the
 * other. */
TEST(sched_fifo_runs_to_its_end)
{
	EXPECT_EQ(WEXITSTATUS(in_child(fifo_turns)), 2);
}

TEST(sched_rr_takes_turns)
{
	int turned = WEXITSTATUS(in_child(rr_turns));

	EXPECT(turned >= 4 && turned <= 8);
}

static volatile int ran;

static void *note(void *arg)
{
	ran = 1;
	return arg;
}

static void urgent_thread(void)
{
	pthread_attr_t attr;
	pthread_t thread;
	struct sched_param param = {.sched_priority = 9};
	int policy;

	pthread_attr_init(&attr);
	pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
	pthread_attr_setschedpolicy(&attr, SCHED_RR);
	pthread_attr_setschedparam(&attr, &param);
	if (pthread_create(&thread, &attr, note, NULL) || !ran)
		_exit(1); /* it runs before its maker goes on */
	pthread_join(thread, NULL);
	/* What the attributes ask for may be refused, and then there is no thread. */
	if (setuid(1000) || pthread_create(&thread, &attr, note, NULL) != EPERM)
		_exit(2);
	if (pthread_getschedparam(pthread_self(), &policy, &param) || policy != SCHED_OTHER ||
	    param.sched_priority)
		_exit(3);
	if (pthread_setschedparam(pthread_self(), SCHED_RR, &param) != EINVAL)
		_exit(4);
	param.sched_priority = 1;
	_exit(pthread_setschedparam(pthread_self(), SCHED_RR, &param) == EPERM ? 0 : 5);
}

TEST(sched_thread_attributes)
{
	pthread_attr_t attr;
	struct sched_param param = {.sched_priority = 16};

	pthread_attr_init(&attr);
	EXPECT_EQ(pthread_attr_setschedparam(&attr, &param), EINVAL);
	EXPECT_EQ(pthread_attr_setschedpolicy(&attr, 77), EINVAL);
	EXPECT_EQ(pthread_attr_setinheritsched(&attr, 77), EINVAL);
	EXPECT_EQ(pthread_attr_setscope(&attr, PTHREAD_SCOPE_PROCESS), ENOTSUP);
	EXPECT_EQ(in_child(urgent_thread), 0);
}
