/* SPDX-License-Identifier: MIT */
/*
 * What error numbers are called: as other systems call them, which newlib does not ("Not owner").
 * These stand in for newlib's, so perror() and strerror_r() use them too.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

static const char *const texts[] = {
    [0] = "Success",
    [EPERM] = "Operation not permitted",
    [ENOENT] = "No such file or directory",
    [ESRCH] = "No such process",
    [EINTR] = "Interrupted system call",
    [EIO] = "Input/output error",
    [ENXIO] = "No such device or address",
    [E2BIG] = "Argument list too long",
    [ENOEXEC] = "Exec format error",
    [EBADF] = "Bad file descriptor",
    [ECHILD] = "No child processes",
    [EAGAIN] = "Resource temporarily unavailable",
    [ENOMEM] = "Cannot allocate memory",
    [EACCES] = "Permission denied",
    [EFAULT] = "Bad address",
    [EBUSY] = "Device or resource busy",
    [EEXIST] = "File exists",
    [EXDEV] = "Invalid cross-device link",
    [ENODEV] = "No such device",
    [ENOTDIR] = "Not a directory",
    [EISDIR] = "Is a directory",
    [EINVAL] = "Invalid argument",
    [ENFILE] = "Too many open files in system",
    [EMFILE] = "Too many open files",
    [ENOTTY] = "Inappropriate ioctl for device",
    [EFBIG] = "File too large",
    [ENOSPC] = "No space left on device",
    [ESPIPE] = "Illegal seek",
    [EROFS] = "Read-only file system",
    [EMLINK] = "Too many links",
    [EPIPE] = "Broken pipe",
    [EDOM] = "Numerical argument out of domain",
    [ERANGE] = "Numerical result out of range",
    [EDEADLK] = "Resource deadlock avoided",
    [ENOLCK] = "No locks available",
    [ENOSYS] = "Function not implemented",
    [ENOTEMPTY] = "Directory not empty",
    [ENAMETOOLONG] = "File name too long",
    [ELOOP] = "Too many levels of symbolic links",
    [EOPNOTSUPP] = "Operation not supported",
    [ETIMEDOUT] = "Connection timed out",
    [ENOTSUP] = "Not supported",
    [EILSEQ] = "Invalid or incomplete multibyte or wide character",
    [EOVERFLOW] = "Value too large for defined data type",
    [ECANCELED] = "Operation canceled",
    [EOWNERDEAD] = "Owner died",
};

/* What newlib's own functions call; @error is given what strerror() sets errno to, if it does. */
char *_strerror_r(struct _reent *reent, int number, int internal, int *error)
{
	static char unknown[32];

	(void)reent;
	if (number >= 0 && number < (int)(sizeof(texts) / sizeof(texts[0])) && texts[number])
		return (char *)texts[number];
	if (!internal)
		*(error ? error : &errno) = EINVAL;
	snprintf(unknown, sizeof(unknown), "Unknown error %d", number);
	return unknown;
}

char *strerror(int number)
{
	return _strerror_r(_REENT, number, 0, NULL);
}

char *strerror_l(int number, locale_t locale)
{
	(void)locale;
	return strerror(number);
}
