/* SPDX-License-Identifier: MIT */
/* Signals: actions, masks, what a handler is told, queues, and every call's errors. */
#include <raw_syscall.h>
#include <sched.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "signals.h"

/* EXPECT() of a raw system call's negative errno. */
#define EXPECT_RAW(call, error) EXPECT_EQ(call, -(error))

static long raw(long nr, long a, const void *b, const void *c)
{
	return raw_syscall3(nr, a, (long)b, (long)c);
}

TEST(signal_action_errors)
{
	struct uapi_sigaction act = {.handler = UAPI_SIG_IGN}, old;

	for (int sig = -1; sig <= 70; sig++) {
		bool right = sig > 0 && sig < NSIG;
		bool catchable = right && sig != SIGKILL && sig != SIGSTOP;

		EXPECT_EQ(raw(SYS_sigaction, sig, NULL, &old), right ? 0 : -EINVAL);
		if (!catchable)
			EXPECT_RAW(raw(SYS_sigaction, sig, &act, NULL), EINVAL);
	}
	EXPECT_RAW(raw(SYS_sigaction, SIGUSR1, bad_pointer, NULL), EFAULT);
	EXPECT_RAW(raw(SYS_sigaction, SIGUSR1, NULL, bad_pointer), EFAULT);
	for (int bit = 0; bit < 32; bit++) {
		uint32_t known = SA_NOCLDSTOP | SA_NOCLDWAIT | SA_SIGINFO | SA_ONSTACK |
				 SA_RESTART | SA_NODEFER | SA_RESETHAND;

		act.flags = 1u << bit;
		EXPECT_EQ(raw(SYS_sigaction, SIGUSR1, &act, NULL), known & act.flags ? 0 : -EINVAL);
	}
	act = (struct uapi_sigaction){.zero = 1};
	EXPECT_RAW(raw(SYS_sigaction, SIGUSR1, &act, NULL), EINVAL);
	signal(SIGUSR1, SIG_DFL);
}

TEST(signal_action_is_told_as_it_was_set)
{
	struct sigaction act = {.sa_sigaction = note_signal, .sa_flags = SA_SIGINFO | SA_RESTART};
	struct sigaction old;

	sigfillset(&act.sa_mask);
	EXPECT_EQ(sigaction(SIGUSR1, &act, NULL), 0);
	EXPECT_EQ(sigaction(SIGUSR1, NULL, &old), 0);
	EXPECT(old.sa_sigaction == note_signal);
	EXPECT_EQ(old.sa_flags, SA_SIGINFO | SA_RESTART);
	/* All that can be blocked. */
	EXPECT_EQ(old.sa_mask, act.sa_mask & ~(only(SIGKILL) | only(SIGSTOP)));
	EXPECT_EQ((uintptr_t)signal(SIGUSR1, SIG_DFL), (uintptr_t)note_signal);
	EXPECT(signal(SIGKILL, SIG_IGN) == SIG_ERR);
	EXPECT_EQ(errno, EINVAL);
}

TEST(signal_set_functions)
{
	sigset_t set;

	sigemptyset(&set);
	EXPECT_EQ(set, 0);
	EXPECT_EQ(sigaddset(&set, SIGRTMAX), 0);
	EXPECT_EQ(sigismember(&set, SIGRTMAX), 1);
	EXPECT_EQ(sigismember(&set, SIGRTMIN), 0);
	EXPECT_EQ(sigdelset(&set, SIGRTMAX), 0);
	EXPECT_EQ(set, 0);
	EXPECT_ERRNO(sigaddset(&set, 0), EINVAL);
	EXPECT_ERRNO(sigdelset(&set, NSIG), EINVAL);
	EXPECT_ERRNO(sigismember(&set, -1), EINVAL);
}

TEST(signal_handler_is_told_who_and_why)
{
	union sigval value = {.sival_ptr = &noted};

	note(SIGUSR1, 0);
	EXPECT_EQ(raise(SIGUSR1), 0);
	EXPECT_EQ(noted.count, 1);
	EXPECT_EQ(noted.info.si_signo, SIGUSR1);
	EXPECT_EQ(noted.info.si_code, SI_TKILL);
	EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
	EXPECT_EQ(noted.count, 2);
	EXPECT_EQ(noted.info.si_code, SI_USER);
	EXPECT_EQ(noted.info.si_pid, getpid());
	EXPECT_EQ(noted.info.si_uid, getuid());
	EXPECT_EQ(sigqueue(getpid(), SIGUSR1, value), 0);
	EXPECT_EQ(noted.count, 3);
	EXPECT_EQ(noted.info.si_code, SI_QUEUE);
	EXPECT(noted.info.si_value.sival_ptr == &noted);
	signal(SIGUSR1, SIG_DFL);
}

TEST(signal_mask_errors)
{
	sigset_t set = only(SIGUSR1), old;

	EXPECT_ERRNO(sigprocmask(3, &set, NULL), EINVAL);
	EXPECT_ERRNO(sigprocmask(-1, &set, NULL), EINVAL);
	EXPECT_EQ(sigprocmask(99, NULL, &old), 0); /* nothing is to be done */
	EXPECT_ERRNO(sigprocmask(SIG_BLOCK, bad_pointer, NULL), EFAULT);
	EXPECT_ERRNO(sigprocmask(SIG_BLOCK, &set, bad_pointer), EFAULT);
	/* What failed has changed nothing. */
	EXPECT_EQ(sigprocmask(SIG_BLOCK, NULL, &set), 0);
	EXPECT_EQ(set, old);
	EXPECT_EQ(pthread_sigmask(3, &set, NULL), EINVAL);
	EXPECT_ERRNO(sigpending(bad_pointer), EFAULT);
	EXPECT_ERRNO(sigsuspend(bad_pointer), EFAULT);
}

TEST(signal_blocked_ones_wait)
{
	sigset_t pending, old;

	note(SIGUSR1, 0);
	old = block(SIGUSR1);
	EXPECT_EQ(raise(SIGUSR1), 0);
	EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
	EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
	EXPECT_EQ(noted.count, 0);
	EXPECT_EQ(sigpending(&pending), 0);
	EXPECT_EQ(pending, only(SIGUSR1));
	set_mask(old);
	/* One for the thread, one for the process: an ordinary signal is pending or not. */
	EXPECT_EQ(noted.count, 2);
	EXPECT_EQ(sigpending(&pending), 0);
	EXPECT_EQ(pending, 0);
	signal(SIGUSR1, SIG_DFL);
}

TEST(signal_kill_and_stop_cannot_be_blocked)
{
	sigset_t all, now;

	sigfillset(&all);
	EXPECT_EQ(sigprocmask(SIG_SETMASK, &all, &now), 0);
	EXPECT_EQ(sigprocmask(SIG_SETMASK, &now, &all), 0);
	EXPECT_EQ(sigismember(&all, SIGKILL), 0);
	EXPECT_EQ(sigismember(&all, SIGSTOP), 0);
	EXPECT_EQ(sigismember(&all, SIGTERM), 1);
}

/* What is ignored is not pending, whether that was so when it came or is so now. */
TEST(signal_ignored_ones_are_gone)
{
	sigset_t pending;

	block(SIGUSR1);
	note(SIGUSR1, 0);
	raise(SIGUSR1);
	signal(SIGUSR1, SIG_IGN);
	EXPECT_EQ(sigpending(&pending), 0);
	EXPECT_EQ(pending, 0);
	unblock(SIGUSR1);
	raise(SIGUSR1);
	note(SIGUSR1, 0);
	EXPECT_EQ(noted.count, 0);
	signal(SIGUSR1, SIG_DFL);
}

/* Real-time signals: all of them, in order, the lowest number first; of a process so many. */
TEST(signal_queue_of_real_time_signals)
{
	int values[3] = {0};
	sigset_t old = block(SIGRTMIN);
	siginfo_t info;

	note(SIGRTMIN, 0);
	for (int i = 0; i < 3; i++)
		EXPECT_EQ(sigqueue(getpid(), SIGRTMIN, (union sigval){.sival_int = i + 1}), 0);
	for (int i = 0; i < 3; i++) {
		sigset_t set = only(SIGRTMIN);

		EXPECT_EQ(sigwaitinfo(&set, &info), SIGRTMIN);
		values[i] = info.si_value.sival_int;
	}
	EXPECT(values[0] == 1 && values[1] == 2 && values[2] == 3);
	block(SIGRTMIN + 1);
	note(SIGRTMIN + 1, 0);
	EXPECT_EQ(kill(getpid(), SIGRTMIN + 1), 0);
	EXPECT_EQ(kill(getpid(), SIGRTMIN), 0);
	EXPECT_EQ(kill(getpid(), SIGRTMIN), 0);
	set_mask(old);
	/* The one delivered last runs first, for its frame is on top. */
	EXPECT_EQ(noted.count, 3);
	EXPECT_EQ(noted.order[0], SIGRTMIN + 1);
	signal(SIGRTMIN, SIG_DFL);
	signal(SIGRTMIN + 1, SIG_DFL);
}

TEST(signal_queue_has_an_end)
{
	sigset_t old = block(SIGRTMAX), set = only(SIGRTMAX);
	long before = free_memory_kb();
	int n = 0;

	note(SIGRTMAX, 0);
	while (n < 100000 && !kill(getpid(), SIGRTMAX))
		n++;
	EXPECT_EQ(errno, EAGAIN);
	EXPECT(n >= 32);
	/* An ordinary one gets through all the same. */
	note(SIGUSR1, 0);
	EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
	EXPECT_EQ(noted.count, 1);
	for (; n > 0; n--)
		EXPECT_EQ(sigtimedwait(&set, NULL, &(struct timespec){0}), SIGRTMAX);
	EXPECT_ERRNO(sigtimedwait(&set, NULL, &(struct timespec){0}), EAGAIN);
	EXPECT_EQ(kill(getpid(), SIGRTMAX), 0);
	signal(SIGRTMAX, SIG_IGN); /* throws it away */
	set_mask(old);
	EXPECT(free_memory_kb() >= before - 64);
	signal(SIGRTMAX, SIG_DFL);
	signal(SIGUSR1, SIG_DFL);
}

TEST(signal_timedwait)
{
	sigset_t set = only(SIGUSR1), old = block(SIGUSR1);
	struct timespec start, end, ms = {.tv_nsec = 3000000};
	siginfo_t info;
	int sig;

	clock_gettime(CLOCK_MONOTONIC, &start);
	EXPECT_ERRNO(sigtimedwait(&set, &info, &ms), EAGAIN);
	clock_gettime(CLOCK_MONOTONIC, &end);
	EXPECT((end.tv_sec - start.tv_sec) * 1000000000LL + end.tv_nsec - start.tv_nsec >= 3000000);
	EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
	EXPECT_EQ(sigwait(&set, &sig), 0);
	EXPECT_EQ(sig, SIGUSR1);
	EXPECT_RAW(raw_syscall3(SYS_sigtimedwait, (long)bad_pointer, 0, 0), EFAULT);
	EXPECT_RAW(raw_syscall3(SYS_sigtimedwait, (long)&set, 0, (long)bad_pointer), EFAULT);
	ms.tv_nsec = 1000000000;
	EXPECT_ERRNO(sigtimedwait(&set, NULL, &ms), EINVAL);
	set_mask(old);
}

static int wait_for_usr1(void)
{
	sigset_t set = only(SIGUSR1);
	siginfo_t info;

	block(SIGUSR1);
	if (sigwaitinfo(&set, &info) != SIGUSR1)
		return 1;
	return info.si_pid == getppid() ? 0 : 2;
}

TEST(signal_wait_is_ended_by_one_that_is_blocked)
{
	pid_t pid = start_child(wait_for_usr1);

	EXPECT(wait_until_asleep(pid));
	EXPECT_EQ(kill(pid, SIGUSR1), 0);
	EXPECT_EQ(join_child(pid), 0);
}

static int suspend(void)
{
	sigset_t none, now;

	sigemptyset(&none);
	note(SIGUSR1, 0);
	block(SIGUSR1);
	if (sigsuspend(&none) != -1 || errno != EINTR || noted.count != 1)
		return 1;
	sigprocmask(SIG_BLOCK, NULL, &now);
	return sigismember(&now, SIGUSR1) ? 0 : 2;
}

TEST(signal_suspend)
{
	pid_t pid = start_child(suspend);

	EXPECT(wait_until_asleep(pid));
	EXPECT_EQ(kill(pid, SIGUSR1), 0);
	EXPECT_EQ(join_child(pid), 0);
	/* One that came before is enough. */
	note(SIGUSR1, 0);
	block(SIGUSR1);
	raise(SIGUSR1);
	EXPECT_ERRNO(sigsuspend(&(sigset_t){0}), EINTR);
	EXPECT_EQ(noted.count, 1);
	unblock(SIGUSR1);
	signal(SIGUSR1, SIG_DFL);
}

static volatile int depth, deepest, runs;

static void recursive(int sig)
{
	depth++;
	deepest = depth > deepest ? depth : deepest;
	if (++runs < 3)
		raise(sig);
	depth--;
}

TEST(signal_is_blocked_in_its_handler)
{
	struct sigaction act = {.sa_handler = recursive};

	depth = deepest = runs = 0;
	sigaction(SIGUSR1, &act, NULL);
	EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
	EXPECT_EQ(deepest, 1);
	EXPECT_EQ(runs, 3);
	act.sa_flags = SA_NODEFER;
	deepest = runs = 0;
	sigaction(SIGUSR1, &act, NULL);
	EXPECT_EQ(kill(getpid(), SIGUSR1), 0);
	EXPECT_EQ(deepest, 3);
	signal(SIGUSR1, SIG_DFL);
}

TEST(signal_handler_once)
{
	struct sigaction old;

	note(SIGCHLD, SA_RESETHAND);
	raise(SIGCHLD);
	raise(SIGCHLD);
	EXPECT_EQ(noted.count, 1);
	EXPECT_EQ(sigaction(SIGCHLD, NULL, &old), 0);
	EXPECT(old.sa_handler == SIG_DFL);
}

static int exit_by_default(void)
{
	return 0;
}

TEST(signal_fork_inherits)
{
	sigset_t old;
	pid_t pid;
	int status;

	note(SIGUSR1, 0);
	old = block(SIGUSR1);
	raise(SIGUSR1);
	fflush(stdout);
	pid = fork();
	if (!pid) {
		sigset_t pending, mask;

		/* Mask and actions, but not what is pending. */
		sigpending(&pending);
		sigprocmask(SIG_BLOCK, NULL, &mask);
		if (pending || !sigismember(&mask, SIGUSR1))
			_exit(1);
		set_mask(old);
		if (noted.count)
			_exit(2);
		raise(SIGUSR1);
		_exit(noted.count != 1);
	}
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(status, 0);
	set_mask(old);
	EXPECT_EQ(noted.count, 1);
	signal(SIGUSR1, SIG_DFL);
	EXPECT_EQ(join_child(start_child(exit_by_default)), 0);
}

/* Run again by itself: tells by its status what exec has left. */
TEST(signal_exec_child)
{
	struct sigaction caught, ignored;
	sigset_t mask, pending;

	if (!getenv("SIGNAL_EXEC_CHILD"))
		return;
	sigaction(SIGUSR1, NULL, &caught);
	sigaction(SIGUSR2, NULL, &ignored);
	sigprocmask(SIG_BLOCK, NULL, &mask);
	sigpending(&pending);
	_exit((caught.sa_handler == SIG_DFL) | (ignored.sa_handler == SIG_IGN) << 1 |
	      sigismember(&mask, SIGTERM) << 2 | sigismember(&pending, SIGTERM) << 3);
}

static int exec_with_signals(void)
{
	char *const argv[] = {"guest-tests", "signal_exec_child", NULL};
	char *const envp[] = {"SIGNAL_EXEC_CHILD=1", NULL};

	note(SIGUSR1, SA_ONSTACK);
	signal(SIGUSR2, SIG_IGN);
	block(SIGTERM);
	raise(SIGTERM);
	close(STDOUT_FILENO); /* its report is not ours */
	execve("/bin/guest-tests", argv, envp);
	return 100;
}

TEST(signal_exec_resets_handlers)
{
	EXPECT_EQ(join_child(start_child(exec_with_signals)), 15);
}
