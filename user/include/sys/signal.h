/* SPDX-License-Identifier: MIT */
/*
 * In place of newlib's, which for a bare target has neither flags of actions nor anything that a
 * handler is told. Numbers and names that both have are the same.
 */
#ifndef _SYS_SIGNAL_H
#define _SYS_SIGNAL_H

#include <stdint.h>
#include <sys/_sigset.h>
#include <sys/_timespec.h>
#include <sys/cdefs.h>
#include <sys/features.h>
#include <sys/types.h>
#include <uapi/signal.h>

#if !defined(_SIGSET_T_DECLARED)
#define _SIGSET_T_DECLARED
typedef __sigset_t sigset_t;
#endif

/* clang-format off */
#define SIGHUP    UAPI_SIGHUP
#define SIGINT    UAPI_SIGINT
#define SIGQUIT   UAPI_SIGQUIT
#define SIGILL    UAPI_SIGILL
#define SIGTRAP   UAPI_SIGTRAP
#define SIGABRT   UAPI_SIGABRT
#define SIGIOT    UAPI_SIGABRT
#define SIGEMT    UAPI_SIGEMT
#define SIGFPE    UAPI_SIGFPE
#define SIGKILL   UAPI_SIGKILL
#define SIGBUS    UAPI_SIGBUS
#define SIGSEGV   UAPI_SIGSEGV
#define SIGSYS    UAPI_SIGSYS
#define SIGPIPE   UAPI_SIGPIPE
#define SIGALRM   UAPI_SIGALRM
#define SIGTERM   UAPI_SIGTERM
#define SIGURG    UAPI_SIGURG
#define SIGSTOP   UAPI_SIGSTOP
#define SIGTSTP   UAPI_SIGTSTP
#define SIGCONT   UAPI_SIGCONT
#define SIGCHLD   UAPI_SIGCHLD
#define SIGCLD    UAPI_SIGCHLD
#define SIGTTIN   UAPI_SIGTTIN
#define SIGTTOU   UAPI_SIGTTOU
#define SIGIO     UAPI_SIGIO
#define SIGPOLL   UAPI_SIGIO
#define SIGXCPU   UAPI_SIGXCPU
#define SIGXFSZ   UAPI_SIGXFSZ
#define SIGVTALRM UAPI_SIGVTALRM
#define SIGPROF   UAPI_SIGPROF
#define SIGWINCH  UAPI_SIGWINCH
#define SIGLOST   UAPI_SIGLOST
#define SIGUSR1   UAPI_SIGUSR1
#define SIGUSR2   UAPI_SIGUSR2
#define SIGRTMIN  UAPI_SIGRTMIN
#define SIGRTMAX  UAPI_SIGRTMAX
#define NSIG      UAPI_NSIG
#define _NSIG     UAPI_NSIG

#define SA_NOCLDSTOP UAPI_SA_NOCLDSTOP
#define SA_NOCLDWAIT UAPI_SA_NOCLDWAIT
#define SA_SIGINFO   UAPI_SA_SIGINFO
#define SA_ONSTACK   UAPI_SA_ONSTACK
#define SA_RESTART   UAPI_SA_RESTART
#define SA_NODEFER   UAPI_SA_NODEFER
#define SA_RESETHAND ((int)UAPI_SA_RESETHAND)

#define SIG_SETMASK UAPI_SIG_SETMASK
#define SIG_BLOCK   UAPI_SIG_BLOCK
#define SIG_UNBLOCK UAPI_SIG_UNBLOCK

#define SS_ONSTACK  UAPI_SS_ONSTACK
#define SS_DISABLE  UAPI_SS_DISABLE
#define MINSIGSTKSZ UAPI_MINSIGSTKSZ
#define SIGSTKSZ    8192

#define SI_USER   UAPI_SI_USER
#define SI_QUEUE  UAPI_SI_QUEUE
#define SI_TIMER  UAPI_SI_TIMER
#define SI_TKILL  UAPI_SI_TKILL
#define SI_KERNEL UAPI_SI_KERNEL

#define ILL_ILLOPC    UAPI_ILL_ILLOPC
#define FPE_INTDIV    UAPI_FPE_INTDIV
#define FPE_FLTDIV    UAPI_FPE_FLTDIV
#define FPE_FLTOVF    UAPI_FPE_FLTOVF
#define FPE_FLTUND    UAPI_FPE_FLTUND
#define FPE_FLTRES    UAPI_FPE_FLTRES
#define FPE_FLTINV    UAPI_FPE_FLTINV
#define SEGV_MAPERR   UAPI_SEGV_MAPERR
#define SEGV_ACCERR   UAPI_SEGV_ACCERR
#define BUS_ADRALN    UAPI_BUS_ADRALN
#define BUS_ADRERR    UAPI_BUS_ADRERR
#define BUS_OBJERR    UAPI_BUS_OBJERR
#define TRAP_BRKPT    UAPI_TRAP_BRKPT
#define TRAP_TRACE    UAPI_TRAP_TRACE
#define TRAP_HWBKPT   UAPI_TRAP_HWBKPT
#define TRAP_PERF     UAPI_TRAP_PERF
#define CLD_EXITED    UAPI_CLD_EXITED
#define CLD_KILLED    UAPI_CLD_KILLED
#define CLD_TRAPPED   UAPI_CLD_TRAPPED
#define CLD_STOPPED   UAPI_CLD_STOPPED
#define CLD_CONTINUED UAPI_CLD_CONTINUED

#define TRAP_PERF_FLAG_ASYNC UAPI_TRAP_PERF_FLAG_ASYNC

#define SIGEV_NONE      UAPI_SIGEV_NONE
#define SIGEV_SIGNAL    UAPI_SIGEV_SIGNAL
#define SIGEV_THREAD_ID UAPI_SIGEV_THREAD_ID
/* clang-format on */

union sigval {
	int sival_int;
	void *sival_ptr;
};

/* struct uapi_siginfo under POSIX's names. */
typedef struct {
	int si_signo, si_code, si_errno;
	int si_status;
	pid_t si_pid;
	uint32_t si_uid;
	union {
		int si_timerid;
		uint32_t si_perf_type;
	};
	union {
		int si_overrun;
		uint32_t si_perf_flags;
	};
	union {
		void *si_addr;
		uint64_t __si_addr;
	};
	union {
		union sigval si_value;
		int si_int;
		void *si_ptr;
		uint64_t si_perf_data;
	};
	int si_fd, si_band;
} siginfo_t;

typedef void (*_sig_func_ptr)(int);

struct sigaction {
	union {
		_sig_func_ptr sa_handler;
		void (*sa_sigaction)(int, siginfo_t *, void *);
	};
	sigset_t sa_mask;
	int sa_flags;
};

typedef struct sigaltstack {
	void *ss_sp;
	int ss_flags;
	size_t ss_size;
} stack_t;

struct sigevent {
	int sigev_notify;
	int sigev_signo;
	union sigval sigev_value;
	pid_t sigev_notify_thread_id;
};

__BEGIN_DECLS
int kill(pid_t pid, int sig);
int killpg(pid_t pgid, int sig);
int tgkill(pid_t pid, pid_t tid, int sig);
int sigqueue(pid_t pid, int sig, const union sigval value);
int sigaction(int sig, const struct sigaction *act, struct sigaction *old);
int siginterrupt(int sig, int flag);
int sigprocmask(int how, const sigset_t *set, sigset_t *old);
int pthread_sigmask(int how, const sigset_t *set, sigset_t *old);
#ifdef _POSIX_THREADS
int pthread_kill(pthread_t thread, int sig);
#endif
int sigpending(sigset_t *set);
int sigsuspend(const sigset_t *set);
int sigwait(const sigset_t *set, int *sig);
int sigwaitinfo(const sigset_t *set, siginfo_t *info);
int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout);
int sigaltstack(const stack_t *__restrict stack, stack_t *__restrict old);
int sigemptyset(sigset_t *set);
int sigfillset(sigset_t *set);
int sigaddset(sigset_t *set, const int sig);
int sigdelset(sigset_t *set, const int sig);
int sigismember(const sigset_t *set, int sig);
__END_DECLS

#include <sys/ucontext.h>

#ifndef _SIGNAL_H_
#include <signal.h>
#endif
#endif
