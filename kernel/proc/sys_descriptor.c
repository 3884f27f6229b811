/* SPDX-License-Identifier: MIT */
/* System calls on descriptors: making, copying, flagging and polling them. */
#include <hotregs/fs.h>
#include <hotregs/mm.h>
#include <hotregs/syscalls.h>

#include <arch/uaccess.h>

/* Flags that fcntl() may change; the others it ignores, as POSIX says. */
#define FLAGS_SETTABLE (UAPI_O_APPEND | UAPI_O_NONBLOCK)

/* Descriptors for both ends; none is left, nor either end, when it fails. */
static int install_ends(struct file *ends[2], int fds[2])
{
	fds[0] = fd_install(ends[0], 0, false);
	if (fds[0] < 0) {
		file_put(ends[0]);
		file_put(ends[1]);
		return fds[0];
	}
	fds[1] = fd_install(ends[1], 0, false);
	if (fds[1] < 0) {
		fd_close(fds[0]);
		file_put(ends[1]);
		return fds[1];
	}
	return 0;
}

long sys_pipe(int __user *user_fds)
{
	struct file *ends[2];
	int fds[2];
	int err = pipe_create(ends);

	if (err)
		return err;
	err = install_ends(ends, fds);
	if (err)
		return err;
	err = copy_to_user(user_fds, fds, sizeof(fds));
	if (err) {
		fd_close(fds[0]);
		fd_close(fds[1]);
	}
	return err;
}

static long dup_from(int fd, long from, bool cloexec)
{
	struct file *f = fd_get(fd);
	int new_fd;

	if (IS_ERR(f))
		return PTR_ERR(f);
	new_fd = from < 0 || from >= MAX_FILES ? -EINVAL : fd_install(f, from, cloexec);
	if (new_fd < 0)
		file_put(f);
	return new_fd;
}

long sys_dup(int fd)
{
	return dup_from(fd, 0, false);
}

long sys_dup2(int from, int to)
{
	return fd_dup2(from, to);
}

static long lock_command(int fd, int cmd, struct uapi_flock __user *user_lock)
{
	struct uapi_flock lock;
	long ret;

	if (copy_from_user(&lock, user_lock, sizeof(lock)))
		return -EFAULT;
	if (lock.type != UAPI_F_RDLCK && lock.type != UAPI_F_WRLCK &&
	    (lock.type != UAPI_F_UNLCK || cmd == UAPI_F_GETLK))
		return -EINVAL;
	ret = fd_lock(fd, cmd, &lock);
	return ret || cmd != UAPI_F_GETLK ? ret : copy_to_user(user_lock, &lock, sizeof(lock));
}

/* Others may set the same file's at once: those of one of them hold. */
static void set_flags(struct file *f, u32 settable)
{
	u32 old = READ_ONCE(f->flags);

	while (!__atomic_compare_exchange_n(&f->flags, &old, (old & ~FLAGS_SETTABLE) | settable,
					    false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
		;
}

long sys_fcntl(int fd, int cmd, long arg)
{
	struct file *f = fd_get(fd);
	long ret = 0;

	if (IS_ERR(f))
		return PTR_ERR(f);
	switch (cmd) {
	case UAPI_F_DUPFD:
		ret = dup_from(fd, arg, false);
		break;
	case UAPI_F_GETFD:
		ret = fd_cloexec(fd) ? UAPI_FD_CLOEXEC : 0;
		break;
	case UAPI_F_SETFD:
		if (arg & ~UAPI_FD_CLOEXEC)
			ret = -EINVAL;
		else
			fd_set_cloexec(fd, arg);
		break;
	case UAPI_F_GETFL:
		ret = f->flags;
		break;
	case UAPI_F_SETFL:
		set_flags(f, arg & FLAGS_SETTABLE);
		break;
	case UAPI_F_GETLK:
	case UAPI_F_SETLK:
	case UAPI_F_SETLKW:
		ret = lock_command(fd, cmd, (struct uapi_flock __user *)arg);
		break;
	default:
		ret = -EINVAL;
	}
	file_put(f);
	return ret;
}

long sys_poll(struct uapi_pollfd __user *user_fds, unsigned n, int timeout_ms)
{
	struct uapi_pollfd fds[MAX_FILES];
	s64 timeout_ns = timeout_ms < 0 ? -1 : timeout_ms * 1000000LL;
	long ready;

	if (n > MAX_FILES)
		return -EINVAL;
	if (n && copy_from_user(fds, user_fds, n * sizeof(*fds)))
		return -EFAULT;
	ready = poll_files(fds, n, timeout_ns);
	if (ready >= 0 && n && copy_to_user(user_fds, fds, n * sizeof(*fds)))
		return -EFAULT;
	return ready;
}
