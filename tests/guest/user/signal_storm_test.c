/* SPDX-License-Identifier: MIT */
/*
 * Storms: signals from timers and from another process strike code that computes, at places that no
 * test could choose. All of its registers must be what they were, and no signal lost.
 */
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "signals.h"

static volatile int storms;
static volatile double clobber;

/* Uses as many floating-point registers as the compiler gives it, and all flags. */
static void disturb(int sig)
{
	double v[24], sum = 0;

	for (int i = 0; i < 24; i++)
		v[i] = sig * 1.5 + i;
	for (int i = 0; i < 24; i++)
		sum += v[i] * v[23 - i];
	clobber = sum;
#ifdef __x86_64__
	__asm__ volatile(
	    "pcmpeqd %%xmm0, %%xmm0; pcmpeqd %%xmm7, %%xmm7; pcmpeqd %%xmm15, %%xmm15" ::
		: "xmm0", "xmm7", "xmm15");
#elif defined(__aarch64__)
	__asm__ volatile("movi v0.16b, #255; movi v7.16b, #255; movi v31.16b, #255" ::
			     : "v0", "v7", "v31");
#else
	__asm__ volatile("vmov.i8 q0, #255; vmov.i8 q7, #255; vmov.i8 q15, #255" ::
			     : "d0", "d1", "d14", "d15", "d30", "d31");
#endif
	storms++;
}

/* Checksums over integers and doubles, the same every time. */
static uint64_t compute(void)
{
	double a = 1, b = 0.5, c = 0.25, d = 3;
	uint64_t x = 88172645463325252ULL, bits;

	for (int i = 0; i < 2000; i++) {
		/* Computed each time, whatever the compiler knows. */
		__asm__ volatile("" : "+r"(x));
		x ^= x << 13;
		x ^= x >> 7;
		x ^= x << 17;
		a = a * 1.0000001 + b;
		b = b * 0.9999999 + c;
		c = c + d * 1e-9;
		d = d * 0.5 + (double)(x & 0xffff);
	}
	a += b + c + d;
	memcpy(&bits, &a, sizeof(bits));
	return x ^ bits;
}

static bool computes_right(uint64_t expected, int times)
{
	for (int i = 0; i < times; i++)
		if (compute() != expected)
			return false;
	return true;
}

TEST(storm_of_a_timer)
{
	const struct itimerval every = {.it_value.tv_usec = 100, .it_interval.tv_usec = 100};
	const struct itimerval off = {0};
	uint64_t expected = compute();
	struct sigaction act = {.sa_handler = disturb};

	storms = 0;
	sigaction(SIGALRM, &act, NULL);
	setitimer(ITIMER_REAL, &every, NULL);
	for (int i = 0; i < 4000 && storms < 200; i++)
		if (!EXPECT(computes_right(expected, 5)))
			break;
	setitimer(ITIMER_REAL, &off, NULL);
	EXPECT_EQ(storms >= 200 ? 200 : storms, 200);
	signal(SIGALRM, SIG_DFL);
}

/* Signals that are nested in each other, on the alternate stack. */
static void disturb_deeply(int sig)
{
	disturb(sig);
	if (sig < SIGRTMIN + 8)
		kill(getpid(), sig + 1);
	disturb(sig);
}

TEST(storm_of_nested_signals)
{
	static char stack[4 * SIGSTKSZ];
	const stack_t new = {.ss_sp = stack, .ss_size = sizeof(stack)},
		      off = {.ss_flags = SS_DISABLE};
	struct sigaction act = {.sa_handler = disturb_deeply, .sa_flags = SA_ONSTACK};
	uint64_t expected = compute();

	storms = 0;
	sigaltstack(&new, NULL);
	for (int sig = SIGRTMIN; sig <= SIGRTMIN + 8; sig++)
		sigaction(sig, &act, NULL);
	for (int i = 0; i < 20; i++) {
		raise(SIGRTMIN);
		EXPECT(computes_right(expected, 1));
	}
	EXPECT_EQ(storms, 20 * 9 * 2);
	for (int sig = SIGRTMIN; sig <= SIGRTMIN + 8; sig++)
		signal(sig, SIG_DFL);
	sigaltstack(&off, NULL);
}

#define QUEUED 2000

static int send_many(void)
{
	for (int i = 0; i < QUEUED; i++)
		while (sigqueue(getppid(), SIGRTMIN, (union sigval){.sival_int = i}))
			sched_yield(); /* its queue is full */
	return 0;
}

static volatile int next_value, out_of_order;

static void expect_next(int sig, siginfo_t *info, void *context)
{
	(void)context;
	out_of_order += info->si_value.sival_int != next_value;
	next_value++;
	disturb(sig);
}

/* Real-time signals from another process: each one, in order, while this one computes. */
TEST(storm_from_another_process)
{
	struct sigaction act = {.sa_sigaction = expect_next, .sa_flags = SA_SIGINFO};
	uint64_t expected = compute();
	pid_t child;

	next_value = out_of_order = 0;
	sigaction(SIGRTMIN, &act, NULL);
	child = start_child(send_many);
	for (int i = 0; i < 4000 && next_value < QUEUED; i++) {
		if (!EXPECT(computes_right(expected, 1)))
			break;
		sched_yield();
	}
	EXPECT_EQ(next_value, QUEUED);
	EXPECT_EQ(out_of_order, 0);
	while (waitpid(child, NULL, 0) < 0 && errno == EINTR)
		;
	signal(SIGRTMIN, SIG_DFL);
}

/* --- Threads --- */

static volatile int taken_by[3];
static volatile bool stop;
static volatile pid_t tids[3];

static pid_t own_tid(void)
{
	return syscall(SYS_gettid);
}

static void note_thread(int sig)
{
	pid_t tid = own_tid();

	(void)sig;
	for (int i = 0; i < 3; i++)
		if (tids[i] == tid)
			taken_by[i]++;
}

static void *block_and_wait(void *arg)
{
	int i = (int)(intptr_t)arg;

	tids[i] = own_tid();
	if (i == 1)
		block(SIGUSR1);
	while (!stop)
		usleep(200);
	return NULL;
}

/* A signal for the process is taken by a thread that does not block it, one for a thread by it. */
TEST(signal_threads)
{
	struct sigaction act = {.sa_handler = note_thread, .sa_flags = SA_RESTART};
	pthread_t thread[3];
	sigset_t old;

	sigaction(SIGUSR1, &act, NULL);
	stop = false;
	tids[0] = own_tid();
	for (intptr_t i = 1; i < 3; i++)
		EXPECT_EQ(pthread_create(&thread[i], NULL, block_and_wait, (void *)i), 0);
	while (!tids[1] || !tids[2])
		usleep(100);
	old = block(SIGUSR1);
	for (int i = 0; i < 10; i++) {
		kill(getpid(), SIGUSR1);
		usleep(1000);
	}
	/* The third one alone could. */
	EXPECT(taken_by[0] == 0 && taken_by[1] == 0 && taken_by[2] == 10);
	EXPECT_EQ(pthread_kill(thread[1], SIGUSR1), 0);
	EXPECT_EQ(pthread_kill(thread[2], SIGUSR1), 0);
	usleep(1000);
	EXPECT(taken_by[1] == 0 && taken_by[2] == 11);
	set_mask(old);
	EXPECT_EQ(pthread_kill(thread[1], 0), 0);
	EXPECT_EQ(pthread_kill(thread[2], NSIG), EINVAL);
	stop = true;
	for (int i = 1; i < 3; i++)
		EXPECT_EQ(pthread_join(thread[i], NULL), 0);
	EXPECT_EQ(taken_by[1], 0); /* pending, it went with its thread */
	signal(SIGUSR1, SIG_DFL);
}

static void *wait_in_thread(void *arg)
{
	sigset_t set = only(SIGUSR2);
	int sig;

	return (void *)(intptr_t)(sigwait(&set, &sig) ? -1 : sig + (arg != NULL));
}

/* One thread waits for what all block. */
TEST(signal_thread_that_waits)
{
	sigset_t old = block(SIGUSR2);
	pthread_t thread;
	void *result;

	EXPECT_EQ(pthread_create(&thread, NULL, wait_in_thread, NULL), 0);
	usleep(1000);
	EXPECT_EQ(kill(getpid(), SIGUSR2), 0);
	EXPECT_EQ(pthread_join(thread, &result), 0);
	EXPECT_EQ((intptr_t)result, SIGUSR2);
	set_mask(old);
}

static void *spin_in_thread(void *arg)
{
	for (;;)
		usleep(100);
	return arg;
}

static int many_threads(void)
{
	pthread_t thread;

	for (int i = 0; i < 4; i++)
		pthread_create(&thread, NULL, spin_in_thread, NULL);
	for (;;)
		usleep(100);
	return 0;
}

/* Stopping, going on and ending are the process's, with all its threads. */
TEST(signal_ends_and_stops_all_threads)
{
	static const int ends[] = {SIGKILL, SIGTERM, SIGABRT};
	int status;

	for (size_t i = 0; i < sizeof(ends) / sizeof(ends[0]); i++) {
		pid_t child = start_child(many_threads);

		usleep(3000);
		EXPECT_EQ(kill(child, SIGSTOP), 0);
		EXPECT_EQ(waitpid(child, &status, WUNTRACED), child);
		EXPECT(WIFSTOPPED(status));
		if (i) {
			EXPECT_EQ(kill(child, SIGCONT), 0);
			EXPECT_EQ(waitpid(child, &status, WCONTINUED), child);
		}
		EXPECT_EQ(kill(child, ends[i]), 0);
		EXPECT_EQ(waitpid(child, &status, 0), child);
		EXPECT_EQ(WTERMSIG(status), ends[i]);
	}
}
