/* SPDX-License-Identifier: MIT */
/*
 * System-call numbers, one dense table for every architecture. Arguments are at most six machine
 * words; the result is a value or a negative errno. 64-bit arguments are passed by pointer where a
 * 32-bit machine would have to split them.
 */
#pragma once

#define SYS_exit          0  /* (int status): ends the whole process */
#define SYS_read          1  /* (int fd, void *buf, size_t n) */
#define SYS_write         2  /* (int fd, const void *buf, size_t n) */
#define SYS_open          3  /* (const char *path, int flags, int mode) */
#define SYS_close         4  /* (int fd) */
#define SYS_lseek         5  /* (int fd, long offset, int whence) */
#define SYS_fstat         6  /* (int fd, struct uapi_stat *) */
#define SYS_stat          7  /* (const char *path, struct uapi_stat *) */
#define SYS_brk           8  /* (void *new_break): returns the break in force */
#define SYS_mmap          9  /* (void *addr, size_t len, int prot, int flags, int fd, long off) */
#define SYS_munmap        10 /* (void *addr, size_t len) */
#define SYS_fork          11 /* () */
#define SYS_execve        12 /* (const char *path, char *const argv[], char *const envp[]) */
#define SYS_wait4         13 /* (pid_t pid, int *status, int options, void *rusage = NULL) */
#define SYS_getpid        14 /* () */
#define SYS_getppid       15 /* () */
#define SYS_gettid        16 /* () */
#define SYS_kill          17 /* (pid_t pid, int sig): default actions only */
#define SYS_pipe          18 /* (int fds[2]) */
#define SYS_dup           19 /* (int fd) */
#define SYS_dup2          20 /* (int from, int to) */
#define SYS_fcntl         21 /* (int fd, int cmd, long arg) */
#define SYS_ioctl         22 /* (int fd, unsigned long cmd, unsigned long arg) */
#define SYS_poll          23 /* (struct pollfd *, unsigned n, int timeout_ms) */
#define SYS_getdents      24 /* (int fd, struct uapi_dirent *, size_t bytes) */
#define SYS_nanosleep     25 /* (const struct uapi_timespec *, struct uapi_timespec *rem) */
#define SYS_clock_gettime 26 /* (int clock, struct uapi_timespec *) */
#define SYS_times         27 /* (struct uapi_tms *): returns clock ticks since boot */
#define SYS_sched_yield   28 /* () */
#define SYS_setpriority   29 /* (pid_t tid = 0 for self, int priority 1..30) */
#define SYS_uname         30 /* (struct uapi_utsname *) */
#define SYS_perf_event_open \
	31 /* (struct perf_event_attr *, pid_t, int cpu, int group_fd, unsigned long flags) */
#define SYS_chdir   32 /* (const char *path) */
#define SYS_getcwd  33 /* (char *buf, size_t n) */
#define SYS_getuid  34 /* (): 0 is the privileged user */
#define SYS_setuid  35 /* (uid_t): any for the privileged user, else the own one alone */
#define NR_SYSCALLS 36
