/* SPDX-License-Identifier: MIT */
/* Handlers that note what came, and children that sleep. */
#include "signals.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

struct noted noted;

void note_signal(int sig, siginfo_t *info, void *context)
{
	(void)context;
	if (noted.count < (int)(sizeof(noted.order) / sizeof(noted.order[0])))
		noted.order[noted.count] = sig;
	noted.count++;
	noted.info = *info;
}

void note(int sig, int flags)
{
	struct sigaction act = {.sa_sigaction = note_signal, .sa_flags = flags | SA_SIGINFO};

	noted.count = 0;
	EXPECT_EQ(sigaction(sig, &act, NULL), 0);
}

sigset_t only(int sig)
{
	sigset_t set;

	sigemptyset(&set);
	sigaddset(&set, sig);
	return set;
}

static sigset_t change_mask(int how, sigset_t set)
{
	sigset_t old;

	EXPECT_EQ(sigprocmask(how, &set, &old), 0);
	return old;
}

sigset_t block(int sig)
{
	return change_mask(SIG_BLOCK, only(sig));
}

sigset_t unblock(int sig)
{
	return change_mask(SIG_UNBLOCK, only(sig));
}

void set_mask(sigset_t mask)
{
	change_mask(SIG_SETMASK, mask);
}

pid_t start_child(int (*body)(void))
{
	pid_t pid;

	fflush(stdout);
	pid = fork();
	if (!pid)
		_exit(body());
	EXPECT(pid > 0);
	return pid;
}

/* The letter behind the name in parentheses. */
static char state_of(pid_t pid)
{
	char path[32], line[256];
	const char *p = NULL;
	FILE *f;

	snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
	f = fopen(path, "r");
	if (!f)
		return '?';
	if (fgets(line, sizeof(line), f))
		p = strrchr(line, ')');
	fclose(f);
	return p ? p[2] : '?';
}

bool wait_until_asleep(pid_t pid)
{
	for (int i = 0; i < 1000; i++) {
		if (state_of(pid) == 'S')
			return true;
		sched_yield();
	}
	return false;
}

int join_child(pid_t pid)
{
	int status;

	if (waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}
