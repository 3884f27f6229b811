/* SPDX-License-Identifier: MIT */
/* System calls about processes. */
#include <hotregs/cpu.h>
#include <hotregs/fs.h>
#include <hotregs/mm.h>
#include <hotregs/process.h>
#include <hotregs/string.h>
#include <hotregs/syscalls.h>

#include <arch/identify.h>
#include <arch/uaccess.h>

long sys_exit(int status)
{
	process_exit(WAIT_STATUS_EXIT(status));
	return 0;
}

long sys_fork(void)
{
	return process_fork();
}

/* What execve() was given, copied into the kernel. */
struct exec_strings {
	char path[FS_PATH_MAX];
	char *argv[EXEC_MAX_ARGS + 1], *envp[EXEC_MAX_ARGS + 1];
	size_t used;
	char bytes[EXEC_ARGS_SIZE];
};
#define EXEC_STRINGS_ORDER 2
_Static_assert(sizeof(struct exec_strings) <= PAGE_SIZE << EXEC_STRINGS_ORDER, "");

/* Copies a program's NULL-terminated array of strings; NULL counts as an empty one. */
static int copy_strings(struct exec_strings *s, char *out[], char *const __user *user)
{
	out[0] = NULL;
	for (int i = 0; user; i++) {
		char *to = s->bytes + s->used;
		char *string;
		ssize_t len;

		if (copy_from_user(&string, user + i, sizeof(string)))
			return -EFAULT;
		if (!string)
			break;
		if (i == EXEC_MAX_ARGS)
			return -E2BIG;
		if (s->used == sizeof(s->bytes))
			return -E2BIG;
		len = strncpy_from_user(to, string, sizeof(s->bytes) - s->used);
		if (len < 0)
			return len == -ENAMETOOLONG ? -E2BIG : len;
		out[i] = to;
		out[i + 1] = NULL;
		s->used += len + 1;
	}
	return 0;
}

static int copy_and_exec(struct exec_strings *s, const char __user *path, char *const __user *argv,
			 char *const __user *envp)
{
	ssize_t len = strncpy_from_user(s->path, path, sizeof(s->path));
	int err;

	if (len < 0)
		return len;
	err = copy_strings(s, s->argv, argv);
	if (!err)
		err = copy_strings(s, s->envp, envp);
	return err ? err : process_exec(s->path, s->argv, s->envp);
}

long sys_execve(const char __user *path, char *const __user *argv, char *const __user *envp)
{
	struct exec_strings *s = page_alloc(EXEC_STRINGS_ORDER);
	int err;

	if (!s)
		return -ENOMEM;
	s->used = 0;
	err = copy_and_exec(s, path, argv, envp);
	page_free(s, EXEC_STRINGS_ORDER);
	return err;
}

long sys_wait4(pid_t pid, int __user *user_status, int options, void __user *rusage)
{
	int status = 0;
	pid_t child;

	if (rusage)
		return -EINVAL;
	child = process_wait(pid, &status, options);
	if (child > 0 && user_status && copy_to_user(user_status, &status, sizeof(status)))
		return -EFAULT;
	return child;
}

long sys_getpid(void)
{
	return current->pid;
}

long sys_getppid(void)
{
	return READ_ONCE(current->process->ppid);
}

long sys_gettid(void)
{
	return current->tid;
}

const struct uapi_utsname system_name = {
    .sysname = "Hotregs",
    .nodename = "hotregs",
    .release = "0.1",
    .version = KERNEL_KIND,
    .machine = ARCH_NAME,
};

long sys_uname(struct uapi_utsname __user *name)
{
	return copy_to_user(name, &system_name, sizeof(system_name));
}
