/* SPDX-License-Identifier: MIT */
/* Timers that send signals, and sleeping by a clock. */
#include <raw_syscall.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "signals.h"

#define MS 1000000LL

static long long now_ns(clockid_t clock)
{
	struct timespec ts;

	clock_gettime(clock, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

static struct timespec to_timespec(long long ns)
{
	return (struct timespec){.tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000};
}

static void wait_for(int count)
{
	sigset_t none = 0, old = block(SIGALRM);

	while (noted.count < count)
		sigsuspend(&none);
	set_mask(old);
}

TEST(timer_alarm)
{
	note(SIGALRM, 0);
	EXPECT_EQ(alarm(10), 0);
	EXPECT_EQ(alarm(20), 10);
	EXPECT_EQ(alarm(0), 20);
	EXPECT_EQ(alarm(0), 0);
	EXPECT_EQ(noted.count, 0);
	signal(SIGALRM, SIG_DFL);
}

TEST(timer_interval)
{
	const struct itimerval every = {.it_value.tv_usec = 3000, .it_interval.tv_usec = 2000};
	const struct itimerval off = {0};
	struct itimerval left;
	long long start = now_ns(CLOCK_MONOTONIC), took;

	note(SIGALRM, 0);
	EXPECT_EQ(setitimer(ITIMER_REAL, &every, NULL), 0);
	EXPECT_EQ(getitimer(ITIMER_REAL, &left), 0);
	EXPECT(left.it_value.tv_usec > 0 && left.it_value.tv_usec <= 3000);
	EXPECT_EQ(left.it_interval.tv_usec, 2000);
	wait_for(4);
	took = now_ns(CLOCK_MONOTONIC) - start;
	EXPECT(took >= 9 * MS && took < 10 * MS);
	EXPECT_EQ(noted.info.si_code, SI_KERNEL);
	EXPECT_EQ(setitimer(ITIMER_REAL, &off, &left), 0);
	EXPECT_EQ(left.it_interval.tv_usec, 2000);
	usleep(5000);
	EXPECT_EQ(noted.count, 4);
	signal(SIGALRM, SIG_DFL);
}

TEST(timer_interval_errors)
{
	struct itimerval value = {.it_value.tv_usec = 1000000}, left;

	EXPECT_ERRNO(setitimer(ITIMER_REAL, &value, NULL), EINVAL);
	value = (struct itimerval){.it_interval.tv_sec = -1};
	EXPECT_ERRNO(setitimer(ITIMER_REAL, &value, NULL), EINVAL);
	value = (struct itimerval){0};
	EXPECT_ERRNO(setitimer(ITIMER_VIRTUAL, &value, NULL), EINVAL);
	EXPECT_ERRNO(setitimer(ITIMER_PROF, &value, NULL), EINVAL);
	EXPECT_ERRNO(getitimer(ITIMER_PROF, &left), EINVAL);
	EXPECT_EQ(raw_syscall3(SYS_setitimer, 0, (long)bad_pointer, 0), -EFAULT);
	EXPECT_EQ(raw_syscall3(SYS_getitimer, 0, (long)bad_pointer, 0), -EFAULT);
}

static timer_t make_timer(clockid_t clock, int sig)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = sig};
	timer_t timer = (timer_t)-1;

	event.sigev_value.sival_int = 77;
	EXPECT_EQ(timer_create(clock, &event, &timer), 0);
	return timer;
}

static void set_timer(timer_t timer, int flags, long long value, long long interval)
{
	const struct itimerspec spec = {.it_value = to_timespec(value),
					.it_interval = to_timespec(interval)};

	EXPECT_EQ(timer_settime(timer, flags, &spec, NULL), 0);
}

TEST(timer_once)
{
	timer_t timer = make_timer(CLOCK_MONOTONIC, SIGALRM);
	long long start = now_ns(CLOCK_MONOTONIC), took;
	struct itimerspec left;

	note(SIGALRM, 0);
	EXPECT_EQ(timer_gettime(timer, &left), 0);
	EXPECT(!left.it_value.tv_sec && !left.it_value.tv_nsec);
	set_timer(timer, 0, 4 * MS, 0);
	EXPECT_EQ(timer_gettime(timer, &left), 0);
	EXPECT(left.it_value.tv_nsec > 3 * MS && left.it_value.tv_nsec <= 4 * MS);
	wait_for(1);
	took = now_ns(CLOCK_MONOTONIC) - start;
	EXPECT(took >= 4 * MS && took < 5 * MS);
	EXPECT_EQ(noted.info.si_code, SI_TIMER);
	EXPECT_EQ(noted.info.si_timerid, (int)timer);
	EXPECT_EQ(noted.info.si_value.sival_int, 77);
	EXPECT_EQ(noted.info.si_overrun, 0);
	usleep(5000);
	EXPECT_EQ(noted.count, 1);
	EXPECT_EQ(timer_delete(timer), 0);
	signal(SIGALRM, SIG_DFL);
}

TEST(timer_absolute)
{
	static const clockid_t clocks[] = {CLOCK_MONOTONIC, CLOCK_REALTIME};

	for (int i = 0; i < 2; i++) {
		timer_t timer = make_timer(clocks[i], SIGALRM);
		long long at = now_ns(clocks[i]) + 3 * MS, late;

		note(SIGALRM, 0);
		set_timer(timer, TIMER_ABSTIME, at, 0);
		wait_for(1);
		late = now_ns(clocks[i]) - at;
		EXPECT(late >= 0 && late < MS);
		/* What has passed already is told at once. */
		set_timer(timer, TIMER_ABSTIME, at, 0);
		wait_for(2);
		EXPECT_EQ(timer_delete(timer), 0);
	}
	signal(SIGALRM, SIG_DFL);
}

/* What expires while its signal is pending is counted. */
TEST(timer_overrun)
{
	timer_t timer = make_timer(CLOCK_MONOTONIC, SIGALRM);
	sigset_t old = block(SIGALRM);

	note(SIGALRM, 0);
	set_timer(timer, 0, MS, MS);
	usleep(10500);
	set_timer(timer, 0, 0, 0);
	EXPECT_EQ(noted.count, 0);
	/* Setting it takes back what was pending. */
	set_mask(old);
	EXPECT_EQ(noted.count, 0);
	block(SIGALRM);
	set_timer(timer, 0, MS, MS);
	usleep(10500);
	set_mask(old);
	EXPECT(noted.count >= 1);
	set_timer(timer, 0, 0, 0);
	EXPECT(noted.info.si_overrun >= 8 && noted.info.si_overrun <= 10);
	EXPECT_EQ(timer_getoverrun(timer), noted.info.si_overrun);
	EXPECT_EQ(timer_delete(timer), 0);
	signal(SIGALRM, SIG_DFL);
}

/* The shortest period there is: signals come, none of its expirations is lost, others can run. */
TEST(timer_of_a_nanosecond)
{
	timer_t timer = make_timer(CLOCK_MONOTONIC, SIGALRM);
	long long start = now_ns(CLOCK_MONOTONIC), told = 0, took;
	sigset_t set = only(SIGALRM), old = block(SIGALRM);
	siginfo_t info;

	set_timer(timer, 0, 1, 1);
	for (int i = 0; i < 20; i++) {
		EXPECT_EQ(sigwaitinfo(&set, &info), SIGALRM);
		told += 1 + info.si_overrun;
	}
	took = now_ns(CLOCK_MONOTONIC) - start;
	EXPECT(told <= took && told >= took * 9 / 10);
	EXPECT_EQ(timer_delete(timer), 0);
	EXPECT_ERRNO(sigtimedwait(&set, NULL, &(struct timespec){0}), EAGAIN);
	set_mask(old);
}

TEST(timer_without_signal)
{
	struct sigevent event = {.sigev_notify = SIGEV_NONE};
	struct itimerspec left;
	timer_t timer;

	EXPECT_EQ(timer_create(CLOCK_MONOTONIC, &event, &timer), 0);
	set_timer(timer, 0, 2 * MS, 0);
	usleep(1000);
	EXPECT_EQ(timer_gettime(timer, &left), 0);
	EXPECT(left.it_value.tv_nsec > 0 && left.it_value.tv_nsec <= MS);
	usleep(2000);
	EXPECT_EQ(timer_gettime(timer, &left), 0);
	EXPECT_EQ(left.it_value.tv_nsec, 0);
	EXPECT_EQ(timer_delete(timer), 0);
}

TEST(timer_errors)
{
	struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
	struct itimerspec spec = {0};
	timer_t timer, timers[64];
	int n = 0;

	EXPECT_ERRNO(timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer), EINVAL);
	event.sigev_signo = 0;
	EXPECT_ERRNO(timer_create(CLOCK_MONOTONIC, &event, &timer), EINVAL);
	event.sigev_signo = NSIG;
	EXPECT_ERRNO(timer_create(CLOCK_MONOTONIC, &event, &timer), EINVAL);
	event = (struct sigevent){.sigev_notify = 3, .sigev_signo = SIGALRM};
	EXPECT_ERRNO(timer_create(CLOCK_MONOTONIC, &event, &timer), EINVAL);
	event.sigev_notify = SIGEV_THREAD_ID;
	event.sigev_notify_thread_id = 1; /* another process's */
	EXPECT_ERRNO(timer_create(CLOCK_MONOTONIC, &event, &timer), EINVAL);
	EXPECT_EQ(raw_syscall3(SYS_timer_create, CLOCK_MONOTONIC, (long)bad_pointer, 0), -EFAULT);
	while (n < 64 && !timer_create(CLOCK_MONOTONIC, NULL, &timers[n]))
		n++;
	EXPECT_EQ(n, 16);
	EXPECT_EQ(errno, EAGAIN);
	EXPECT_ERRNO(timer_settime(99, 0, &spec, NULL), EINVAL);
	EXPECT_ERRNO(timer_settime(timers[0], 1, &spec, NULL), EINVAL);
	spec.it_value.tv_nsec = 1000000000;
	EXPECT_ERRNO(timer_settime(timers[0], 0, &spec, NULL), EINVAL);
	EXPECT_EQ(raw_syscall3(SYS_timer_gettime, timers[0], (long)bad_pointer, 0), -EFAULT);
	EXPECT_EQ(raw_syscall3(SYS_timer_gettime, timers[0], 0, 0), -EFAULT);
	while (n)
		EXPECT_EQ(timer_delete(timers[--n]), 0);
	EXPECT_ERRNO(timer_delete(timers[0]), EINVAL);
	EXPECT_ERRNO(timer_gettime(timers[0], &spec), EINVAL);
	EXPECT_ERRNO(timer_getoverrun(timers[0]), EINVAL);
	EXPECT_ERRNO(timer_delete((timer_t)-1), EINVAL);
}

static int end_with_timers(void)
{
	note(SIGALRM, 0);
	for (int i = 0; i < 16; i++)
		set_timer(make_timer(CLOCK_MONOTONIC, SIGALRM), 0, MS / 10, MS / 10);
	alarm(1);
	usleep(1000);
	return 0;
}

TEST(timer_ends_with_its_process)
{
	long before = 0;

	for (int i = 0; i < 12; i++) {
		EXPECT_EQ(join_child(start_child(end_with_timers)), 0);
		if (i == 1)
			before = free_memory_kb();
	}
	EXPECT_EQ(free_memory_kb(), before);
}

static int fork_with_timers(void)
{
	struct itimerval left;
	struct itimerspec spec;

	/* They were not inherited. */
	if (getitimer(ITIMER_REAL, &left) || left.it_value.tv_sec || left.it_value.tv_usec)
		return 1;
	return timer_gettime(0, &spec) == -1 && errno == EINVAL ? 0 : 2;
}

TEST(timer_is_not_inherited)
{
	timer_t timer = make_timer(CLOCK_MONOTONIC, SIGALRM);

	alarm(100);
	set_timer(timer, 0, 1000 * MS, 0);
	EXPECT_EQ(join_child(start_child(fork_with_timers)), 0);
	alarm(0);
	timer_delete(timer);
}

/* --- Clocks --- */

TEST(clock_sleep)
{
	struct timespec ts = to_timespec(2 * MS);
	long long start = now_ns(CLOCK_MONOTONIC), at;

	EXPECT_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL), 0);
	EXPECT(now_ns(CLOCK_MONOTONIC) - start >= 2 * MS);
	at = now_ns(CLOCK_REALTIME) + 2 * MS;
	ts = to_timespec(at);
	EXPECT_EQ(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &ts, NULL), 0);
	EXPECT(now_ns(CLOCK_REALTIME) >= at);
	/* The past is over. */
	EXPECT_EQ(clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &ts, NULL), 0);
	EXPECT_EQ(clock_nanosleep(CLOCK_PROCESS_CPUTIME_ID, 0, &ts, NULL), EINVAL);
	EXPECT_EQ(clock_nanosleep(CLOCK_MONOTONIC, 1, &ts, NULL), EINVAL);
	ts.tv_nsec = -1;
	EXPECT_EQ(clock_nanosleep(CLOCK_MONOTONIC, 0, &ts, NULL), EINVAL);
	EXPECT_EQ(raw_syscall6(SYS_clock_nanosleep, CLOCK_MONOTONIC, 0, (long)bad_pointer, 0, 0, 0),
		  -EFAULT);
}

TEST(clock_resolution)
{
	struct timespec ts;

	EXPECT_EQ(clock_getres(CLOCK_MONOTONIC, &ts), 0);
	EXPECT(!ts.tv_sec && ts.tv_nsec == 1);
	EXPECT_EQ(clock_getres(CLOCK_PROCESS_CPUTIME_ID, &ts), 0);
	EXPECT_EQ(ts.tv_nsec, 10 * MS);
	EXPECT_EQ(clock_getres(CLOCK_REALTIME, NULL), 0);
	EXPECT_ERRNO(clock_getres(99, &ts), EINVAL);
	EXPECT_EQ(raw_syscall3(SYS_clock_getres, CLOCK_REALTIME, (long)bad_pointer, 0), -EFAULT);
}

static int set_clock_unprivileged(void)
{
	const struct timespec ts = {.tv_sec = 1000};

	if (setuid(1000))
		return 1;
	return clock_settime(CLOCK_REALTIME, &ts) == -1 && errno == EPERM ? 0 : 2;
}

TEST(clock_can_be_set)
{
	long long real = now_ns(CLOCK_REALTIME), mono = now_ns(CLOCK_MONOTONIC), moved;
	struct timespec ts = to_timespec(real + 3600000 * MS);

	EXPECT_EQ(clock_settime(CLOCK_REALTIME, &ts), 0);
	moved = now_ns(CLOCK_REALTIME) - real;
	EXPECT(moved >= 3600000 * MS && moved < 3600100 * MS);
	EXPECT(now_ns(CLOCK_MONOTONIC) - mono < 100 * MS);
	ts = to_timespec(real + now_ns(CLOCK_MONOTONIC) - mono);
	EXPECT_EQ(clock_settime(CLOCK_REALTIME, &ts), 0);
	EXPECT_ERRNO(clock_settime(CLOCK_MONOTONIC, &ts), EINVAL);
	ts.tv_nsec = 1000000000;
	EXPECT_ERRNO(clock_settime(CLOCK_REALTIME, &ts), EINVAL);
	ts = (struct timespec){0}; /* before the machine was started */
	EXPECT_ERRNO(clock_settime(CLOCK_REALTIME, &ts), EINVAL);
	EXPECT_EQ(join_child(start_child(set_clock_unprivileged)), 0);
}

static int sleep_until_noon(void)
{
	struct timespec ts = to_timespec(now_ns(CLOCK_REALTIME) + 100000 * MS);

	return clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &ts, NULL);
}

/* Who sleeps up to a time of day gets up when the clock is set past it. */
TEST(clock_set_past_a_sleeper)
{
	long long real = now_ns(CLOCK_REALTIME), mono = now_ns(CLOCK_MONOTONIC);
	struct timespec ts = to_timespec(real + 200000 * MS);
	pid_t child = start_child(sleep_until_noon);

	EXPECT(wait_until_asleep(child));
	EXPECT_EQ(clock_settime(CLOCK_REALTIME, &ts), 0);
	EXPECT_EQ(join_child(child), 0);
	EXPECT(now_ns(CLOCK_MONOTONIC) - mono < 2000 * MS);
	ts = to_timespec(real + now_ns(CLOCK_MONOTONIC) - mono);
	EXPECT_EQ(clock_settime(CLOCK_REALTIME, &ts), 0);
}
