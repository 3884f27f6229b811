/* SPDX-License-Identifier: MIT */
/*
 * Jobs. A shell that a person sits at puts each into a process group of its own and gives the
 * terminal to the one in the foreground, so that the terminal's keys are for it alone.
 */
#include "sh.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#define SIGNAL_STATUS 128 /* plus the signal's number */

static struct job *jobs;        /* the latest first */
static bool controlled;         /* there is a terminal, and this shell says who has it */
static struct termios settings; /* the terminal's, when the shell has it */

static const int control_signals[] = {SIGQUIT, SIGTSTP, SIGTTIN, SIGTTOU};
#define NR_CONTROL_SIGNALS (sizeof(control_signals) / sizeof(*control_signals))

static void note_interrupt(int signal)
{
	(void)signal;
	stop_reading();
}

/* Before the terminal is asked who has it: a shell that was started in the background waits. */
static void wait_for_terminal(void)
{
	pid_t group;

	while ((group = tcgetpgrp(STDIN_FILENO)) > 0 && group != getpgrp())
		kill(0, SIGTTIN);
}

void jobs_init(bool interactive)
{
	/* Without SA_RESTART: reading a line ends, and a new prompt comes. */
	struct sigaction action = {.sa_handler = note_interrupt};

	if (!interactive || tcgetattr(STDIN_FILENO, &settings) < 0)
		return;
	wait_for_terminal();
	sigaction(SIGINT, &action, NULL);
	for (size_t i = 0; i < NR_CONTROL_SIGNALS; i++)
		signal(control_signals[i], SIG_IGN);
	if (getpgrp() != getpid() && setpgid(0, 0) < 0)
		complain("no job control: %s", strerror(errno));
	else if (tcsetpgrp(STDIN_FILENO, getpgrp()) < 0)
		complain("no job control: %s", strerror(errno));
	else
		controlled = true;
}

static void take_terminal(void)
{
	tcsetpgrp(STDIN_FILENO, getpgrp());
	tcsetattr(STDIN_FILENO, TCSADRAIN, &settings);
}

/* --- The table --- */

struct job *job_create(const char *text, bool background)
{
	struct job *job = calloc(1, sizeof(*job));

	if (job)
		job->text = strdup(text);
	if (!job || !job->text) {
		fputs("sh: out of memory\n", stderr);
		exit(2);
	}
	job->background = background;
	job->number = jobs ? jobs->number + 1 : 1;
	job->next = jobs;
	jobs = job;
	return job;
}

static void job_free(struct job *job)
{
	struct job **j = &jobs;

	while (*j != job)
		j = &(*j)->next;
	*j = job->next;
	free(job->pids);
	free(job->text);
	free(job);
}

struct job *job_find(const char *spec)
{
	struct job *job = jobs;
	int n;

	if (!spec)
		return job;
	n = atoi(spec + (*spec == '%'));
	while (job && job->number != n && (*spec == '%' || job->last != n))
		job = job->next;
	return job;
}

static void job_add(struct job *job, pid_t pid)
{
	pid_t *pids = realloc(job->pids, (job->nr_pids + 1) * sizeof(*pids));

	if (!pids) {
		fputs("sh: out of memory\n", stderr);
		exit(2);
	}
	job->pids = pids;
	job->pids[job->nr_pids++] = job->last = pid;
	job->running++;
}

/* A child's status has changed. */
static void note_status(pid_t pid, int status)
{
	for (struct job *job = jobs; job; job = job->next) {
		for (size_t i = 0; i < job->nr_pids; i++) {
			if (job->pids[i] != pid)
				continue;
			job->stopped = WIFSTOPPED(status);
			if (pid == job->last)
				job->status = status;
			if (!job->stopped) {
				job->pids[i] = 0;
				job->running--;
			}
			return;
		}
	}
}

/* --- Starting --- */

/* In the child: the signals that the shell keeps away from itself are the program's. */
static void child_signals(const struct job *job)
{
	if (controlled) {
		signal(SIGINT, SIG_DFL);
		for (size_t i = 0; i < NR_CONTROL_SIGNALS; i++)
			signal(control_signals[i], SIG_DFL);
	} else if (job->background) {
		signal(SIGINT, SIG_IGN);
		signal(SIGQUIT, SIG_IGN);
	}
}

static void enter_child(const struct job *job)
{
	if (controlled) {
		setpgid(0, job->pgid);
		if (!job->background)
			tcsetpgrp(STDIN_FILENO, getpgrp());
	} else if (job->background) {
		int fd = open("/dev/null", O_RDONLY);

		if (fd > STDIN_FILENO) {
			dup2(fd, STDIN_FILENO);
			close(fd);
		}
	}
	child_signals(job);
	controlled = false; /* a shell in the child has no terminal to give away */
	jobs = NULL;        /* nor children */
}

pid_t job_fork(struct job *job)
{
	pid_t pid;

	fflush(NULL);
	pid = fork();
	if (pid < 0) {
		complain("fork: %s", strerror(errno));
		return -1;
	}
	if (!pid) {
		enter_child(job);
		return 0;
	}
	if (controlled) {
		/* The child does this, too; whoever comes first. */
		if (!job->pgid)
			job->pgid = pid;
		setpgid(pid, job->pgid);
	}
	job_add(job, pid);
	return pid;
}

/* --- Waiting --- */

int shell_status(int status)
{
	if (WIFSTOPPED(status))
		return SIGNAL_STATUS + WSTOPSIG(status);
	return WIFSIGNALED(status) ? SIGNAL_STATUS + WTERMSIG(status) : WEXITSTATUS(status);
}

/* Says how a job ended that was in the foreground, if not by itself. */
static void report_signal(const struct job *job)
{
	int signal = WTERMSIG(job->status);

	if (!WIFSIGNALED(job->status) || signal == SIGPIPE)
		return;
	if (signal == SIGINT)
		fputc('\n', stderr); /* behind the key's echo */
	else
		fprintf(stderr, "%s: %s\n", job->text, strsignal(signal));
}

static void print_job(const struct job *job)
{
	const char *what = "Running";

	if (!job->running)
		what = WIFSIGNALED(job->status) ? strsignal(WTERMSIG(job->status)) : "Done";
	else if (job->stopped)
		what = "Stopped";
	if (!job->running && WIFEXITED(job->status) && WEXITSTATUS(job->status))
		fprintf(stderr, "[%d] Exit %d\t%s\n", job->number, WEXITSTATUS(job->status),
			job->text);
	else
		fprintf(stderr, "[%d] %s\t%s\n", job->number, what, job->text);
}

/* Waits for @job, which has the foreground, to end or stop; its status as $? has it. */
static int wait_in_foreground(struct job *job)
{
	int status;
	pid_t pid;

	while (job->running && !job->stopped) {
		pid = waitpid(-1, &status, controlled ? WUNTRACED : 0);
		if (pid > 0)
			note_status(pid, status);
		else if (errno != EINTR)
			break;
	}
	if (controlled)
		take_terminal();
	status = shell_status(job->status);
	if (job->running) {
		job->background = true;
		fputc('\n', stderr);
		print_job(job);
		return status;
	}
	report_signal(job);
	job_free(job);
	return status;
}

int job_started(struct job *job)
{
	if (!job->nr_pids) {
		job_free(job);
		return 1;
	}
	if (!job->background)
		return wait_in_foreground(job);
	last_background = job->last;
	if (controlled)
		fprintf(stderr, "[%d] %d\n", job->number, (int)job->last);
	return 0;
}

int job_continue(struct job *job, bool background)
{
	job->background = background;
	job->stopped = false;
	fprintf(stderr, "%s%s\n", job->text, background ? " &" : "");
	if (!background)
		tcsetpgrp(STDIN_FILENO, job->pgid);
	kill(-job->pgid, SIGCONT);
	return background ? 0 : wait_in_foreground(job);
}

static bool any_running(const struct job *only)
{
	for (const struct job *job = jobs; job; job = job->next)
		if ((!only || job == only) && job->running && !job->stopped)
			return true;
	return false;
}

int job_wait_for(struct job *job)
{
	int status = 0;

	while (any_running(job)) {
		pid_t pid = waitpid(-1, &status, controlled ? WUNTRACED : 0);

		if (pid > 0)
			note_status(pid, status);
		else if (errno == EINTR && interrupted)
			return SIGNAL_STATUS + SIGINT;
		else if (errno != EINTR)
			break;
	}
	if (!job)
		return 0;
	status = shell_status(job->status);
	if (!job->running)
		job_free(job);
	return status;
}

void jobs_report(bool all)
{
	struct job *job, *next;
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG | (controlled ? WUNTRACED : 0))) > 0)
		note_status(pid, status);
	for (job = jobs; job; job = next) {
		next = job->next;
		if (all || (!job->running && controlled))
			print_job(job);
		if (!job->running)
			job_free(job);
	}
}
