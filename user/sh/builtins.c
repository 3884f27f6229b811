/* SPDX-License-Identifier: MIT */
/* Commands that the shell does itself, since they are about the shell. */
#include "sh.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define PATH_ROOM 256 /* bytes of a path, its NUL included: the kernel's limit */

static int do_nothing(char **argv)
{
	(void)argv;
	return 0;
}

static int change_directory(char **argv)
{
	const char *to = argv[1] ? argv[1] : variable_get("HOME");

	if (!to)
		to = "/";
	if (chdir(to) == 0)
		return 0;
	complain("cd: %s: %s", to, strerror(errno));
	return 1;
}

static int print_directory(char **argv)
{
	char path[PATH_ROOM];

	(void)argv;
	if (!getcwd(path, sizeof(path))) {
		complain("pwd: %s", strerror(errno));
		return 1;
	}
	puts(path);
	return 0;
}

static int leave(char **argv)
{
	exit(argv[1] ? atoi(argv[1]) & 0xff : last_status);
}

int builtin_exec(char **argv)
{
	return argv[1] ? exec_program(argv + 1) : 0;
}

static int export_variables(char **argv)
{
	int status = 0;

	if (!argv[1]) {
		for (char **v = environ; *v; v++)
			printf("export %s\n", *v);
		return 0;
	}
	for (argv++; *argv; argv++) {
		size_t n = strcspn(*argv, "=");
		char *name = arena_strndup(*argv, n);

		if (!is_name(name, n)) {
			complain("export: %s: not a name", *argv);
			status = 1;
			continue;
		}
		if ((*argv)[n] == '=')
			variable_set(name, *argv + n + 1);
		else if (!variable_get(name))
			variable_set(name, "");
		variable_export(name);
	}
	return status;
}

static int unset_variables(char **argv)
{
	for (argv++; *argv; argv++)
		variable_unset(*argv);
	return 0;
}

static int set_umask(char **argv)
{
	mode_t mask;
	char *end;

	if (!argv[1]) {
		mask = umask(0);
		umask(mask);
		printf("%04o\n", (unsigned)mask);
		return 0;
	}
	mask = strtoul(argv[1], &end, 8);
	if (*end || mask > 0777) {
		complain("umask: %s: not octal permission bits", argv[1]);
		return 1;
	}
	umask(mask);
	return 0;
}

static int read_script(char **argv)
{
	if (!argv[1]) {
		complain(".: which file?");
		return 2;
	}
	return run_file(argv[1]);
}

/* --- Jobs --- */

static int list_jobs(char **argv)
{
	(void)argv;
	jobs_report(true);
	return 0;
}

static struct job *named_job(char **argv)
{
	struct job *job = job_find(argv[1]);

	if (!job)
		complain("%s: %s: no such job", argv[0], argv[1] ? argv[1] : "current");
	return job;
}

static int wait_for_jobs(char **argv)
{
	struct job *job = NULL;

	if (argv[1]) {
		job = named_job(argv);
		if (!job)
			return 127;
	}
	return job_wait_for(job);
}

/* fg and bg: there is something to do for a job with a process group of its own. */
static int go_on(char **argv, bool background)
{
	struct job *job = named_job(argv);

	if (job && !job->pgid) {
		complain("%s: no job control", argv[0]);
		return 1;
	}
	return job ? job_continue(job, background) : 1;
}

static int foreground(char **argv)
{
	return go_on(argv, false);
}

static int background(char **argv)
{
	return go_on(argv, true);
}

bool name_jobs_for_kill(struct strings *argv)
{
	struct strings words = {0};

	for (size_t i = 0; i < argv->n; i++) {
		struct job *job;
		char digits[16];

		if (argv->s[i][0] != '%') {
			strings_add(&words, argv->s[i]);
			continue;
		}
		job = job_find(argv->s[i]);
		if (!job) {
			complain("kill: %s: no such job", argv->s[i]);
			return false;
		}
		if (i == 1)
			strings_add(&words, "--"); /* or the group would be a signal */
		snprintf(digits, sizeof(digits), "%d", job->pgid ? -job->pgid : job->last);
		strings_add(&words, arena_strndup(digits, strlen(digits)));
	}
	*argv = words;
	return true;
}

static const struct {
	const char *name;
	builtin_fn run;
} builtins[] = {
    {".", read_script},           {":", do_nothing},      {"bg", background},
    {"cd", change_directory},     {"exec", builtin_exec}, {"exit", leave},
    {"export", export_variables}, {"fg", foreground},     {"jobs", list_jobs},
    {"pwd", print_directory},     {"umask", set_umask},   {"unset", unset_variables},
    {"wait", wait_for_jobs},
};

builtin_fn find_builtin(const char *name)
{
	for (size_t i = 0; i < sizeof(builtins) / sizeof(*builtins); i++)
		if (!strcmp(builtins[i].name, name))
			return builtins[i].run;
	return NULL;
}
