/* SPDX-License-Identifier: MIT */
/*
 * The command that is measured. A process in between waits for it and reports its end through a
 * pipe, so that one poll() covers the rings and the end of the command without signal handlers or
 * timeouts, which would put more of perf itself into the profile.
 */
#define _GNU_SOURCE
#include "perf.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum message_kind { COMMAND_PID, EXEC_FAILED, COMMAND_ENDED };

struct message {
	enum message_kind kind;
	int value; /* pid, errno, wait status */
};

/* Pipe ends that an exec'd command does not inherit. */
static int private_pipe(int ends[2])
{
	if (pipe(ends) < 0)
		return -1;
	for (int i = 0; i < 2; i++)
		fcntl(ends[i], F_SETFD, FD_CLOEXEC);
	return 0;
}

static bool send_message(int fd, enum message_kind kind, int value)
{
	struct message m = {kind, value};

	return write(fd, &m, sizeof(m)) == sizeof(m);
}

static bool receive(int fd, struct message *m)
{
	ssize_t n;

	do {
		n = read(fd, m, sizeof(*m));
	} while (n < 0 && errno == EINTR);
	return n == sizeof(*m);
}

/* Waits for the word to go; when perf has died instead, there is nothing to do. */
static void become_command(char **argv, int go, int report, bool to_stderr)
{
	char c;

	if (read(go, &c, 1) != 1)
		_exit(0);
	if (to_stderr)
		dup2(STDERR_FILENO, STDOUT_FILENO);
	signal(SIGINT, SIG_DFL);
	execvp(argv[0], argv);
	send_message(report, EXEC_FAILED, errno);
	_exit(127);
}

static void wait_for_command(char **argv, int go, int report, bool to_stderr)
{
	int status;
	pid_t pid = fork();

	if (pid == 0)
		become_command(argv, go, report, to_stderr);
	if (pid < 0) {
		send_message(report, EXEC_FAILED, errno);
		_exit(0);
	}
	close(go);
	send_message(report, COMMAND_PID, pid);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	send_message(report, COMMAND_ENDED, status);
	_exit(0);
}

int workload_start(struct workload *w, char **argv, bool to_stderr)
{
	int go[2], report[2];
	struct message m;

	/* An interrupt from the terminal ends the command; perf then writes what is left. */
	signal(SIGINT, SIG_IGN);
	fflush(NULL);
	if (private_pipe(go) < 0 || private_pipe(report) < 0)
		return error("pipe: %s", strerror(errno));
	w->waiter = fork();
	if (w->waiter < 0)
		return error("fork: %s", strerror(errno));
	if (w->waiter == 0) {
		close(go[1]);
		close(report[0]);
		wait_for_command(argv, go[0], report[1], to_stderr);
	}
	close(go[0]);
	close(report[1]);
	w->go = go[1];
	w->report = report[0];
	if (!receive(w->report, &m) || m.kind != COMMAND_PID)
		return error("fork: cannot start \"%s\"", argv[0]);
	w->pid = m.value;
	return 0;
}

int workload_go(struct workload *w)
{
	if (write(w->go, "", 1) != 1)
		return error("the command ended before it was started");
	return 0;
}

bool workload_runs_for(struct workload *w, int ms)
{
	struct pollfd report = {.fd = w->report, .events = POLLIN};
	int n;

	do {
		n = poll(&report, 1, ms);
	} while (n < 0 && errno == EINTR);
	return n == 0;
}

int workload_wait(struct workload *w)
{
	struct message m = {0};
	int status = 0, exec_error = 0;

	while (receive(w->report, &m) && m.kind != COMMAND_ENDED)
		exec_error = m.value;
	waitpid(w->waiter, NULL, 0);
	close(w->go);
	close(w->report);
	w->not_run = exec_error;
	if (exec_error) {
		error("cannot run the command: %s", strerror(exec_error));
		return exec_error == ENOENT ? 127 : 126;
	}
	status = m.value;
	if (WIFSIGNALED(status)) {
		error("the command was ended by signal %d", WTERMSIG(status));
		return 128 + WTERMSIG(status);
	}
	return WEXITSTATUS(status);
}
