/* SPDX-License-Identifier: MIT */
/* Sends a signal: kill [-SIGNAL] PID..., a negative number being a process group; kill -l. */
#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const struct {
	const char *name;
	int number;
} signals[] = {
    {"HUP", SIGHUP},   {"INT", SIGINT},   {"QUIT", SIGQUIT},   {"ILL", SIGILL},   {"TRAP", SIGTRAP},
    {"ABRT", SIGABRT}, {"FPE", SIGFPE},   {"KILL", SIGKILL},   {"BUS", SIGBUS},   {"SEGV", SIGSEGV},
    {"SYS", SIGSYS},   {"PIPE", SIGPIPE}, {"ALRM", SIGALRM},   {"TERM", SIGTERM}, {"URG", SIGURG},
    {"STOP", SIGSTOP}, {"TSTP", SIGTSTP}, {"CONT", SIGCONT},   {"CHLD", SIGCHLD}, {"TTIN", SIGTTIN},
    {"TTOU", SIGTTOU}, {"IO", SIGIO},     {"WINCH", SIGWINCH}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2},
};
#define NR_SIGNALS (sizeof(signals) / sizeof(*signals))

static int usage(void)
{
	fputs("usage: kill [-SIGNAL] PID...   SIGNAL: a name or a number, else TERM\n"
	      "       kill -l                 lists the signals\n",
	      stderr);
	return 2;
}

static int list(void)
{
	for (size_t i = 0; i < NR_SIGNALS; i++)
		printf("%2d %s\n", signals[i].number, signals[i].name);
	return 0;
}

/* The signal that is called @name, "SIG" before it or not; -1: none is. */
static int signal_number(const char *name)
{
	char *end;
	long number = strtol(name, &end, 10);

	if (isdigit((unsigned char)*name))
		return *end || number >= NSIG ? -1 : (int)number;
	if (!strncasecmp(name, "SIG", 3))
		name += 3;
	for (size_t i = 0; i < NR_SIGNALS; i++)
		if (!strcasecmp(signals[i].name, name))
			return signals[i].number;
	return -1;
}

static int send_signal(const char *target, int signal)
{
	char *end;
	long pid;

	errno = 0;
	pid = strtol(target, &end, 10);
	if (end == target || *end || errno || pid != (pid_t)pid) {
		fprintf(stderr, "kill: %s: not a process number\n", target);
		return 1;
	}
	if (kill(pid, signal) == 0)
		return 0;
	fprintf(stderr, "kill: %s: %s\n", target, strerror(errno));
	return 1;
}

int main(int argc, char **argv)
{
	int signal = SIGTERM, first = 1, failed = 0;

	if (argc == 2 && !strcmp(argv[1], "-l"))
		return list();
	if (argc > 1 && argv[1][0] == '-' && strcmp(argv[1], "--")) {
		signal = signal_number(argv[1] + 1);
		if (signal < 0) {
			fprintf(stderr, "kill: %s: no such signal\n", argv[1] + 1);
			return usage();
		}
		first++;
	}
	if (first < argc && !strcmp(argv[first], "--"))
		first++;
	if (first >= argc)
		return usage();
	for (int i = first; i < argc; i++)
		failed |= send_signal(argv[i], signal);
	return failed;
}
