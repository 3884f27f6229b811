/* SPDX-License-Identifier: MIT */
/* Job control: process groups, sessions, stopping and going on, and what parents learn of it. */
#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "signals.h"

static int wait_for_end(void)
{
	return sleep(1000);
}

/* A child in a group of its own, which sleeps. */
static pid_t start_sleeper(void)
{
	pid_t pid = start_child(wait_for_end);

	EXPECT_EQ(setpgid(pid, pid), 0);
	EXPECT(wait_until_asleep(pid));
	return pid;
}

static void end(pid_t pid)
{
	int status;

	EXPECT_EQ(kill(pid, SIGKILL), 0);
	EXPECT_EQ(waitpid(pid, &status, 0), pid);
	EXPECT_EQ(WTERMSIG(status), SIGKILL);
}

TEST(job_group_errors)
{
	pid_t child = start_sleeper();

	EXPECT_EQ(getpgid(0), getpgrp());
	EXPECT_EQ(getpgid(child), child);
	EXPECT_EQ(getsid(child), getsid(0));
	EXPECT_ERRNO(getpgid(32000), ESRCH);
	EXPECT_ERRNO(getsid(32000), ESRCH);
	EXPECT_ERRNO(setpgid(-1, 0), EINVAL);
	EXPECT_ERRNO(setpgid(0, -1), EINVAL);
	EXPECT_ERRNO(setpgid(32000, 0), ESRCH);
	EXPECT_ERRNO(setpgid(1, 0), ESRCH); /* no child of ours */
	EXPECT_ERRNO(setpgid(child, 32000), EPERM);
	EXPECT_EQ(setpgid(child, getpgrp()), 0);
	EXPECT_EQ(getpgid(child), getpgrp());
	EXPECT_EQ(setpgid(child, 0), 0);
	EXPECT_EQ(getpgid(child), child);
	end(child);
}

static int change_sessions(void)
{
	pid_t self = getpid();

	if (setsid() != self || getsid(0) != self || getpgrp() != self)
		return 1;
	if (setsid() != -1 || errno != EPERM)
		return 2;
	if (setpgid(0, 0) != -1 || errno != EPERM)
		return 3;
	/* The group of another session can not be joined. */
	if (setpgid(0, getpgid(getppid())) != -1 || errno != EPERM)
		return 4;
	return 0;
}

TEST(job_sessions)
{
	EXPECT_EQ(join_child(start_child(change_sessions)), 0);
}

static int exec_sleeper(void)
{
	char *const argv[] = {"cat", NULL}, *const none[] = {NULL};
	int ends[2];

	if (pipe(ends))
		return 1;
	dup2(ends[0], STDIN_FILENO);
	execve("/bin/cat", argv, none);
	return 2;
}

TEST(job_group_of_another_program_stays)
{
	pid_t child = start_child(exec_sleeper);

	EXPECT(wait_until_asleep(child));
	EXPECT_ERRNO(setpgid(child, child), EACCES);
	end(child);
}

TEST(job_kill_group)
{
	pid_t leader = start_sleeper(), member = start_child(wait_for_end), other;
	int status;

	EXPECT_EQ(setpgid(member, leader), 0);
	other = start_sleeper();
	EXPECT_EQ(kill(-leader, SIGTERM), 0);
	EXPECT_EQ(waitpid(leader, &status, 0), leader);
	EXPECT_EQ(WTERMSIG(status), SIGTERM);
	EXPECT_EQ(waitpid(member, &status, 0), member);
	EXPECT_EQ(WTERMSIG(status), SIGTERM);
	EXPECT_EQ(waitpid(other, &status, WNOHANG), 0);
	EXPECT_ERRNO(kill(-leader, SIGTERM), ESRCH);
	end(other);
}

TEST(job_wait_by_group)
{
	pid_t leader = start_sleeper(), own = start_child(wait_for_end);
	int status;

	EXPECT_EQ(kill(leader, SIGTERM), 0);
	EXPECT_EQ(waitpid(0, &status, WNOHANG), 0); /* own is in our group, and lives */
	EXPECT_EQ(waitpid(-leader, &status, 0), leader);
	EXPECT_EQ(WTERMSIG(status), SIGTERM);
	EXPECT_ERRNO(waitpid(-leader, &status, 0), ECHILD);
	EXPECT_EQ(kill(own, SIGTERM), 0);
	EXPECT_EQ(waitpid(0, &status, 0), own);
	EXPECT_ERRNO(waitpid(0, &status, 0), ECHILD);
	EXPECT_ERRNO(waitpid(-1, &status, 1 << 20), EINVAL);
	EXPECT_ERRNO(waitpid(-2147483647 - 1, &status, 0), ESRCH);
}

TEST(job_stop_and_continue)
{
	pid_t child = start_sleeper();
	int status;

	note(SIGCHLD, 0);
	EXPECT_EQ(kill(child, SIGTSTP), 0);
	EXPECT_EQ(waitpid(child, &status, WUNTRACED), child);
	EXPECT(WIFSTOPPED(status));
	EXPECT_EQ(WSTOPSIG(status), SIGTSTP);
	EXPECT_EQ(noted.count, 1);
	EXPECT_EQ(noted.info.si_code, CLD_STOPPED);
	EXPECT_EQ(noted.info.si_status, SIGTSTP);
	EXPECT_EQ(noted.info.si_pid, child);
	/* Told once; who does not ask is not told. */
	EXPECT_EQ(waitpid(child, &status, WUNTRACED | WNOHANG), 0);
	EXPECT_EQ(kill(child, SIGCONT), 0);
	EXPECT_EQ(waitpid(child, &status, WNOHANG), 0);
	EXPECT_EQ(waitpid(child, &status, WCONTINUED), child);
	EXPECT(WIFCONTINUED(status));
	EXPECT_EQ(noted.count, 2);
	EXPECT_EQ(noted.info.si_code, CLD_CONTINUED);
	EXPECT_EQ(waitpid(child, &status, WCONTINUED | WNOHANG), 0);
	/* One that runs is not told to have gone on. */
	EXPECT_EQ(kill(child, SIGCONT), 0);
	EXPECT_EQ(waitpid(child, &status, WCONTINUED | WNOHANG), 0);
	end(child);
	EXPECT_EQ(noted.info.si_code, CLD_KILLED);
	EXPECT_EQ(noted.info.si_status, SIGKILL);
	signal(SIGCHLD, SIG_DFL);
}

/* What is stopped takes no signal but SIGCONT and SIGKILL. */
TEST(job_stopped_process_is_still)
{
	pid_t child = start_sleeper();
	int status;

	EXPECT_EQ(kill(child, SIGSTOP), 0);
	EXPECT_EQ(waitpid(child, &status, WUNTRACED), child);
	EXPECT_EQ(kill(child, SIGSEGV), 0);
	for (int i = 0; i < 20; i++)
		sched_yield();
	EXPECT_EQ(waitpid(child, &status, WNOHANG), 0);
	EXPECT_EQ(kill(child, SIGCONT), 0);
	EXPECT_EQ(waitpid(child, &status, 0), child);
	EXPECT_EQ(WTERMSIG(status), SIGSEGV);
	child = start_sleeper();
	EXPECT_EQ(kill(child, SIGSTOP), 0);
	EXPECT_EQ(waitpid(child, &status, WUNTRACED), child);
	end(child);
}

/* A stop signal and SIGCONT take each other back while they are blocked. */
static int stop_and_continue_blocked(void)
{
	sigset_t pending;

	block(SIGTSTP);
	block(SIGCONT);
	note(SIGCONT, 0);
	raise(SIGTSTP);
	raise(SIGCONT);
	sigpending(&pending);
	if (pending != only(SIGCONT))
		return 1;
	raise(SIGTSTP);
	sigpending(&pending);
	return pending == only(SIGTSTP) ? 0 : 2;
}

TEST(job_stop_and_continue_cancel_each_other)
{
	EXPECT_EQ(join_child(start_child(stop_and_continue_blocked)), 0);
}

/* Nobody would let an orphaned group go on again, so a terminal's stop signals do nothing to it. */
static int stop_orphaned(void)
{
	if (setsid() < 0)
		return 1;
	raise(SIGTSTP);
	raise(SIGTTIN);
	raise(SIGTTOU);
	return 5;
}

TEST(job_orphaned_group_does_not_stop)
{
	EXPECT_EQ(join_child(start_child(stop_orphaned)), 5);
}

static int exit_with_3(void)
{
	return 3;
}

TEST(job_child_signal)
{
	pid_t child;

	note(SIGCHLD, SA_NOCLDSTOP);
	child = start_child(exit_with_3);
	EXPECT_EQ(join_child(child), 3);
	EXPECT_EQ(noted.count, 1);
	EXPECT_EQ(noted.info.si_code, CLD_EXITED);
	EXPECT_EQ(noted.info.si_status, 3);
	EXPECT_EQ(noted.info.si_pid, child);
	EXPECT_EQ(noted.info.si_uid, getuid());
	child = start_sleeper();
	kill(child, SIGSTOP);
	EXPECT_EQ(waitpid(child, NULL, WUNTRACED), child);
	EXPECT_EQ(noted.count, 1);
	end(child);
	EXPECT_EQ(noted.count, 2);
	signal(SIGCHLD, SIG_DFL);
}

static void expect_no_zombies(void)
{
	long before;

	for (int i = 0; i < 3; i++)
		start_child(exit_with_3);
	/* Waits for all, and then there is nothing to wait for. */
	EXPECT_ERRNO(waitpid(-1, NULL, 0), ECHILD);
	before = free_memory_kb();
	for (int i = 0; i < 20; i++) {
		start_child(exit_with_3);
		EXPECT_ERRNO(waitpid(-1, NULL, 0), ECHILD);
	}
	/* init frees them, on whatever processor. */
	for (int i = 0; i < 1000 && free_memory_kb() < before - 256; i++)
		usleep(1000);
	EXPECT(free_memory_kb() >= before - 256);
}

TEST(job_children_that_nobody_waits_for)
{
	struct sigaction act = {.sa_sigaction = note_signal, .sa_flags = SA_NOCLDWAIT | SA_SIGINFO};

	signal(SIGCHLD, SIG_IGN);
	expect_no_zombies();
	noted.count = 0;
	EXPECT_EQ(sigaction(SIGCHLD, &act, NULL), 0);
	expect_no_zombies();
	EXPECT(noted.count >= 21 &&
	       noted.count <= 23); /* told all the same, perhaps of several at once */
	signal(SIGCHLD, SIG_DFL);
}

static int kill_own(void)
{
	int status, ended = 0;

	if (setuid(4321))
		return 100;
	for (int i = 0; i < 3; i++)
		start_child(wait_for_end);
	if (kill(-1, SIGTERM))
		return 101;
	while (waitpid(-1, &status, 0) > 0)
		ended += WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM;
	return ended;
}

TEST(job_kill_all)
{
	EXPECT_EQ(join_child(start_child(kill_own)), 3);
}
