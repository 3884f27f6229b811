/* SPDX-License-Identifier: MIT */
/* The names of files, and what is said of a file beside its contents. */
#include "libc.h"

#include <stddef.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/time.h>
#include <unistd.h>

_Static_assert(S_ISVTX == UAPI_S_ISVTX && R_OK == UAPI_R_OK && W_OK == UAPI_W_OK &&
		   X_OK == UAPI_X_OK && F_OK == UAPI_F_OK,
	       "modes");

int access(const char *path, int mode)
{
	return SYSCALL(access, path, mode);
}

int unlink(const char *path)
{
	return SYSCALL(unlink, path);
}

int rmdir(const char *path)
{
	return SYSCALL(rmdir, path);
}

int mkdir(const char *path, mode_t mode)
{
	return SYSCALL(mkdir, path, mode);
}

int link(const char *from, const char *to)
{
	return SYSCALL(link, from, to);
}

int rename(const char *from, const char *to)
{
	return SYSCALL(rename, from, to);
}

int remove(const char *path)
{
	int ret = unlink(path);

	return ret && errno == EISDIR ? rmdir(path) : ret;
}

/* There are no symbolic links: none can be made, and nothing is one. */
int symlink(const char *to, const char *path)
{
	(void)to, (void)path;
	errno = EPERM;
	return -1;
}

ssize_t readlink(const char *restrict path, char *restrict buf, size_t size)
{
	(void)buf, (void)size;
	if (access(path, F_OK) == 0)
		errno = EINVAL;
	return -1;
}

mode_t umask(mode_t mask)
{
	return SYSCALL(umask, mask);
}

int chdir(const char *path)
{
	return SYSCALL(chdir, path);
}

char *getcwd(char *buf, size_t size)
{
	return SYSCALL(getcwd, buf, size) < 0 ? NULL : buf;
}

/* The kernel's chattr takes the descriptor where there is no path. */
static int bad_path(void)
{
	errno = EFAULT;
	return -1;
}

int chmod(const char *path, mode_t mode)
{
	const struct uapi_attributes a = {.valid = UAPI_ATTR_MODE, .mode = mode};

	return path ? SYSCALL(chattr, -1, path, &a) : bad_path();
}

int fchmod(int fd, mode_t mode)
{
	const struct uapi_attributes a = {.valid = UAPI_ATTR_MODE, .mode = mode};

	return SYSCALL(chattr, fd, NULL, &a);
}

/* The one group is 0; -1 leaves a number as it is. False, with errno, for another group. */
static int owner_attributes(struct uapi_attributes *a, uid_t uid, gid_t gid)
{
	*a = (struct uapi_attributes){.valid = uid == (uid_t)-1 ? 0 : UAPI_ATTR_UID, .uid = uid};
	if (gid == 0 || gid == (gid_t)-1)
		return 1;
	errno = EINVAL;
	return 0;
}

int chown(const char *path, uid_t uid, gid_t gid)
{
	struct uapi_attributes a;

	if (!path)
		return bad_path();
	return owner_attributes(&a, uid, gid) ? SYSCALL(chattr, -1, path, &a) : -1;
}

int lchown(const char *path, uid_t uid, gid_t gid)
{
	return chown(path, uid, gid);
}

int fchown(int fd, uid_t uid, gid_t gid)
{
	struct uapi_attributes a;

	return owner_attributes(&a, uid, gid) ? SYSCALL(chattr, fd, NULL, &a) : -1;
}

static struct uapi_timespec from_timeval(const struct timeval *tv)
{
	return (struct uapi_timespec){.sec = tv->tv_sec, .nsec = tv->tv_usec * 1000LL};
}

static struct uapi_attributes time_attributes(const struct timeval *times)
{
	struct uapi_attributes a = {.valid = UAPI_ATTR_TOUCH};

	if (times) {
		a.valid = UAPI_ATTR_TIMES;
		a.atime = from_timeval(&times[0]);
		a.mtime = from_timeval(&times[1]);
	}
	return a;
}

/* newlib's versions declare the second parameter in different ways. */
#pragma GCC diagnostic ignored "-Warray-parameter"
int utimes(const char *path, const struct timeval *times)
{
	struct uapi_attributes a = time_attributes(times);

	return path ? SYSCALL(chattr, -1, path, &a) : bad_path();
}

int futimes(int fd, const struct timeval *times)
{
	struct uapi_attributes a = time_attributes(times);

	return SYSCALL(chattr, fd, NULL, &a);
}

int truncate(const char *path, off_t length)
{
	int64_t size = length;

	return path ? SYSCALL(truncate, -1, path, &size) : bad_path();
}

int ftruncate(int fd, off_t length)
{
	int64_t size = length;

	return SYSCALL(truncate, fd, NULL, &size);
}

/* There is one file tree to ask about. */
int statvfs(const char *path, struct statvfs *st)
{
	struct uapi_statfs k;

	if (access(path, F_OK) < 0 || SYSCALL(statfs, &k) < 0)
		return -1;
	*st = (struct statvfs){
	    .f_bsize = k.block_size,
	    .f_frsize = k.block_size,
	    .f_blocks = k.blocks,
	    .f_bfree = k.free,
	    .f_bavail = k.free,
	    .f_namemax = 254,
	};
	return 0;
}
