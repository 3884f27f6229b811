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
		   O_CLOEXEC == UAPI_O_CLOEXEC && O_DIRECTORY == UAPI_O_DIRECTORY,
	       "open flags");
_Static_assert(F_DUPFD == UAPI_F_DUPFD && F_GETFD == UAPI_F_GETFD && F_SETFD == UAPI_F_SETFD &&
		   F_GETFL == UAPI_F_GETFL && F_SETFL == UAPI_F_SETFL,
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

int open(const char *path, int flags, ...)
{
	int mode = 0;

	if (flags & O_CREAT) {
		va_list ap;

		va_start(ap, flags);
		mode = va_arg(ap, int);
		va_end(ap);
	}
	return SYSCALL(open, path, flags, mode);
}

int close(int fd)
{
	return SYSCALL(close, fd);
}

off_t lseek(int fd, off_t offset, int whence)
{
	return SYSCALL(lseek, fd, offset, whence);
}

static void stat_from_kernel(struct stat *st, const struct uapi_stat *k)
{
	memset(st, 0, sizeof(*st));
	st->st_ino = k->ino;
	st->st_mode = k->mode;
	st->st_nlink = k->nlink;
	st->st_size = k->size;
	st->st_mtime = st->st_atime = st->st_ctime = k->mtime;
	st->st_blksize = 4096;
	st->st_blocks = (k->size + 511) / 512;
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

int access(const char *path, int mode)
{
	struct stat st;

	if (stat(path, &st) < 0)
		return -1;
	if (((mode & W_OK) && !(st.st_mode & 0222)) || ((mode & X_OK) && !(st.st_mode & 0111))) {
		errno = EACCES;
		return -1;
	}
	return 0;
}

/* The console is the one character device that people read and write text on. */
int isatty(int fd)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return 0;
	if (S_ISCHR(st.st_mode))
		return 1;
	errno = ENOTTY;
	return 0;
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

int fcntl(int fd, int cmd, ...)
{
	va_list ap;
	long arg;

	va_start(ap, cmd);
	arg = va_arg(ap, long);
	va_end(ap);
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

int chdir(const char *path)
{
	return SYSCALL(chdir, path);
}

char *getcwd(char *buf, size_t size)
{
	return SYSCALL(getcwd, buf, size) < 0 ? NULL : buf;
}

/* The file system is the boot archive: nothing in it can be made, renamed or removed. */
static int read_only(void)
{
	errno = EROFS;
	return -1;
}

int unlink(const char *path)
{
	(void)path;
	return read_only();
}

int link(const char *from, const char *to)
{
	(void)from, (void)to;
	return read_only();
}

int mkdir(const char *path, mode_t mode)
{
	(void)path, (void)mode;
	return read_only();
}
