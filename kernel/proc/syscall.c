/* SPDX-License-Identifier: MIT */
/* From the trap frame of a system call to its function, and the last look before user mode. */
#include <hotregs/cpu.h>
#include <hotregs/process.h>
#include <hotregs/syscalls.h>
#include <uapi/syscall.h>

#include <arch/syscall.h>

/*
 * The table calls every function with six words. The calling conventions here pass them in
 * registers, or on a stack that the caller clears, so a function with fewer, narrower parameters
 * takes what it names and never sees the rest.
 */
#define CALL(name) [SYS_##name] = (syscall_fn)(void *)sys_##name

static const syscall_fn syscall_table[NR_SYSCALLS] = {
    CALL(exit),
    CALL(read),
    CALL(write),
    CALL(open),
    CALL(close),
    CALL(lseek),
    CALL(fstat),
    CALL(stat),
    CALL(brk),
    CALL(mmap),
    CALL(munmap),
    CALL(fork),
    CALL(execve),
    CALL(wait4),
    CALL(getpid),
    CALL(getppid),
    CALL(gettid),
    CALL(kill),
    CALL(pipe),
    CALL(dup),
    CALL(dup2),
    CALL(fcntl),
    CALL(ioctl),
    CALL(poll),
    CALL(getdents),
    CALL(nanosleep),
    CALL(times),
    CALL(clock_gettime),
    CALL(uname),
    CALL(sched_yield),
    CALL(chdir),
    CALL(setpriority),
    CALL(getcwd),
    CALL(perf_event_open),
    CALL(getuid),
    CALL(setuid),
    CALL(thread_create),
    CALL(thread_exit),
    CALL(thread_set_tls),
    CALL(thread_set_clear_tid),
    CALL(thread_setname),
    CALL(thread_getname),
    CALL(futex),
    CALL(getpriority),
    CALL(sched_setscheduler),
    CALL(sched_getscheduler),
    CALL(sched_getparam),
    CALL(sched_rr_get_interval),
    CALL(sched_setaffinity),
    CALL(sched_getaffinity),
    CALL(getcpu),
    CALL(sigaction),
    CALL(sigprocmask),
    CALL(sigpending),
    CALL(sigsuspend),
    CALL(sigtimedwait),
    CALL(sigaltstack),
    CALL(sigreturn),
    CALL(tgkill),
    CALL(sigqueue),
    CALL(setpgid),
    CALL(getpgid),
    CALL(setsid),
    CALL(getsid),
    CALL(clock_nanosleep),
    CALL(clock_getres),
    CALL(clock_settime),
    CALL(setitimer),
    CALL(getitimer),
    CALL(timer_create),
    CALL(timer_settime),
    CALL(timer_gettime),
    CALL(timer_getoverrun),
    CALL(timer_delete),
    CALL(mkdir),
    CALL(rmdir),
    CALL(unlink),
    CALL(link),
    CALL(rename),
    CALL(access),
    CALL(umask),
    CALL(pread),
    CALL(pwrite),
    CALL(truncate),
    CALL(chattr),
    CALL(statfs),
};

void do_syscall(struct pt_regs *regs)
{
	unsigned long nr = syscall_nr(regs);
	long result = -ENOSYS;

	if (likely(nr < NR_SYSCALLS))
		result = syscall_call(syscall_table[nr], regs);
	syscall_set_result(regs, result);
	check_no_locks();
}

void exit_to_user(struct pt_regs *regs, bool syscall)
{
	/* What has interrupted a call is still there to be taken. */
	signal_deliver(regs, syscall && syscall_result(regs) == -EINTR);
}
