/* SPDX-License-Identifier: MIT */
/* Runs lists: and-or lists one after the other, their pipelines as jobs, what can be in the shell.
 */
#include "sh.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NOT_FOUND    127
#define NOT_RUNNABLE 126
#define SAVED_FROM   10 /* descriptors from here on are the shell's own */

/* A command whose words have been expanded. */
struct expanded {
	struct strings assignments; /* NAME=value */
	struct strings argv;
};

static bool expand_command(const struct command *c, struct expanded *e)
{
	size_t i = 0;

	for (; i < c->words.n && assignment_value(c->words.s[i]); i++) {
		char *assignment = expand_string(c->words.s[i]);

		if (!assignment)
			return false;
		strings_add(&e->assignments, assignment);
	}
	for (; i < c->words.n; i++)
		if (!expand_word(c->words.s[i], &e->argv))
			return false;
	return !e->argv.n || strcmp(e->argv.s[0], "kill") || name_jobs_for_kill(&e->argv);
}

static void assign(const struct strings *assignments, bool for_program)
{
	for (size_t i = 0; i < assignments->n; i++) {
		char *value = (char *)assignment_value(assignments->s[i]);

		value[-1] = '\0';
		if (for_program)
			setenv(assignments->s[i], value, 1);
		else
			variable_set(assignments->s[i], value);
	}
}

/* --- Redirections --- */

/* The descriptor that @r's target is, opened if it is a file; -1: told. *@close: it is ours. */
static int open_target(const struct redirect *r, const char *target, bool *close)
{
	static const int flags[] = {
	    [REDIRECT_IN] = O_RDONLY,
	    [REDIRECT_OUT] = O_WRONLY | O_CREAT | O_TRUNC,
	    [REDIRECT_APPEND] = O_WRONLY | O_CREAT | O_APPEND,
	};
	char *end;
	int fd;

	*close = r->kind != REDIRECT_DUP;
	if (*close) {
		fd = open(target, flags[r->kind], 0666);
		if (fd < 0)
			complain("%s: %s", target, strerror(errno));
		return fd;
	}
	fd = strtol(target, &end, 10);
	if (end == target || *end || fcntl(fd, F_GETFD) < 0) {
		complain("%s: no open descriptor", target);
		return -1;
	}
	return fd;
}

static bool apply_redirect(const struct redirect *r)
{
	char *target = expand_string(r->target);
	bool ours, done;
	int fd;

	if (!target)
		return false;
	if (r->kind == REDIRECT_DUP && !strcmp(target, "-")) {
		close(r->fd);
		return true;
	}
	fd = open_target(r, target, &ours);
	if (fd < 0)
		return false;
	if (fd == r->fd)
		return true;
	done = dup2(fd, r->fd) >= 0;
	if (!done)
		complain("%d: %s", r->fd, strerror(errno));
	if (ours)
		close(fd);
	return done;
}

static bool apply_redirects(const struct redirect *r)
{
	for (; r; r = r->next)
		if (!apply_redirect(r))
			return false;
	return true;
}

/* --- Commands --- */

/* Runs @path, or if it is no program, has a shell read it. Returns when it cannot be. */
static void try_program(const char *path, char **argv)
{
	struct strings script = {0};

	execve(path, argv, environ);
	if (errno != ENOEXEC)
		return;
	strings_add(&script, "sh");
	strings_add(&script, (char *)path);
	for (argv++; *argv; argv++)
		strings_add(&script, *argv);
	execve("/bin/sh", script.s, environ);
}

int exec_program(char **argv)
{
	const char *dirs = variable_get("PATH");
	int error = ENOENT;

	if (strchr(argv[0], '/')) {
		try_program(argv[0], argv);
		error = errno;
	} else {
		for (size_t n; dirs && *dirs; dirs += n + (dirs[n] == ':')) {
			struct text path = {0};

			n = strcspn(dirs, ":");
			text_add_string(&path, arena_strndup(dirs, n));
			text_add(&path, '/');
			text_add_string(&path, argv[0]);
			try_program(path.s, argv);
			if (errno != ENOENT && errno != ENOTDIR)
				error = errno;
		}
	}
	complain("%s: %s", argv[0], error == ENOENT ? "not found" : strerror(error));
	return error == ENOENT ? NOT_FOUND : NOT_RUNNABLE;
}

/* In a child: what @e and @c say. */
static int run_expanded(const struct command *c, struct expanded *e)
{
	builtin_fn builtin = e->argv.n ? find_builtin(e->argv.s[0]) : NULL;

	if (!apply_redirects(c->redirects))
		return 1;
	if (c->subshell) {
		last_status = 0;
		run_list(c->subshell);
		return last_status;
	}
	if (!e->argv.n)
		return 0;
	assign(&e->assignments, true);
	return builtin ? builtin(e->argv.s) : exec_program(e->argv.s);
}

static void __attribute__((noreturn)) child_exit(int status)
{
	fflush(NULL);
	_exit(status);
}

/* The descriptors that redirections are going to take, kept elsewhere. */
struct saved {
	struct saved *next;
	int fd, copy; /* -1: it was not open */
};

static struct saved *save_descriptors(const struct redirect *r)
{
	struct saved *saved = NULL;

	for (; r; r = r->next) {
		struct saved *s = arena_alloc(sizeof(*s));

		s->fd = r->fd;
		s->copy = fcntl(r->fd, F_DUPFD, SAVED_FROM);
		if (s->copy >= 0)
			fcntl(s->copy, F_SETFD, FD_CLOEXEC);
		s->next = saved;
		saved = s;
	}
	return saved;
}

static void restore_descriptors(const struct saved *s)
{
	fflush(NULL);
	for (; s; s = s->next) {
		if (s->copy < 0) {
			close(s->fd);
			continue;
		}
		dup2(s->copy, s->fd);
		close(s->copy);
	}
}

/* Runs a command of the shell's own, or one that has no word, in the shell. */
static int run_here(const struct command *c, struct expanded *e, builtin_fn builtin)
{
	struct saved *saved = builtin == builtin_exec ? NULL : save_descriptors(c->redirects);
	int status = 1;

	assign(&e->assignments, false);
	if (apply_redirects(c->redirects))
		status = builtin ? builtin(e->argv.s) : 0;
	restore_descriptors(saved);
	return status;
}

/* --- Pipelines --- */

/* In the child that is a part of a pipeline between descriptors @in and @out. */
static void __attribute__((noreturn)) run_part(const struct command *c, int in, int out)
{
	struct expanded e = {0};

	if (in != STDIN_FILENO) {
		dup2(in, STDIN_FILENO);
		close(in);
	}
	if (out != STDOUT_FILENO) {
		dup2(out, STDOUT_FILENO);
		close(out);
	}
	child_exit(expand_command(c, &e) ? run_expanded(c, &e) : 1);
}

/* Makes a process of each command; those that could be made are the job. */
static void start_pipeline(struct job *job, const struct command *c, struct expanded *first)
{
	int in = STDIN_FILENO;

	for (; c; c = c->next) {
		int ends[2] = {-1, STDOUT_FILENO};
		pid_t pid;

		if (c->next && pipe(ends) < 0) {
			complain("pipe: %s", strerror(errno));
			break;
		}
		pid = job_fork(job);
		if (!pid) {
			if (ends[0] >= 0)
				close(ends[0]);
			if (first)
				child_exit(run_expanded(c, first));
			run_part(c, in, ends[1]);
		}
		if (in != STDIN_FILENO)
			close(in);
		if (ends[1] != STDOUT_FILENO)
			close(ends[1]);
		in = ends[0];
		if (pid < 0)
			break;
	}
	if (in > STDIN_FILENO)
		close(in);
}

static int run_pipeline(const struct pipeline *p, const char *text, bool background)
{
	const struct command *c = p->commands;
	struct expanded e = {0}, *expanded = NULL;
	builtin_fn builtin;
	struct job *job;
	int status;

	if (!c->next && !c->subshell && !background) {
		if (!expand_command(c, &e))
			return 1;
		builtin = e.argv.n ? find_builtin(e.argv.s[0]) : NULL;
		if (builtin || !e.argv.n) {
			status = run_here(c, &e, builtin);
			return p->negated ? !status : status;
		}
		expanded = &e;
	}
	job = job_create(text, background);
	start_pipeline(job, c, expanded);
	status = job_started(job);
	return p->negated ? !status : status;
}

/* --- Lists --- */

/* The last pipeline of the and-or list that begins with @l. */
static const struct list *and_or_last(const struct list *l)
{
	while (l->next && l->next->connector != CONNECT_ALWAYS)
		l = l->next;
	return l;
}

static void run_and_or(const struct list *l, const struct list *last)
{
	for (;; l = l->next) {
		bool run = l->connector == CONNECT_ALWAYS ||
			   (l->connector == CONNECT_AND) == (last_status == 0);

		if (run)
			last_status = run_pipeline(&l->pipeline, l->text, false);
		if (l == last || interrupted)
			break;
	}
}

static void run_background(const struct list *l, const struct list *last)
{
	struct job *job;

	if (l == last) {
		last_status = run_pipeline(&l->pipeline, l->text, true);
		return;
	}
	job = job_create(l->text, true);
	if (job_fork(job) == 0) {
		run_and_or(l, last);
		child_exit(last_status);
	}
	last_status = job_started(job);
}

void run_list(const struct list *l)
{
	while (l && !interrupted) {
		const struct list *last = and_or_last(l);

		if (last->background)
			run_background(l, last);
		else
			run_and_or(l, last);
		l = last->next;
	}
}
