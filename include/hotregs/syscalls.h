/* SPDX-License-Identifier: MIT */
/*
 * The system calls' functions, as the table in kernel/proc/syscall.c calls them: see
 * uapi/syscall.h for what they do. Each returns a value or a negative errno, and may sleep. Private
 * to kernel/proc.
 */
#pragma once

#include <hotregs/types.h>
#include <uapi/signal.h>
#include <uapi/types.h>

struct perf_event_attr;

/* sys_file.c */
long sys_read(int fd, void __user *buf, size_t n);
long sys_write(int fd, const void __user *buf, size_t n);
long sys_open(const char __user *path, int flags, int mode);
long sys_close(int fd);
long sys_lseek(int fd, long offset, int whence);
long sys_fstat(int fd, struct uapi_stat __user *st);
long sys_stat(const char __user *path, struct uapi_stat __user *st);
long sys_ioctl(int fd, unsigned long cmd, unsigned long arg);
long sys_getdents(int fd, void __user *buf, size_t n);
long sys_getcwd(char __user *buf, size_t n);
long sys_pread(int fd, void __user *buf, size_t n, const s64 __user *offset);
long sys_pwrite(int fd, const void __user *buf, size_t n, const s64 __user *offset);

/* sys_path.c */
long sys_chdir(const char __user *path);
long sys_mkdir(const char __user *path, int mode);
long sys_rmdir(const char __user *path);
long sys_unlink(const char __user *path);
long sys_link(const char __user *from, const char __user *to);
long sys_rename(const char __user *from, const char __user *to);
long sys_access(const char __user *path, int mode);
long sys_umask(int mask);
long sys_truncate(int fd, const char __user *path, const s64 __user *size);
long sys_chattr(int fd, const char __user *path, const struct uapi_attributes __user *a);
long sys_statfs(struct uapi_statfs __user *st);

/* sys_descriptor.c */
long sys_pipe(int __user *fds);
long sys_dup(int fd);
long sys_dup2(int from, int to);
long sys_fcntl(int fd, int cmd, long arg);
long sys_poll(struct uapi_pollfd __user *fds, unsigned n, int timeout_ms);

/* sys_mm.c */
long sys_brk(unsigned long new_break);
long sys_mmap(unsigned long addr, size_t len, int prot, int flags, int fd, long offset);
long sys_munmap(unsigned long addr, size_t len);

/* sys_process.c */
long sys_exit(int status);
long sys_fork(void);
long sys_execve(const char __user *path, char *const __user *argv, char *const __user *envp);
long sys_wait4(pid_t pid, int __user *status, int options, void __user *rusage);
long sys_getpid(void);
long sys_getppid(void);
long sys_gettid(void);
long sys_uname(struct uapi_utsname __user *name);

/* thread.c */
long sys_thread_create(unsigned long entry, unsigned long arg, unsigned long stack,
		       unsigned long tls, u32 __user *tid);
long sys_thread_exit(int status);
long sys_thread_set_tls(unsigned long tls);
long sys_thread_set_clear_tid(u32 __user *tid);
long sys_thread_setname(pid_t tid, const char __user *name);
long sys_thread_getname(pid_t tid, char __user *name, size_t size);

/* futex.c */
long sys_futex(u32 __user *addr, int op, u32 value, const struct uapi_timespec __user *timeout,
	       u32 __user *addr2, u32 bits);

/* sys_sched.c */
long sys_sched_yield(void);
long sys_setpriority(pid_t tid, int nice);
long sys_getpriority(pid_t tid);
long sys_sched_setscheduler(pid_t tid, int policy, int number);
long sys_sched_getscheduler(pid_t tid);
long sys_sched_getparam(pid_t tid);
long sys_sched_rr_get_interval(pid_t tid, struct uapi_timespec __user *interval);
long sys_sched_setaffinity(pid_t tid, size_t size, const unsigned long __user *mask);
long sys_sched_getaffinity(pid_t tid, size_t size, unsigned long __user *mask);
long sys_getcpu(void);

/* credentials.c */
long sys_getuid(void);
long sys_setuid(uid_t uid);

/* kill.c */
long sys_kill(pid_t pid, int signal);
long sys_tgkill(pid_t pid, pid_t tid, int signal);
long sys_sigqueue(pid_t pid, int signal, unsigned long value);

/* sys_signal.c */
long sys_sigaction(int signal, const struct uapi_sigaction __user *user_new,
		   struct uapi_sigaction __user *user_old);
long sys_sigprocmask(int how, const uapi_sigset_t __user *user_set, uapi_sigset_t __user *user_old);
long sys_sigpending(uapi_sigset_t __user *user_set);
long sys_sigsuspend(const uapi_sigset_t __user *user_set);
long sys_sigtimedwait(const uapi_sigset_t __user *user_set, struct uapi_siginfo __user *user_info,
		      const struct uapi_timespec __user *user_timeout);
long sys_sigaltstack(const struct uapi_sigaltstack __user *user_new,
		     struct uapi_sigaltstack __user *user_old);
long sys_sigreturn(void);

/* group.c */
long sys_setpgid(pid_t pid, pid_t pgid);
long sys_getpgid(pid_t pid);
long sys_setsid(void);
long sys_getsid(pid_t pid);

/* sys_time.c */
long sys_nanosleep(const struct uapi_timespec __user *req, struct uapi_timespec __user *rem);
long sys_clock_gettime(int clock, struct uapi_timespec __user *ts);
long sys_clock_nanosleep(int clock, int flags, const struct uapi_timespec __user *req,
			 struct uapi_timespec __user *rem);
long sys_clock_getres(int clock, struct uapi_timespec __user *ts);
long sys_clock_settime(int clock, const struct uapi_timespec __user *ts);
long sys_times(struct uapi_tms __user *tms);

/* sys_timer.c */
long sys_setitimer(int which, const struct uapi_itimerspec __user *user_new,
		   struct uapi_itimerspec __user *user_old);
long sys_getitimer(int which, struct uapi_itimerspec __user *user);
long sys_timer_create(int clock, const struct uapi_sigevent __user *user_event);
long sys_timer_settime(int id, int flags, const struct uapi_itimerspec __user *user_new,
		       struct uapi_itimerspec __user *user_old);
long sys_timer_gettime(int id, struct uapi_itimerspec __user *user);
long sys_timer_getoverrun(int id);
long sys_timer_delete(int id);

/* sys_perf.c */
long sys_perf_event_open(struct perf_event_attr __user *attr, pid_t pid, int cpu, int group_fd,
			 unsigned long flags);
