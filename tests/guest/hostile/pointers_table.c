/* SPDX-License-Identifier: MIT */
/* The system calls and their pointers. A call without a row fails c10_pointers_of_every_call. */
#include <errno.h>
#include <linux/perf_event.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <uapi/futex.h>
#include <uapi/signal.h>
#include <uapi/types.h>
#include <unistd.h>

#include "pointers.h"

int standard_fds[FD_END - FD_PIPE_READ];

#define VALUE(v)                           \
	{                                  \
		ARG_VALUE, (v), 0, 0, NULL \
	}
#define IN(n)                           \
	{                               \
		ARG_IN, 0, (n), 0, NULL \
	}
#define OUT(n)                           \
	{                                \
		ARG_OUT, 0, (n), 0, NULL \
	}
#define INOUT(n)                           \
	{                                  \
		ARG_INOUT, 0, (n), 0, NULL \
	}
#define STRING(s)                                \
	{                                        \
		ARG_STRING, 0, sizeof(s), 0, (s) \
	}
#define STRINGS                                                \
	{                                                      \
		ARG_STRINGS, 0, sizeof(char *), ARG_NULL, NULL \
	}
#define ADDRESS                            \
	{                                  \
		ARG_ADDRESS, 0, 0, 0, NULL \
	}
#define WITH(kind, n, flags, content)              \
	{                                          \
		(kind), 0, (n), (flags), (content) \
	}

#define STRING_OR_NULL(s)         WITH(ARG_STRING, sizeof(s), ARG_NULL, s)
#define IN_OR_NULL(type, content) WITH(ARG_IN, sizeof(type), ARG_NULL, content)
#define OUT_OR_NULL(type)         WITH(ARG_OUT, sizeof(type), ARG_NULL, NULL)

static const char nowhere[] = "/no/such";
static const uint32_t small_attr[2] = {PERF_TYPE_SOFTWARE, 8};
static const uint64_t a_period = 1000000;
static const unsigned long one_cpu = 1;
static const uapi_sigset_t usr1 = UAPI_SIGBIT(UAPI_SIGUSR1);
static const struct uapi_sigaltstack no_stack = {.flags = UAPI_SS_DISABLE};
static const struct uapi_sigevent no_event = {.notify = UAPI_SIGEV_NONE};

static void fill_pipe(void)
{
	write(standard_fd(FD_PIPE_WRITE), "hostile", 8);
}

static void empty_pipe(long result, const void *good)
{
	struct uapi_pollfd p = {.fd = standard_fd(FD_PIPE_READ), .events = UAPI_POLLIN};
	char bytes[64];

	(void)result;
	(void)good;
	while (syscall(SYS_poll, &p, 1, 0) > 0)
		read(standard_fd(FD_PIPE_READ), bytes, sizeof(bytes));
}

static void close_result(long result, const void *good)
{
	(void)good;
	if (result >= 0)
		close(result);
}

static void close_both(long result, const void *good)
{
	int fds[2];

	memcpy(fds, good, sizeof(fds));
	for (int i = 0; !result && i < 2; i++)
		close(fds[i]);
}

static void have_a_child(void)
{
	if (!fork())
		_exit(0);
}

static void have_no_child(long result, const void *good)
{
	(void)result;
	(void)good;
	while (wait(NULL) > 0)
		;
}

static void raise_usr1(void)
{
	syscall(SYS_sigprocmask, UAPI_SIG_BLOCK, &usr1, NULL);
	syscall(SYS_kill, getpid(), UAPI_SIGUSR1);
}

static void take_usr1(long result, const void *good)
{
	const struct uapi_timespec none = {0, 0};

	(void)result;
	(void)good;
	syscall(SYS_sigtimedwait, &usr1, NULL, &none);
	syscall(SYS_sigprocmask, UAPI_SIG_UNBLOCK, &usr1, NULL);
}

static void delete_timer(long result, const void *good)
{
	(void)good;
	if (result >= 0)
		syscall(SYS_timer_delete, result);
}

static void rewind_directory(void)
{
	lseek(standard_fd(FD_DIRECTORY), 0, SEEK_SET);
}

/* Nothing in them is a pointer, or nothing is done with it. */
#define PLAIN(call)                             \
	{                                       \
		.nr = SYS_##call, .name = #call \
	}
#define CALL(call, ...)                                      \
	{                                                    \
		.nr = SYS_##call, .name = #call, __VA_ARGS__ \
	}

const struct row rows[] = {
    PLAIN(exit),
    PLAIN(close),
    PLAIN(lseek),
    PLAIN(brk),
    PLAIN(fork),
    PLAIN(getpid),
    PLAIN(getcpu),
    PLAIN(getppid),
    PLAIN(gettid),
    PLAIN(kill),
    PLAIN(dup),
    PLAIN(dup2),
    PLAIN(fcntl),
    PLAIN(sched_yield),
    PLAIN(setpriority),
    PLAIN(getpriority),
    PLAIN(getuid),
    PLAIN(setuid),
    PLAIN(thread_exit),
    PLAIN(thread_set_clear_tid), /* written when the thread ends: threads.c */
    PLAIN(sched_setscheduler),
    PLAIN(sched_getscheduler),
    PLAIN(sched_getparam),
    PLAIN(sigreturn), /* its frame is at the stack pointer: frames.c */
    PLAIN(tgkill),
    PLAIN(sigqueue),
    PLAIN(setpgid),
    PLAIN(getpgid),
    PLAIN(setsid),
    PLAIN(getsid),
    PLAIN(timer_getoverrun),
    PLAIN(timer_delete),
    PLAIN(umask),

    CALL(mmap,
	 .arg = {ADDRESS, VALUE(4096), VALUE(PROT_READ),
		 VALUE(MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED), VALUE(-1), VALUE(0)},
	 .error = EINVAL),
    CALL(munmap, .arg = {ADDRESS, VALUE(4096)}, .error = EINVAL),
    CALL(thread_set_tls, .arg = {ADDRESS}, .error = EPERM),
    CALL(thread_create, .arg = {ADDRESS, VALUE(0), VALUE(0), VALUE(0), OUT(4)}),

    CALL(read, .arg = {VALUE(FD_PIPE_READ), WITH(ARG_OUT, 8, ARG_BYTES, NULL), VALUE(8)},
	 .before = fill_pipe, .after = empty_pipe),
    CALL(read, .arg = {VALUE(FD_FILE), WITH(ARG_OUT, 8, ARG_BYTES, NULL), VALUE(8)}),
    CALL(read, .arg = {VALUE(FD_EVENT), OUT(8), VALUE(8)}),
    CALL(write, .arg = {VALUE(FD_PIPE_WRITE), WITH(ARG_IN, 8, ARG_BYTES, NULL), VALUE(8)},
	 .after = empty_pipe),
    CALL(open, .arg = {STRING(nowhere), VALUE(0), VALUE(0)}, .after = close_result),
    CALL(fstat, .arg = {VALUE(FD_FILE), OUT(sizeof(struct uapi_stat))}),
    CALL(stat, .arg = {STRING("/bin"), OUT(sizeof(struct uapi_stat))}),
    CALL(chdir, .arg = {STRING("/")}),
    CALL(getcwd, .arg = {OUT(2), VALUE(64)}),
    CALL(getdents, .arg = {VALUE(FD_DIRECTORY), WITH(ARG_OUT, 64, ARG_BYTES, NULL), VALUE(64)},
	 .before = rewind_directory),
    CALL(pread, .arg = {VALUE(FD_FILE), WITH(ARG_OUT, 8, ARG_BYTES, NULL), VALUE(8), IN(8)}),
    CALL(pwrite, .arg = {VALUE(FD_SCRATCH), WITH(ARG_IN, 8, ARG_BYTES, NULL), VALUE(8), IN(8)}),
    CALL(read, .arg = {VALUE(FD_ZERO), WITH(ARG_OUT, 8, ARG_BYTES, NULL), VALUE(8)}),
    CALL(write, .arg = {VALUE(FD_SCRATCH), WITH(ARG_IN, 8, ARG_BYTES, NULL), VALUE(8)}),
    CALL(mkdir, .arg = {STRING(nowhere), VALUE(0777)}),
    CALL(rmdir, .arg = {STRING(nowhere)}),
    CALL(unlink, .arg = {STRING(nowhere)}),
    CALL(link, .arg = {STRING(nowhere), STRING(nowhere)}),
    CALL(rename, .arg = {STRING(nowhere), STRING(nowhere)}),
    CALL(access, .arg = {STRING(nowhere), VALUE(0)}),
    CALL(truncate, .arg = {VALUE(FD_SCRATCH), STRING_OR_NULL(nowhere), IN(8)}),
    CALL(chattr,
	 .arg = {VALUE(FD_SCRATCH), STRING_OR_NULL(nowhere), IN(sizeof(struct uapi_attributes))}),
    CALL(statfs, .arg = {OUT(sizeof(struct uapi_statfs))}),
    CALL(pipe, .arg = {OUT(8)}, .after = close_both),
    CALL(poll, .arg = {INOUT(sizeof(struct uapi_pollfd)), VALUE(1), VALUE(0)}),
    CALL(ioctl,
	 .arg = {VALUE(FD_EVENT), VALUE(PERF_EVENT_IOC_PERIOD), WITH(ARG_IN, 8, 0, &a_period)}),
    CALL(ioctl, .arg = {VALUE(FD_EVENT), VALUE(PERF_EVENT_IOC_ID), OUT(8)}),

    CALL(execve, .arg = {STRING(nowhere), STRINGS, STRINGS}),
    CALL(wait4, .arg = {VALUE(-1), WITH(ARG_OUT, 4, ARG_NULL, NULL), VALUE(0), VALUE(0)},
	 .before = have_a_child, .after = have_no_child),

    CALL(nanosleep, .arg = {IN(16), VALUE(0)}),
    CALL(clock_gettime, .arg = {VALUE(UAPI_CLOCK_MONOTONIC), OUT(16)}),
    CALL(times, .arg = {WITH(ARG_OUT, 32, ARG_NULL, NULL)}),
    CALL(uname, .arg = {OUT(sizeof(struct uapi_utsname))}),
    CALL(sched_rr_get_interval, .arg = {VALUE(0), OUT(16)}),
    CALL(sched_setaffinity,
	 .arg = {VALUE(0), VALUE(sizeof(long)), WITH(ARG_IN, sizeof(long), 0, &one_cpu)}),
    CALL(sched_getaffinity, .arg = {VALUE(0), VALUE(sizeof(long)), OUT(sizeof(long))}),

    CALL(sigaction, .arg = {VALUE(UAPI_SIGUSR1), IN_OR_NULL(struct uapi_sigaction, NULL),
			    OUT_OR_NULL(struct uapi_sigaction)}),
    CALL(sigprocmask, .arg = {VALUE(UAPI_SIG_UNBLOCK), IN_OR_NULL(uapi_sigset_t, NULL),
			      OUT_OR_NULL(uapi_sigset_t)}),
    CALL(sigpending, .arg = {OUT(sizeof(uapi_sigset_t))}),
    CALL(sigsuspend, .arg = {IN(sizeof(uapi_sigset_t))}, .blocks = true),
    CALL(sigtimedwait,
	 .arg = {WITH(ARG_IN, sizeof(usr1), 0, &usr1), OUT_OR_NULL(struct uapi_siginfo),
		 IN_OR_NULL(struct uapi_timespec, NULL)},
	 .before = raise_usr1, .after = take_usr1),
    CALL(sigaltstack, .arg = {IN_OR_NULL(struct uapi_sigaltstack, &no_stack),
			      OUT_OR_NULL(struct uapi_sigaltstack)}),

    CALL(clock_nanosleep, .arg = {VALUE(UAPI_CLOCK_MONOTONIC), VALUE(0), IN(16), VALUE(0)}),
    CALL(clock_getres, .arg = {VALUE(UAPI_CLOCK_MONOTONIC), OUT_OR_NULL(struct uapi_timespec)}),
    CALL(clock_settime, .arg = {VALUE(UAPI_CLOCK_REALTIME), WITH(ARG_IN, 16, ARG_INVALID, NULL)}),
    CALL(setitimer, .arg = {VALUE(UAPI_ITIMER_REAL), IN(sizeof(struct uapi_itimerspec)),
			    OUT_OR_NULL(struct uapi_itimerspec)}),
    CALL(getitimer, .arg = {VALUE(UAPI_ITIMER_REAL), OUT(sizeof(struct uapi_itimerspec))}),
    CALL(timer_create,
	 .arg = {VALUE(UAPI_CLOCK_MONOTONIC), IN_OR_NULL(struct uapi_sigevent, &no_event)},
	 .after = delete_timer),
    CALL(timer_settime, .arg = {VALUE(FD_TIMER), VALUE(0), IN(sizeof(struct uapi_itimerspec)),
				OUT_OR_NULL(struct uapi_itimerspec)}),
    CALL(timer_gettime, .arg = {VALUE(FD_TIMER), OUT(sizeof(struct uapi_itimerspec))}),

    CALL(perf_event_open, .arg = {IN(64), VALUE(0), VALUE(-1), VALUE(-1), VALUE(0)},
	 .after = close_result),
    CALL(perf_event_open,
	 .arg = {WITH(ARG_INOUT, 8, 0, small_attr), VALUE(0), VALUE(-1), VALUE(-1), VALUE(0)}),
    CALL(thread_setname, .arg = {VALUE(FD_SELF), STRING("hostile")}),
    CALL(thread_getname, .arg = {VALUE(FD_SELF), OUT(8), VALUE(16)}),
    CALL(futex,
	 .arg = {WITH(ARG_IN, 4, ARG_ALIGNED, NULL), VALUE(UAPI_FUTEX_WAIT | UAPI_FUTEX_PRIVATE),
		 VALUE(1), WITH(ARG_IN, 16, ARG_NULL, NULL)}),
    CALL(futex, .arg = {WITH(ARG_IN, 4, ARG_ALIGNED | ARG_UNREAD, NULL), VALUE(UAPI_FUTEX_WAKE),
			VALUE(1)}),
};
const unsigned nr_rows = ARRAY_LENGTH(rows);
