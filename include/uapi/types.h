/* SPDX-License-Identifier: MIT */
/* Structures and constants that system calls pass, of the same layout on every architecture. */
#pragma once

#include <stdint.h>

/* open() flags and fcntl() commands: newlib's values. */
#define UAPI_O_RDONLY    0x0000
#define UAPI_O_WRONLY    0x0001
#define UAPI_O_RDWR      0x0002
#define UAPI_O_ACCMODE   0x0003
#define UAPI_O_APPEND    0x0008
#define UAPI_O_CREAT     0x0200
#define UAPI_O_TRUNC     0x0400
#define UAPI_O_EXCL      0x0800
#define UAPI_O_NONBLOCK  0x4000
#define UAPI_O_CLOEXEC   0x40000
#define UAPI_O_DIRECTORY 0x200000

#define UAPI_F_DUPFD    0
#define UAPI_F_GETFD    1
#define UAPI_F_SETFD    2
#define UAPI_F_GETFL    3
#define UAPI_F_SETFL    4
#define UAPI_FD_CLOEXEC 1

#define UAPI_S_IFMT  0170000
#define UAPI_S_IFIFO 0010000
#define UAPI_S_IFCHR 0020000
#define UAPI_S_IFDIR 0040000
#define UAPI_S_IFREG 0100000

/* lseek(): newlib's values. */
#define UAPI_SEEK_SET 0
#define UAPI_SEEK_CUR 1
#define UAPI_SEEK_END 2

struct uapi_stat {
	uint64_t ino;
	uint32_t mode; /* UAPI_S_IF* and permission bits */
	uint32_t nlink;
	uint64_t size;  /* bytes */
	uint64_t mtime; /* seconds since 1970 */
};

struct uapi_timespec {
	int64_t sec;
	int64_t nsec;
};

#define UAPI_NICE_MIN (-20)
#define UAPI_NICE_MAX 19

#define UAPI_SCHED_OTHER        0 /* newlib's numbers */
#define UAPI_SCHED_FIFO         1
#define UAPI_SCHED_RR           2
#define UAPI_SCHED_PRIORITY_MAX 15 /* of the last two; from 1 */

#define UAPI_THREAD_NAME_MAX 16 /* bytes, the NUL included */
/* setitimer() and timer_settime(). */
struct uapi_itimerspec {
	struct uapi_timespec interval, value;
};
#define UAPI_ITIMER_REAL   0
#define UAPI_TIMER_ABSTIME 4 /* newlib's number */

#define UAPI_CLOCK_REALTIME        1 /* newlib's numbers */
#define UAPI_CLOCK_PROCESS_CPUTIME 2
#define UAPI_CLOCK_THREAD_CPUTIME  3
#define UAPI_CLOCK_MONOTONIC       4

struct uapi_tms {
	uint64_t utime, stime, cutime, cstime; /* in 1/100 s */
};

struct uapi_utsname {
	char sysname[65], nodename[65], release[65], version[65], machine[65];
};

#define UAPI_UID_MAX 65534 /* newlib's uid_t has 16 bits; all of them set mean "as it is" */

struct uapi_dirent {
	uint64_t ino;
	uint16_t reclen; /* bytes of this entry, a multiple of 8 */
	uint8_t type;    /* UAPI_DT_* */
	char name[];     /* NUL-terminated */
};
#define UAPI_DT_UNKNOWN 0
#define UAPI_DT_CHR     2
#define UAPI_DT_DIR     4
#define UAPI_DT_REG     8

struct uapi_pollfd {
	int32_t fd;
	int16_t events;
	int16_t revents;
};
#define UAPI_POLLIN   0x001
#define UAPI_POLLOUT  0x004
#define UAPI_POLLERR  0x008
#define UAPI_POLLHUP  0x010
#define UAPI_POLLNVAL 0x020

#define UAPI_PROT_READ     1
#define UAPI_PROT_WRITE    2
#define UAPI_PROT_EXEC     4
#define UAPI_MAP_SHARED    0x01
#define UAPI_MAP_PRIVATE   0x02
#define UAPI_MAP_FIXED     0x10
#define UAPI_MAP_ANONYMOUS 0x20

#define UAPI_WNOHANG    1
#define UAPI_WUNTRACED  2
#define UAPI_WCONTINUED 8
