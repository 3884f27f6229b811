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
#define UAPI_O_SYNC      0x2000
#define UAPI_O_NONBLOCK  0x4000
#define UAPI_O_NOCTTY    0x8000
#define UAPI_O_CLOEXEC   0x40000
#define UAPI_O_NOFOLLOW  0x100000
#define UAPI_O_DIRECTORY 0x200000

#define UAPI_F_DUPFD    0
#define UAPI_F_GETFD    1
#define UAPI_F_SETFD    2
#define UAPI_F_GETFL    3
#define UAPI_F_SETFL    4
#define UAPI_F_GETLK    7
#define UAPI_F_SETLK    8
#define UAPI_F_SETLKW   9
#define UAPI_FD_CLOEXEC 1

/* fcntl()'s record locks. */
#define UAPI_F_RDLCK 1
#define UAPI_F_WRLCK 2
#define UAPI_F_UNLCK 3
struct uapi_flock {
	int16_t type;   /* UAPI_F_*LCK */
	int16_t whence; /* what start counts from: UAPI_SEEK_* */
	int32_t pid;    /* F_GETLK: who has it */
	int64_t start;
	int64_t len; /* bytes, negative: those before start; 0: to the end, wherever that will be */
};

#define UAPI_S_IFMT  0170000
#define UAPI_S_IFIFO 0010000
#define UAPI_S_IFCHR 0020000
#define UAPI_S_IFDIR 0040000
#define UAPI_S_IFREG 0100000

#define UAPI_S_ISVTX   01000 /* a directory from which one removes only one's own */
#define UAPI_MODE_BITS 01777 /* what chmod() changes; programs do not change whose they are */

/* access() */
#define UAPI_F_OK 0
#define UAPI_X_OK 1
#define UAPI_W_OK 2
#define UAPI_R_OK 4

/* lseek(): newlib's values. */
#define UAPI_SEEK_SET 0
#define UAPI_SEEK_CUR 1
#define UAPI_SEEK_END 2

struct uapi_timespec {
	int64_t sec;
	int64_t nsec;
};

struct uapi_stat {
	uint64_t ino;
	uint32_t mode; /* UAPI_S_IF* and permission bits */
	uint32_t nlink;
	uint32_t uid;
	uint32_t reserved;                        /* 0 */
	uint64_t size;                            /* bytes */
	uint64_t blocks;                          /* of memory, in UAPI_STAT_BLOCK bytes */
	struct uapi_timespec atime, mtime, ctime; /* since 1970 */
};
#define UAPI_STAT_BLOCK 512

/* What SYS_chattr changes of a file. */
struct uapi_attributes {
	uint32_t valid; /* UAPI_ATTR_* */
	uint32_t mode;  /* UAPI_MODE_BITS */
	uint32_t uid;
	uint32_t reserved; /* 0 */
	struct uapi_timespec atime, mtime;
};
#define UAPI_ATTR_MODE  0x1
#define UAPI_ATTR_UID   0x2
#define UAPI_ATTR_TIMES 0x4 /* atime and mtime */
#define UAPI_ATTR_TOUCH 0x8 /* both become now */
#define UAPI_ATTR_ALL   0xf

/* What statfs() tells of the file tree, in pages. */
struct uapi_statfs {
	uint64_t block_size; /* bytes */
	uint64_t blocks;     /* all of memory */
	uint64_t free;       /* that files may still take */
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
