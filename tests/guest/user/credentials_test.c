/* SPDX-License-Identifier: MIT */
/* Users: what privilege is needed for, and that it is given up for good. */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "ktap.h"

#define USER  1000
#define OTHER 1001

/* In a child that has become @uid: its exit status is what @body returns, the number of the first
 * thing that was not as it should be, or 0. */
static int as_user(uid_t uid, int (*body)(void))
{
	int status;
	pid_t child;

	fflush(stdout);
	child = fork();
	if (!child)
		_exit(setuid(uid) ? 99 : body());
	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static bool fails(int result, int error)
{
	return result == -1 && errno == error;
}

static int change_user(void)
{
	if (getuid() != USER || geteuid() != USER)
		return 1;
	if (!fails(setuid(0), EPERM) || !fails(setuid(OTHER), EPERM))
		return 2;
	if (setuid(USER) || getuid() != USER)
		return 3;
	if (!fails(seteuid(0), EPERM) || seteuid(USER))
		return 4;
	if (!fails(setreuid(0, 0), EPERM) || setreuid(-1, USER) || setreuid(USER, -1))
		return 5;
	return 0;
}

TEST(credentials_privilege_is_given_up_for_good)
{
	EXPECT_EQ(getuid(), 0);
	EXPECT_EQ(geteuid(), 0);
	EXPECT_EQ(as_user(USER, change_user), 0);
	EXPECT_EQ(as_user(0, change_user), 1);
}

TEST(credentials_wrong_numbers)
{
	EXPECT_ERRNO(setuid(-1), EINVAL);
	EXPECT_ERRNO(syscall(SYS_setuid, 65535), EINVAL);
	EXPECT_ERRNO(syscall(SYS_setuid, -2L), EINVAL);
	EXPECT_ERRNO(seteuid(USER), EPERM); /* could not be taken back */
	EXPECT_EQ(setreuid(-1, -1), 0);
	EXPECT_EQ(getuid(), 0);
}

static int child_inherits(void)
{
	int status;
	pid_t child = fork();

	if (!child)
		_exit(getuid() == USER && fails(setuid(0), EPERM) ? 7 : 1);
	return waitpid(child, &status, 0) == child && WEXITSTATUS(status) == 7 ? 0 : 1;
}

TEST(credentials_fork_inherits)
{
	EXPECT_EQ(as_user(USER, child_inherits), 0);
}

/* `setpriv --reuid` within itself: the inner one is refused, unless it asks for the same user. */
static int exec_again(const char *uid)
{
	execl("/bin/setpriv", "setpriv", "--reuid", uid, "/bin/exits", "42", NULL);
	return 98;
}

static int exec_other(void)
{
	return exec_again("1001");
}

static int exec_same(void)
{
	return exec_again("1000");
}

TEST(credentials_exec_keeps)
{
	EXPECT_EQ(as_user(USER, exec_other), 1);
	EXPECT_EQ(as_user(USER, exec_same), 42);
	EXPECT_EQ(as_user(0, exec_same), 42);
}

static pid_t victim;

static int kill_victim(void)
{
	if (!fails(kill(victim, 0), EPERM) || !fails(kill(victim, SIGKILL), EPERM))
		return 1;
	if (!fails(kill(1, 0), EPERM)) /* init is the privileged user's */
		return 2;
	return fails(kill(31000, SIGKILL), ESRCH) ? 0 : 3;
}

static int kill_own(void)
{
	int status;
	pid_t child = fork();

	if (!child)
		for (;;)
			sched_yield();
	if (kill(child, SIGKILL) || waitpid(child, &status, 0) != child)
		return 1;
	return WTERMSIG(status) == SIGKILL ? 0 : 2;
}

static int raise_priority(void)
{
	if (setpriority(PRIO_PROCESS, 0, 5))
		return 1;
	if (setpriority(PRIO_PROCESS, 0, 5) || !fails(setpriority(PRIO_PROCESS, 0, 0), EACCES))
		return 2;
	if (setpriority(PRIO_PROCESS, getpid(), 10))
		return 3;
	if (!fails(setpriority(PRIO_PROCESS, victim, 19), EPERM) ||
	    !fails(setpriority(PRIO_PROCESS, victim, -20), EPERM))
		return 4;
	return fails(setpriority(PRIO_PROCESS, 31000, 0), ESRCH) ? 0 : 5;
}

static int open_maps(pid_t pid)
{
	char path[32], c;
	int fd, n;

	snprintf(path, sizeof(path), "/proc/%d/maps", pid);
	fd = open(path, O_RDONLY);
	if (fd < 0)
		return -1;
	n = read(fd, &c, 1);
	close(fd);
	return n == 1 ? 0 : -1;
}

static int read_maps(void)
{
	if (!fails(open_maps(victim), EACCES))
		return 1;
	return open_maps(getpid()) ? 2 : 0;
}

/* Runs @body as USER, while there is a process of @uid to do things to. */
static int with_victim(uid_t uid, int (*body)(void))
{
	int ends[2], ready[2], status;
	char c = 0;

	if (pipe(ends) || pipe(ready))
		return -1;
	fflush(stdout);
	victim = fork();
	if (!victim) {
		close(ends[1]);
		_exit(setuid(uid) || write(ready[1], &c, 1) != 1 || read(ends[0], &c, 1));
	}
	close(ends[0]);
	close(ready[1]);
	EXPECT_EQ(read(ready[0], &c, 1), 1);
	close(ready[0]);
	status = as_user(USER, body);
	close(ends[1]);
	EXPECT_EQ(waitpid(victim, NULL, 0), victim);
	return status;
}

TEST(credentials_kill)
{
	EXPECT_EQ(with_victim(OTHER, kill_victim), 0);
	EXPECT_EQ(with_victim(0, kill_victim), 0);
	EXPECT_EQ(with_victim(USER, kill_victim), 1);
	EXPECT_EQ(as_user(USER, kill_own), 0);
}

TEST(credentials_priority)
{
	EXPECT_EQ(with_victim(OTHER, raise_priority), 0);
	EXPECT_EQ(with_victim(USER, raise_priority), 4);
}

TEST(credentials_maps)
{
	EXPECT_EQ(with_victim(OTHER, read_maps), 0);
	EXPECT_EQ(with_victim(USER, read_maps), 1);
	EXPECT_EQ(open_maps(1), 0);
}
