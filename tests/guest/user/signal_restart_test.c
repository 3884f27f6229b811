/* SPDX-License-Identifier: MIT */
/*
 * What becomes of each call that sleeps when a signal comes, as signal(7) has it: with a handler,
 * with one that has SA_RESTART, and when the process was stopped and goes on.
 */
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "signals.h"

#define MS 1000000LL

/* Shared by parent and child, a call's need: bytes come in at in[0], and leave by out[1]. */
static int in[2], out[2];

enum { DONE, INTERRUPTED, WRONG };

static int result(long ret, long right)
{
	if (ret == right)
		return DONE;
	return ret == -1 && errno == EINTR ? INTERRUPTED : WRONG;
}

static int call_read(void)
{
	char c;

	return result(read(in[0], &c, 1), 1);
}

static int call_write(void)
{
	char c = 0;

	/* Full, so that the next byte waits for a reader. */
	fcntl(out[1], F_SETFL, O_NONBLOCK);
	while (write(out[1], &c, 1) == 1)
		;
	fcntl(out[1], F_SETFL, 0);
	return result(write(out[1], &c, 1), 1);
}

static int call_wait(void)
{
	pid_t pid = fork();
	char c;

	if (!pid)
		_exit(read(in[0], &c, 1) != 1);
	return result(waitpid(pid, NULL, 0), pid);
}

static int call_poll(void)
{
	struct pollfd fd = {.fd = in[0], .events = POLLIN};

	return result(poll(&fd, 1, -1), 1);
}

static int call_nanosleep(void)
{
	const struct timespec ts = {.tv_nsec = 50 * MS};

	return result(nanosleep(&ts, NULL), 0);
}

static int call_clock_nanosleep(void)
{
	struct timespec ts;
	int err;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	ts.tv_sec++;
	err = clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
	return err == EINTR ? INTERRUPTED : err ? WRONG : DONE;
}

static int call_sigsuspend(void)
{
	sigset_t none;

	/* Once stopped it goes on until a signal with a handler. */
	sigemptyset(&none);
	return result(sigsuspend(&none), 0);
}

static int call_sigtimedwait(void)
{
	const struct timespec ts = {.tv_nsec = 50 * MS};
	sigset_t set = only(SIGUSR2);

	block(SIGUSR2);
	return sigtimedwait(&set, NULL, &ts) == -1 && errno == EAGAIN ? DONE : result(-1, 0);
}

static const struct {
	const char *name;
	int (*call)(void);
	int with_restart;
} calls[] = {
    {"read", call_read, DONE},
    {"write", call_write, DONE},
    {"wait", call_wait, DONE},
    {"poll", call_poll, INTERRUPTED},
    {"nanosleep", call_nanosleep, INTERRUPTED},
    {"clock_nanosleep", call_clock_nanosleep, INTERRUPTED},
    {"sigsuspend", call_sigsuspend, INTERRUPTED},
    {"sigtimedwait", call_sigtimedwait, INTERRUPTED},
};

static pid_t start_call(size_t i, int flags)
{
	pid_t pid;

	EXPECT_EQ(pipe(in), 0);
	EXPECT_EQ(pipe(out), 0);
	note(SIGUSR1, flags);
	pid = start_child(calls[i].call);
	EXPECT(wait_until_asleep(pid));
	return pid;
}

/* Gives the call what it waits for, and takes its result. */
static int finish_call(pid_t pid)
{
	char buf[4096];
	int ret;

	EXPECT_EQ(write(in[1], "xx", 2), 2);
	read(out[0], buf, sizeof(buf));
	ret = join_child(pid);
	close(in[0]);
	close(in[1]);
	close(out[0]);
	close(out[1]);
	return ret;
}

static int interrupt(size_t i, int flags)
{
	pid_t pid = start_call(i, flags);

	EXPECT_EQ(kill(pid, SIGUSR1), 0);
	/* The handler has run, and the call sleeps again, or has returned. */
	for (int n = 0; n < 20; n++)
		usleep(100);
	EXPECT_EQ(fcntl(out[0], F_SETFL, O_NONBLOCK), 0);
	return finish_call(pid);
}

TEST(signal_interrupts_calls)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!EXPECT_EQ(interrupt(i, 0), INTERRUPTED))
			printf("# %s\n", calls[i].name);
}

TEST(signal_restarts_calls)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++)
		if (!EXPECT_EQ(interrupt(i, SA_RESTART), calls[i].with_restart))
			printf("# %s\n", calls[i].name);
	signal(SIGUSR1, SIG_DFL);
}

/* Stopped and gone on, a call knows nothing of it. */
TEST(signal_stop_does_not_interrupt_calls)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		pid_t pid = start_call(i, 0);
		int status, right = DONE;

		EXPECT_EQ(kill(pid, SIGSTOP), 0);
		EXPECT_EQ(waitpid(pid, &status, WUNTRACED), pid);
		EXPECT(WIFSTOPPED(status));
		EXPECT_EQ(kill(pid, SIGCONT), 0);
		EXPECT(wait_until_asleep(pid));
		if (calls[i].call == call_sigsuspend) {
			EXPECT_EQ(kill(pid, SIGUSR1), 0);
			right = INTERRUPTED;
		}
		EXPECT_EQ(fcntl(out[0], F_SETFL, O_NONBLOCK), 0);
		if (!EXPECT_EQ(finish_call(pid), right))
			printf("# %s\n", calls[i].name);
	}
	signal(SIGUSR1, SIG_DFL);
}

static long long now_ns(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* Being stopped counts as sleep: the whole time is that of one sleep. */
static int sleep_50ms(void)
{
	const struct timespec ts = {.tv_nsec = 50 * MS};
	long long start = now_ns(), took;

	if (nanosleep(&ts, NULL))
		return 1;
	took = now_ns() - start;
	return took < 50 * MS ? 2 : took > 70 * MS ? 3 : 0;
}

TEST(signal_stopped_sleep_ends_in_time)
{
	pid_t pid = start_child(sleep_50ms);

	EXPECT(wait_until_asleep(pid));
	usleep(20000);
	EXPECT_EQ(kill(pid, SIGSTOP), 0);
	EXPECT_EQ(waitpid(pid, NULL, WUNTRACED), pid);
	usleep(20000);
	EXPECT_EQ(kill(pid, SIGCONT), 0);
	EXPECT_EQ(join_child(pid), 0);
}

static int sleep_is_told_the_rest(void)
{
	const struct timespec ts = {.tv_sec = 1};
	struct timespec rest = {.tv_sec = 99};
	long long start = now_ns(), slept, left;

	note(SIGUSR1, SA_RESTART);
	if (nanosleep(&ts, &rest) != -1 || errno != EINTR)
		return 1;
	slept = now_ns() - start;
	left = rest.tv_sec * 1000000000LL + rest.tv_nsec;
	/* To the millisecond. */
	return slept + left < 999 * MS ? 2 : slept + left > 1001 * MS ? 3 : noted.count != 1;
}

TEST(signal_sleep_is_told_the_rest)
{
	pid_t pid = start_child(sleep_is_told_the_rest);

	EXPECT(wait_until_asleep(pid));
	usleep(5000);
	EXPECT_EQ(kill(pid, SIGUSR1), 0);
	EXPECT_EQ(join_child(pid), 0);
}

static int sleep_seconds(void)
{
	note(SIGUSR1, 0);
	return sleep(3);
}

TEST(signal_sleep_returns_seconds)
{
	pid_t pid = start_child(sleep_seconds);

	EXPECT(wait_until_asleep(pid));
	EXPECT_EQ(kill(pid, SIGUSR1), 0);
	EXPECT_EQ(join_child(pid), 3);
}
