/* SPDX-License-Identifier: MIT */
/*
 * Signals as system calls pass them, of the same layout on every architecture. Numbers up to 31 and
 * the operations on masks are newlib's; those of the codes are Linux's.
 */
#pragma once

#include <stdint.h>

#define UAPI_SIGHUP    1
#define UAPI_SIGINT    2
#define UAPI_SIGQUIT   3
#define UAPI_SIGILL    4
#define UAPI_SIGTRAP   5
#define UAPI_SIGABRT   6
#define UAPI_SIGEMT    7
#define UAPI_SIGFPE    8
#define UAPI_SIGKILL   9
#define UAPI_SIGBUS    10
#define UAPI_SIGSEGV   11
#define UAPI_SIGSYS    12
#define UAPI_SIGPIPE   13
#define UAPI_SIGALRM   14
#define UAPI_SIGTERM   15
#define UAPI_SIGURG    16
#define UAPI_SIGSTOP   17
#define UAPI_SIGTSTP   18
#define UAPI_SIGCONT   19
#define UAPI_SIGCHLD   20
#define UAPI_SIGTTIN   21
#define UAPI_SIGTTOU   22
#define UAPI_SIGIO     23
#define UAPI_SIGXCPU   24
#define UAPI_SIGXFSZ   25
#define UAPI_SIGVTALRM 26
#define UAPI_SIGPROF   27
#define UAPI_SIGWINCH  28
#define UAPI_SIGLOST   29
#define UAPI_SIGUSR1   30
#define UAPI_SIGUSR2   31
#define UAPI_SIGRTMIN  32 /* from here on each one sent is delivered, in order */
#define UAPI_SIGRTMAX  64
#define UAPI_NSIG      65

/* A set of signals: number n is bit n-1. */
typedef uint64_t uapi_sigset_t;
#define UAPI_SIGBIT(signal) ((uapi_sigset_t)1 << ((signal)-1))

#define UAPI_SIG_DFL 0 /* instead of a handler's address */
#define UAPI_SIG_IGN 1

/* Flags of an action; every other bit is EINVAL. */
#define UAPI_SA_NOCLDSTOP 0x00000001 /* SIGCHLD: not when a child stops or goes on */
#define UAPI_SA_NOCLDWAIT 0x00000002 /* SIGCHLD: children leave nothing to wait for */
#define UAPI_SA_SIGINFO   0x00000004 /* the handler takes siginfo and context, too */
#define UAPI_SA_ONSTACK   0x08000000 /* it runs on the alternate stack */
#define UAPI_SA_RESTART   0x10000000 /* a call that it interrupts is made again */
#define UAPI_SA_NODEFER   0x40000000 /* the signal is not blocked meanwhile */
#define UAPI_SA_RESETHAND 0x80000000 /* the action is the default again before it runs */

struct uapi_sigaction {
	uint64_t handler;  /* address, UAPI_SIG_DFL or UAPI_SIG_IGN */
	uint64_t restorer; /* where a handler returns to: code that calls sigreturn */
	uapi_sigset_t mask;
	uint32_t flags;
	uint32_t zero; /* must be 0 */
};

#define UAPI_SIG_SETMASK 0
#define UAPI_SIG_BLOCK   1
#define UAPI_SIG_UNBLOCK 2

/* The alternate stack. */
struct uapi_sigaltstack {
	uint64_t base;
	uint64_t size;  /* bytes */
	uint32_t flags; /* UAPI_SS_* */
	uint32_t zero;  /* must be 0 */
};
#define UAPI_SS_ONSTACK  1 /* in answers alone: the caller runs on it */
#define UAPI_SS_DISABLE  2
#define UAPI_MINSIGSTKSZ 2048

/* si_code of any signal. Those of user space are not above 0. */
#define UAPI_SI_USER   0
#define UAPI_SI_QUEUE  (-1)
#define UAPI_SI_TIMER  (-2)
#define UAPI_SI_TKILL  (-6)
#define UAPI_SI_KERNEL 0x80

#define UAPI_ILL_ILLOPC    1
#define UAPI_FPE_INTDIV    1
#define UAPI_FPE_FLTDIV    3
#define UAPI_FPE_FLTOVF    4
#define UAPI_FPE_FLTUND    5
#define UAPI_FPE_FLTRES    6
#define UAPI_FPE_FLTINV    7
#define UAPI_SEGV_MAPERR   1
#define UAPI_SEGV_ACCERR   2
#define UAPI_BUS_ADRALN    1
#define UAPI_BUS_ADRERR    2
#define UAPI_BUS_OBJERR    3
#define UAPI_TRAP_BRKPT    1
#define UAPI_TRAP_TRACE    2
#define UAPI_TRAP_HWBKPT   4
#define UAPI_TRAP_PERF     6
#define UAPI_CLD_EXITED    1
#define UAPI_CLD_KILLED    2
#define UAPI_CLD_TRAPPED   4
#define UAPI_CLD_STOPPED   5
#define UAPI_CLD_CONTINUED 6

/* perf_flags: SIGTRAP was blocked when the event struck, so its thread has gone on meanwhile. */
#define UAPI_TRAP_PERF_FLAG_ASYNC 1

/* What a signal says; what does not belong to its code is 0. */
struct uapi_siginfo {
	int32_t signo, code, error;
	int32_t status; /* SIGCHLD: exit status or signal */
	int32_t pid;
	uint32_t uid;
	union {
		int32_t timer; /* SI_TIMER */
		uint32_t perf_type;
	};
	union {
		int32_t overrun; /* SI_TIMER: expirations that this signal stands for, less one */
		uint32_t perf_flags;
	};
	uint64_t addr; /* of a fault */
	union {
		uint64_t value; /* SI_QUEUE, SI_TIMER */
		uint64_t perf_data;
	};
	int32_t fd, band; /* SIGIO */
};

/* How a timer tells that it has expired: newlib's numbers, and one more. */
#define UAPI_SIGEV_NONE      1
#define UAPI_SIGEV_SIGNAL    2
#define UAPI_SIGEV_THREAD_ID 4

struct uapi_sigevent {
	int32_t notify; /* UAPI_SIGEV_* */
	int32_t signo;
	uint64_t value;
	int32_t tid; /* UAPI_SIGEV_THREAD_ID */
	uint32_t zero;
};
