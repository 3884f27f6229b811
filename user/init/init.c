/* SPDX-License-Identifier: MIT */
/*
 * Process 1. Its arguments are one command line: words, with "|" between commands whose output and
 * input are joined. It runs them, reaps whatever ends, and when the last command has ended, ends
 * the machine with that command's exit status.
 *
 * Quotes are gone when the words get here. A word that begins with a backslash is therefore an
 * ordinary one, whatever follows: that backslash is taken off. tools/qemu-run puts it before quoted
 * words that would otherwise be taken for operators.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define MAX_COMMANDS  16
#define NOT_FOUND     127
#define NOT_RUNNABLE  126
#define SIGNAL_STATUS 128 /* plus the signal's number, as shells have it */
#define OPERATORS     "|;<>&"

struct command {
	char **argv; /* ends in NULL */
	pid_t pid;   /* 0 once it was reaped */
	int status;  /* exit status as a shell would tell it */
};

static const char help[] =
    "Hotregs is running, and was given nothing to do. What follows \" -- \" in the kernel command\n"
    "line is a command to run; on the host: make run CMD=\"...\". For example:\n"
    "  ls /bin                                                  the programs there are\n"
    "  perf record -a -e context-switches -c 1 -g -- demo       where do tasks sleep?\n"
    "  perf record -e cpu-clock -F 997 -g -o - -- spin | perf script\n"
    "  perf stat -- pingpong 1000\n"
    "  sh                                                       a shell: make shell on the host\n"
    "Commands may be joined by \"|\"; what else a shell does, sh -c '...' does.\n";

/* The console becomes standard input, output and error. */
static void open_console(void)
{
	int fd = open("/dev/console", O_RDWR);

	if (fd < 0)
		_exit(NOT_RUNNABLE);
	for (int to = 0; to < 3; to++)
		if (fd != to)
			dup2(fd, to);
	if (fd > 2)
		close(fd);
}

/* A shell would act upon it, were it not quoted. */
static bool is_operator(const char *word)
{
	return *word && (strchr(OPERATORS, word[0]) || strchr(OPERATORS, word[strlen(word) - 1]));
}

/* Is @*word a "|"? Another operator: -1 with a message. The mark of an ordinary word is taken off.
 */
static int is_pipe(char **word)
{
	if (**word == '\\') {
		(*word)++;
		return 0;
	}
	if (!strcmp(*word, "|"))
		return 1;
	if (!is_operator(*word))
		return 0;
	fprintf(stderr, "init: \"%s\" needs a shell, and this is none: sh -c '...' is one\n",
		*word);
	return -1;
}

/* Cuts @words at each "|"; returns the number of commands, or -1 with a message. */
static int split_commands(char **words, struct command *commands)
{
	int n = 0;

	commands[n].argv = words;
	for (; *words; words++) {
		int pipe = is_pipe(words);

		if (pipe < 0)
			return -1;
		if (!pipe)
			continue;
		*words = NULL;
		if (++n == MAX_COMMANDS) {
			fprintf(stderr, "init: more than %d commands in a pipeline\n",
				MAX_COMMANDS);
			return -1;
		}
		commands[n].argv = words + 1;
	}
	for (int i = 0; i <= n; i++) {
		if (!commands[i].argv[0]) {
			fprintf(stderr, "init: a command is missing beside \"|\"\n");
			return -1;
		}
	}
	return n + 1;
}

static void run(struct command *command, int in, int out, pid_t group)
{
	const char *name = command->argv[0];

	setpgid(0, group);
	tcsetpgrp(STDIN_FILENO, getpgrp());
	signal(SIGTTOU, SIG_DFL);
	if (in != STDIN_FILENO)
		dup2(in, STDIN_FILENO);
	if (out != STDOUT_FILENO)
		dup2(out, STDOUT_FILENO);
	for (int fd = 3; fd < sysconf(_SC_OPEN_MAX); fd++)
		close(fd);
	execvp(name, command->argv);
	if (errno == ENOENT) {
		fprintf(stderr, "init: %s: no such program in /bin\n", name);
		_exit(NOT_FOUND);
	}
	fprintf(stderr, "init: %s: %s\n", name, strerror(errno));
	_exit(NOT_RUNNABLE);
}

/* Starts all commands of the pipeline, a process group that has the terminal; -1 with a message. */
static int start(struct command *commands, int n)
{
	int in = STDIN_FILENO;

	signal(SIGTTOU, SIG_IGN); /* or who is not in the foreground could put nobody there */

	for (int i = 0; i < n; i++) {
		int ends[2] = {-1, STDOUT_FILENO};

		if (i < n - 1 && pipe(ends) < 0) {
			perror("init: pipe");
			return -1;
		}
		commands[i].pid = fork();
		if (commands[i].pid < 0) {
			perror("init: fork");
			return -1;
		}
		if (commands[i].pid == 0)
			run(&commands[i], in, ends[1], commands[0].pid);
		setpgid(commands[i].pid, commands[0].pid); /* the child does, too */
		if (in != STDIN_FILENO)
			close(in);
		if (ends[1] != STDOUT_FILENO)
			close(ends[1]);
		in = ends[0];
	}
	return 0;
}

static int exit_status(const char *name, int status)
{
	if (!WIFSIGNALED(status))
		return WEXITSTATUS(status);
	fprintf(stderr, "init: %s: ended by signal %d\n", name, WTERMSIG(status));
	return SIGNAL_STATUS + WTERMSIG(status);
}

/* Waits until every command has ended; what others leave behind is reaped on the way. */
static void reap(struct command *commands, int n)
{
	for (int running = n; running > 0;) {
		int status;
		pid_t pid = waitpid(-1, &status, WUNTRACED);

		if (pid < 0)
			return;
		if (WIFSTOPPED(status)) {
			kill(pid, SIGCONT); /* nobody else would */
			continue;
		}
		for (int i = 0; i < n; i++) {
			if (commands[i].pid != pid)
				continue;
			commands[i].pid = 0;
			commands[i].status = exit_status(commands[i].argv[0], status);
			running--;
		}
	}
}

int main(int argc, char **argv)
{
	struct command commands[MAX_COMMANDS] = {0};
	int n;

	open_console();
	if (argc < 2) {
		fputs(help, stdout);
		return 0;
	}
	n = split_commands(argv + 1, commands);
	if (n < 0 || start(commands, n) < 0)
		return NOT_RUNNABLE;
	reap(commands, n);
	return commands[n - 1].status;
}
