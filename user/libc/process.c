/* SPDX-License-Identifier: MIT */
/* Processes: replacing, ending and awaiting them. */
#include "libc.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

_Static_assert(WNOHANG == UAPI_WNOHANG && WUNTRACED == UAPI_WUNTRACED &&
		   WCONTINUED == UAPI_WCONTINUED,
	       "wait options");

#define EXEC_MAX_ARGS 64 /* the kernel's limit */

pid_t getpid(void)
{
	return SYSCALL(getpid);
}

pid_t getppid(void)
{
	return SYSCALL(getppid);
}

pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
	return SYSCALL6(wait4, pid, status, options, usage, 0, 0);
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	return wait4(pid, status, options, NULL);
}

pid_t wait(int *status)
{
	return wait4(-1, status, 0, NULL);
}

int execve(const char *path, char *const argv[], char *const envp[])
{
	return SYSCALL(execve, path, argv, envp);
}

int execv(const char *path, char *const argv[])
{
	return execve(path, argv, environ);
}

/* Tries each directory of PATH; a file found but refused tells more than the ones not found. */
int execvp(const char *file, char *const argv[])
{
	const char *dirs = getenv("PATH");
	int error = ENOENT;
	char path[256];

	if (strchr(file, '/'))
		return execv(file, argv);
	if (!dirs)
		dirs = "/bin";
	for (size_t n; *dirs; dirs += n + (dirs[n] == ':')) {
		n = strcspn(dirs, ":");
		if (n + strlen(file) + 2 > sizeof(path))
			continue;
		memcpy(path, dirs, n);
		path[n] = '/';
		strcpy(path + n + 1, file);
		execv(path, argv);
		if (errno != ENOENT && errno != ENOTDIR)
			error = errno;
	}
	errno = error;
	return -1;
}

/* Collects the arguments of execl*(), which end in a null pointer. */
static int collect_args(char **argv, const char *first, va_list ap)
{
	int n = 0;

	for (const char *arg = first; arg; arg = va_arg(ap, const char *)) {
		if (n == EXEC_MAX_ARGS) {
			errno = E2BIG;
			return -1;
		}
		argv[n++] = (char *)arg;
	}
	argv[n] = NULL;
	return 0;
}

int execl(const char *path, const char *arg, ...)
{
	char *argv[EXEC_MAX_ARGS + 1];
	va_list ap;
	int ret;

	va_start(ap, arg);
	ret = collect_args(argv, arg, ap);
	va_end(ap);
	return ret ? ret : execv(path, argv);
}

int execlp(const char *file, const char *arg, ...)
{
	char *argv[EXEC_MAX_ARGS + 1];
	va_list ap;
	int ret;

	va_start(ap, arg);
	ret = collect_args(argv, arg, ap);
	va_end(ap);
	return ret ? ret : execvp(file, argv);
}
