/* SPDX-License-Identifier: MIT */
/* Commands run by the shell, /bin/sh. */
#include "libc.h"

#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define SHELL         "/bin/sh"
#define CANNOT_BE_RUN 127
#define OPEN_COMMANDS 16 /* that popen() has begun and pclose() not ended */

static void __attribute__((noreturn)) run_shell(const char *command)
{
	execl(SHELL, "sh", "-c", command, (char *)NULL);
	_exit(CANNOT_BE_RUN);
}

static int wait_for(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

/* While it waits, the caller is out of what the keyboard sends, and its child's end is no news. */
int system(const char *command)
{
	const struct sigaction ignore = {.sa_handler = SIG_IGN};
	struct sigaction old_int, old_quit;
	sigset_t chld, old_mask;
	int status = -1;
	pid_t pid;

	if (!command)
		return access(SHELL, X_OK) == 0;
	sigaction(SIGINT, &ignore, &old_int);
	sigaction(SIGQUIT, &ignore, &old_quit);
	sigemptyset(&chld);
	sigaddset(&chld, SIGCHLD);
	sigprocmask(SIG_BLOCK, &chld, &old_mask);
	pid = fork();
	if (pid)
		status = pid < 0 ? -1 : wait_for(pid);
	sigaction(SIGINT, &old_int, NULL);
	sigaction(SIGQUIT, &old_quit, NULL);
	sigprocmask(SIG_SETMASK, &old_mask, NULL);
	if (!pid)
		run_shell(command);
	return status;
}

static struct {
	FILE *file;
	pid_t pid;
} commands[OPEN_COMMANDS];

/* In the child of popen(), which has @end of the pipe as descriptor @to. */
static void __attribute__((noreturn)) run_command(const char *command, int end, int to)
{
	for (int i = 0; i < OPEN_COMMANDS; i++)
		if (commands[i].file)
			close(fileno(commands[i].file));
	if (end != to) {
		dup2(end, to);
		close(end);
	}
	run_shell(command);
}

FILE *popen(const char *command, const char *mode)
{
	int reads = *mode == 'r', ends[2], slot = 0;
	FILE *f;
	pid_t pid;

	if ((*mode != 'r' && *mode != 'w') || mode[1]) {
		errno = EINVAL;
		return NULL;
	}
	while (slot < OPEN_COMMANDS && commands[slot].file)
		slot++;
	if (slot == OPEN_COMMANDS) {
		errno = EMFILE;
		return NULL;
	}
	if (pipe(ends) < 0)
		return NULL;
	f = fdopen(ends[!reads], mode);
	pid = f ? fork() : -1;
	if (!pid) {
		close(ends[!reads]);
		run_command(command, ends[reads], reads);
	}
	close(ends[reads]);
	if (pid > 0) {
		commands[slot].file = f;
		commands[slot].pid = pid;
		return f;
	}
	if (f)
		fclose(f);
	else
		close(ends[!reads]);
	return NULL;
}

int pclose(FILE *f)
{
	for (int i = 0; i < OPEN_COMMANDS; i++) {
		if (commands[i].file != f)
			continue;
		commands[i].file = NULL;
		fclose(f);
		return wait_for(commands[i].pid);
	}
	errno = EINVAL;
	return -1;
}
