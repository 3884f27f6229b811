/* SPDX-License-Identifier: MIT */
/* No code: proves that the kernel's error numbers are the C library's. */
#include <errno.h>

/* clang-format off */
#define ERRNOS(X)                                                                               \
	X(EPERM) X(ENOENT) X(ESRCH) X(EINTR) X(EIO) X(ENXIO) X(E2BIG) X(ENOEXEC) X(EBADF)       \
	X(ECHILD) X(EAGAIN) X(ENOMEM) X(EACCES) X(EFAULT) X(EBUSY) X(EEXIST) X(EXDEV) X(ENODEV) \
	X(ENOTDIR) X(EISDIR) X(EINVAL) X(ENFILE) X(EMFILE) X(ENOTTY) X(EFBIG) X(ENOSPC)         \
	X(ESPIPE) X(EROFS) X(EPIPE) X(ERANGE) X(ENOLCK) X(ENOSYS) X(ENOTEMPTY) X(ENAMETOOLONG) X(EOPNOTSUPP)           \
	X(ETIMEDOUT) X(EOVERFLOW)
/* clang-format on */

/* The argument beside ## stays a name, the other one becomes newlib's number. */
#define SAVE(name) newlib_##name = name,
enum { ERRNOS(SAVE) };

/*
 * Now the kernel's definitions over newlib's: an identical one is accepted in silence, a different
 * one is a warning, and warnings are errors.
 */
#undef _SYS_ERRNO_H_
#include <uapi/errno.h>

#define CHECK(name) _Static_assert(newlib_##name == name, #name);
ERRNOS(CHECK)
