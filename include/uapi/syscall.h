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
#define SYS_kill          17 /* (pid_t pid, int sig) */
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
#define SYS_setpriority   29 /* (pid_t tid = 0 for self, int nice -20..19) */
#define SYS_uname         30 /* (struct uapi_utsname *) */
#define SYS_perf_event_open \
	31 /* (struct perf_event_attr *, pid_t, int cpu, int group_fd, unsigned long flags) */
#define SYS_chdir  32 /* (const char *path) */
#define SYS_getcwd 33 /* (char *buf, size_t n) */
#define SYS_getuid 34 /* (): 0 is the privileged user */
#define SYS_setuid 35 /* (uid_t): any for the privileged user, else the own one alone */

/* (uintptr_t entry, arg, stack, tls, uint32_t *tid): a thread that calls entry(arg) on the stack
 * that ends at stack; its number is the result and in *tid, which becomes 0 and a futex is woken
 * when it ends */
#define SYS_thread_create         36
#define SYS_thread_exit           37 /* (int status): the last thread ends the process with it */
#define SYS_thread_set_tls        38 /* (uintptr_t): the register that thread-local data go by */
#define SYS_thread_set_clear_tid  39 /* (uint32_t *tid): as of thread_create; returns the number */
#define SYS_thread_setname        40 /* (pid_t tid, const char *name): of the caller's process */
#define SYS_thread_getname        41 /* (pid_t tid, char *name, size_t n): returns the length */
/* (uint32_t *, int op, uint32_t value, const struct uapi_timespec *, NULL, uint32_t bits): see
 * uapi/futex.h */
#define SYS_futex                 42
#define SYS_getpriority           43 /* (pid_t tid = 0 for self): returns 20 - nice */
#define SYS_sched_setscheduler    44 /* (pid_t tid, int policy, -1: as it is, int priority) */
#define SYS_sched_getscheduler    45 /* (pid_t tid) */
#define SYS_sched_getparam        46 /* (pid_t tid): returns the priority, 0 of SCHED_OTHER */
#define SYS_sched_rr_get_interval 47 /* (pid_t tid, struct uapi_timespec *) */
#define SYS_sched_setaffinity     48 /* (pid_t tid, size_t bytes, const unsigned long mask[]) */
#define SYS_sched_getaffinity     49 /* (pid_t tid, size_t bytes, unsigned long mask[]): bytes */

#define SYS_sigaction                                                                              \
	50                 /* (int sig, const struct uapi_sigaction *, struct uapi_sigaction *old) \
			    */
#define SYS_sigprocmask 51 /* (int how, const uapi_sigset_t *, uapi_sigset_t *old) */
#define SYS_sigpending  52 /* (uapi_sigset_t *) */
#define SYS_sigsuspend  53 /* (const uapi_sigset_t *) */
#define SYS_sigtimedwait \
	54 /* (const uapi_sigset_t *, struct uapi_siginfo *, const struct uapi_timespec *) */
#define SYS_sigaltstack 55 /* (const struct uapi_sigaltstack *, struct uapi_sigaltstack *old) */
#define SYS_sigreturn   56 /* (): SP is at the frame; from a handler's restorer */
#define SYS_tgkill      57 /* (pid_t pid, pid_t tid, int sig) */
#define SYS_sigqueue    58 /* (pid_t pid, int sig, long value) */
#define SYS_setpgid     59 /* (pid_t pid = 0 for self, pid_t pgid = 0 for that pid) */
#define SYS_getpgid     60 /* (pid_t pid = 0 for self) */
#define SYS_setsid      61 /* () */
#define SYS_getsid      62 /* (pid_t pid = 0 for self) */
#define SYS_clock_nanosleep \
	63 /* (int clock, int flags, const struct uapi_timespec *, struct uapi_timespec *rem) */
#define SYS_clock_getres  64 /* (int clock, struct uapi_timespec *) */
#define SYS_clock_settime 65 /* (int clock, const struct uapi_timespec *) */
#define SYS_setitimer \
	66 /* (int which, const struct uapi_itimerspec *, struct uapi_itimerspec *old) */
#define SYS_getitimer    67 /* (int which, struct uapi_itimerspec *) */
#define SYS_timer_create 68 /* (int clock, const struct uapi_sigevent *): returns its number */
#define SYS_timer_settime \
	69 /* (int timer, int flags, const struct uapi_itimerspec *, struct uapi_itimerspec *) */
#define SYS_timer_gettime    70 /* (int timer, struct uapi_itimerspec *) */
#define SYS_timer_getoverrun 71 /* (int timer) */
#define SYS_timer_delete     72 /* (int timer) */
#define SYS_mkdir            73 /* (const char *path, int mode) */
#define SYS_rmdir            74 /* (const char *path) */
#define SYS_unlink           75 /* (const char *path) */
#define SYS_link             76 /* (const char *from, const char *to) */
#define SYS_rename           77 /* (const char *from, const char *to) */
#define SYS_access           78 /* (const char *path, int mode) */
#define SYS_umask            79 /* (int mask): returns the one before */
#define SYS_pread            80 /* (int fd, void *buf, size_t n, const int64_t *offset) */
#define SYS_pwrite           81 /* (int fd, const void *buf, size_t n, const int64_t *offset) */
#define SYS_truncate         82 /* (int fd, const char *path = NULL for fd, const int64_t *size) */
#define SYS_chattr           83 /* (int fd, const char *path = NULL for fd, struct uapi_attributes *) */
#define SYS_statfs           84 /* (struct uapi_statfs *): of the file tree */
#define SYS_getcpu           85 /* (): returns the number of the processor that it runs on */
#define NR_SYSCALLS          86
