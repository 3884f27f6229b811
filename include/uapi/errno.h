/* SPDX-License-Identifier: MIT */
/*
 * Error numbers of the system-call interface. They are newlib's, so that programs need no
 * translation; user/libc asserts at compile time that the two agree.
 */
#pragma once

#ifndef _SYS_ERRNO_H_ /* newlib's <sys/errno.h> already names them in programs */
#define EPERM        1
#define ENOENT       2
#define ESRCH        3
#define EINTR        4
#define EIO          5
#define ENXIO        6
#define E2BIG        7
#define ENOEXEC      8
#define EBADF        9
#define ECHILD       10
#define EAGAIN       11
#define ENOMEM       12
#define EACCES       13
#define EFAULT       14
#define EBUSY        16
#define EEXIST       17
#define EXDEV        18
#define ENODEV       19
#define ENOTDIR      20
#define EISDIR       21
#define EINVAL       22
#define ENFILE       23
#define EMFILE       24
#define ENOTTY       25
#define EFBIG        27
#define ENOSPC       28
#define ESPIPE       29
#define EROFS        30
#define EPIPE        32
#define ERANGE       34
#define ENOLCK       46
#define ENOSYS       88
#define ENOTEMPTY    90
#define ENAMETOOLONG 91
#define EOPNOTSUPP   95
#define ETIMEDOUT    116
#define EOVERFLOW    139
#endif
