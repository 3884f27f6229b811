/* SPDX-License-Identifier: MIT */
/* Files and descriptors. Each function is one system call with a frame of its own. */
#include "libc.h"

#include <fcntl.h>
#include <poll.h>
#include <stdarg.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

_Static_assert(O_CREAT == UAPI_O_CREAT && O_TRUNC == UAPI_O_TRUNC && O_EXCL == UAPI_O_EXCL &&
		   O_APPEND == UAPI_O_APPEND && O_NONBLOCK == UAPI_O_NONBLOCK &&
		   O_CLOEXEC == UAPI_O_CLOEXEC && O_DIRECTORY == UAPI_O_DIRECTORY &&
		   O_SYNC == UAPI_O_SYNC && O_NOCTTY == UAPI_O_NOCTTY &&
		   O_NOFOLLOW == UAPI_O_NOFOLLOW,
	       "open flags");
_Static_assert(F_DUPFD == UAPI_F_DUPFD && F_GETFD == UAPI_F_GETFD && F_SETFD == UAPI_F_SETFD &&
		   F_GETFL == UAPI_F_GETFL && F_SETFL == UAPI_F_SETFL && F_GETLK == UAPI_F_GETLK &&
		   F_SETLK == UAPI_F_SETLK && F_SETLKW == UAPI_F_SETLKW &&
		   F_RDLCK == UAPI_F_RDLCK && F_WRLCK == UAPI_F_WRLCK && F_UNLCK == UAPI_F_UNLCK,
	       "fcntl commands");
_Static_assert(S_IFREG == UAPI_S_IFREG && S_IFDIR == UAPI_S_IFDIR && S_IFCHR == UAPI_S_IFCHR &&
		   S_IFIFO == UAPI_S_IFIFO,
	       "file types");
_Static_assert(sizeof(struct pollfd) == sizeof(struct uapi_pollfd), "struct pollfd");

_READ_WRITE_RETURN_TYPE read(int fd, void *buf, size_t n)
{
	return SYSCALL(read, fd, buf, n);
}

_READ_WRITE_RETURN_TYPE write(int fd, const void *buf, size_t n)
{
	return SYSCALL(write, fd, buf, n);
}

/* Files are binary; some ports of newlib have a flag to say so, which fopen(path, "rb") sets. */
#ifndef O_BINARY
#define O_BINARY 0
#endif

int open(const char *path, int flags, ...)
{
	int mode = 0;

	if (flags & O_CREAT) {
		va_list ap;

		va_start(ap, flags);
		mode = va_arg(ap, int);
		va_end(ap);
	}
	return SYSCALL(open, path, flags & ~O_BINARY, mode);
}

int creat(const char *path, mode_t mode)
{
	return open(path, O_WRONLY | O_CREAT | O_TRUNC, mode);
}

ssize_t pread(int fd, void *buf, size_t n, off_t offset)
{
	int64_t at = offset;

	return SYSCALL6(pread, fd, buf, n, &at, 0, 0);
}

ssize_t pwrite(int fd, const void *buf, size_t n, off_t offset)
{
	int64_t at = offset;

	return SYSCALL6(pwrite, fd, buf, n, &at, 0, 0);
}

/* Nothing that was written is held back, so there is nothing to do but see that it is a file. */
int fsync(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -1;
	if (S_ISREG(st.st_mode) || S_ISDIR(st.st_mode))
		return 0;
	errno = EINVAL;
	return -1;
}

int fdatasync(int fd)
{
	return fsync(fd);
}

int close(int fd)
{
	return SYSCALL(close, fd);
}

off_t lseek(int fd, off_t offset, int whence)
{
	return SYSCALL(lseek, fd, offset, whence);
}

static struct timespec to_timespec(const struct uapi_timespec *k)
{
	return (struct timespec){.tv_sec = k->sec, .tv_nsec = k->nsec};
}

static void stat_from_kernel(struct stat *st, const struct uapi_stat *k)
{
	memset(st, 0, sizeof(*st));
	st->st_ino = k->ino;
	st->st_mode = k->mode;
	st->st_nlink = k->nlink;
	st->st_uid = k->uid;
	st->st_size = k->size;
	st->st_atim = to_timespec(&k->atime);
	st->st_mtim = to_timespec(&k->mtime);
	st->st_ctim = to_timespec(&k->ctime);
	st->st_blksize = 4096;
	st->st_blocks = k->blocks;
}

int fstat(int fd, struct stat *st)
{
	struct uapi_stat k;

	if (SYSCALL(fstat, fd, &k) < 0)
		return -1;
	stat_from_kernel(st, &k);
	return 0;
}

int stat(const char *path, struct stat *st)
{
	struct uapi_stat k;

	if (SYSCALL(stat, path, &k) < 0)
		return -1;
	stat_from_kernel(st, &k);
	return 0;
}

/* There are no symbolic links. */
int lstat(const char *path, struct stat *st)
{
	return stat(path, st);
}

int dup(int fd)
{
	return SYSCALL(dup, fd);
}

int dup2(int from, int to)
{
	return SYSCALL(dup2, from, to);
}

int pipe(int fds[2])
{
	return SYSCALL(pipe, fds);
}

/* newlib's flock has offsets of a machine word, and 16 bits for a process. */
static int lock(int fd, int cmd, struct flock *l)
{
	struct uapi_flock k = {
	    .type = l->l_type, .whence = l->l_whence, .start = l->l_start, .len = l->l_len};

	if (SYSCALL(fcntl, fd, cmd, &k) < 0)
		return -1;
	if (cmd != F_GETLK)
		return 0;
	l->l_type = k.type;
	if (k.type == F_UNLCK)
		return 0;
	l->l_whence = k.whence;
	l->l_start = k.start;
	l->l_len = k.len;
	l->l_pid = k.pid;
	return 0;
}

int fcntl(int fd, int cmd, ...)
{
	va_list ap;
	long arg;

	va_start(ap, cmd);
	arg = va_arg(ap, long);
	va_end(ap);
	if (cmd == F_GETLK || cmd == F_SETLK || cmd == F_SETLKW)
		return lock(fd, cmd, (struct flock *)arg);
	return SYSCALL(fcntl, fd, cmd, arg);
}

int ioctl(int fd, unsigned long request, ...)
{
	va_list ap;
	long arg;

	va_start(ap, request);
	arg = va_arg(ap, long);
	va_end(ap);
	return SYSCALL(ioctl, fd, request, arg);
}

int poll(struct pollfd *fds, nfds_t n, int timeout)
{
	return SYSCALL(poll, fds, n, timeout);
}
