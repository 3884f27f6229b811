/* SPDX-License-Identifier: MIT */
/*
 * A small shell: sh, sh FILE [ARGUMENT...], sh -c COMMAND [NAME [ARGUMENT...]]. It knows pipes,
 * redirections, lists, background jobs, subshells, quotes, variables and patterns of file names, as
 * POSIX has them; it has no functions, no compound commands (if, while), no command substitution
 * and no arithmetic.
 */
#include "sh.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define WRONG_USAGE 2
#define NOT_FOUND   127

int last_status;
pid_t last_background;
pid_t shell_pid;
char **arguments;
volatile sig_atomic_t interrupted;

void complain(const char *fmt, ...)
{
	va_list ap;

	fflush(stdout);
	fputs("sh: ", stderr);
	va_start(ap, fmt);
	vfprintf(stderr, fmt, ap);
	va_end(ap);
	fputc('\n', stderr);
}

/* Runs @text if it is complete; false: it is not. */
static bool run_text(const char *text)
{
	struct arena_chunk *mark = arena_mark();
	struct list *list;
	enum parse_result result = parse(text, &list);

	if (result == PARSE_OK)
		run_list(list);
	else if (result == PARSE_ERROR)
		last_status = WRONG_USAGE;
	arena_release(mark);
	return result != PARSE_INCOMPLETE;
}

/* The lines that make one complete command. */
struct input {
	int fd;
	bool interactive;
	char *text;
	size_t len, room;
};

static void keep(struct input *in, const char *s, size_t n)
{
	if (in->len + n + 1 > in->room) {
		in->room = 2 * (in->len + n + 1);
		in->text = realloc(in->text, in->room);
		if (!in->text) {
			fputs("sh: out of memory\n", stderr);
			exit(WRONG_USAGE);
		}
	}
	memcpy(in->text + in->len, s, n);
	in->len += n;
	in->text[in->len] = '\0';
}

/* Ctrl-C while a command is typed: reading ends, at once if it has begun and as soon as it begins.
 */
static sigjmp_buf reading;
static volatile sig_atomic_t is_reading;

void stop_reading(void)
{
	interrupted = 1;
	if (is_reading)
		siglongjmp(reading, 1);
}

/* As read(2); -1 and EINTR when it was interrupted, also before. */
static ssize_t read_interruptible(int fd, char *buf, size_t size)
{
	volatile ssize_t n = -1;

	errno = EINTR;
	if (!sigsetjmp(reading, 1)) {
		is_reading = 1;
		if (!interrupted)
			n = read(fd, buf, size);
	}
	is_reading = 0;
	if (interrupted)
		errno = EINTR;
	return interrupted ? -1 : n;
}

/* Adds a line, and no byte more is read: what follows may be for the commands. 0: the end. */
static ssize_t read_line(struct input *in)
{
	char buf[256];
	ssize_t n, total = 0;

	do {
		/* A terminal gives no more than a line. */
		n = in->interactive ? read_interruptible(in->fd, buf, sizeof(buf))
				    : read(in->fd, buf, 1);
		if (n > 0) {
			keep(in, buf, n);
			total += n;
		}
	} while (n > 0 && buf[n - 1] != '\n');
	return n < 0 ? n : total;
}

static void prompt(const struct input *in)
{
	if (!in->interactive)
		return;
	if (!in->len)
		jobs_report(false);
	fputs(in->len ? "> " : getuid() ? "$ " : "# ", stderr);
}

static int run_input(int fd, bool interactive)
{
	struct input in = {.fd = fd, .interactive = interactive};
	ssize_t n;

	for (;;) {
		interrupted = 0;
		prompt(&in);
		n = read_line(&in);
		if (n < 0 && errno == EINTR) {
			fputc('\n', stderr);
			in.len = 0;
			continue;
		}
		if (n < 0)
			complain("reading commands: %s", strerror(errno));
		if (n <= 0)
			break;
		if (run_text(in.text))
			in.len = 0;
	}
	if (in.len) {
		complain("syntax error: the input ends too early");
		last_status = WRONG_USAGE;
	} else if (interactive) {
		fputc('\n', stderr);
	}
	free(in.text);
	return last_status;
}

int run_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), high, status;

	if (fd < 0) {
		complain("%s: %s", path, strerror(errno));
		return NOT_FOUND;
	}
	/* Out of the way of descriptors that commands name. */
	high = fcntl(fd, F_DUPFD, 10);
	if (high >= 0) {
		fcntl(high, F_SETFD, FD_CLOEXEC);
		close(fd);
		fd = high;
	}
	status = run_input(fd, false);
	close(fd);
	return status;
}

static int run_string(char **argv)
{
	if (!argv[0]) {
		complain("-c: which command?");
		return WRONG_USAGE;
	}
	if (argv[1])
		arguments = argv + 1;
	if (run_text(argv[0]))
		return last_status;
	complain("syntax error: the command ends too early");
	return WRONG_USAGE;
}

int main(int argc, char **argv)
{
	bool interactive = argc < 2 && isatty(STDIN_FILENO);

	arguments = argv;
	shell_pid = getpid();
	jobs_init(interactive);
	if (argc < 2)
		return run_input(STDIN_FILENO, interactive);
	if (!strcmp(argv[1], "-c")) {
		arguments = (char *[]){argv[0], NULL};
		return run_string(argv + 2);
	}
	if (argv[1][0] == '-') {
		fputs("usage: sh [FILE [ARGUMENT...]]\n       sh -c COMMAND [NAME [ARGUMENT...]]\n",
		      stderr);
		return WRONG_USAGE;
	}
	arguments = argv + 1;
	return run_file(argv[1]);
}
