/* SPDX-License-Identifier: MIT */
/* Signals: sets, actions, masks, sending and waiting. */
#include "thread.h"

#include <setjmp.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

_Static_assert(sizeof(siginfo_t) == sizeof(struct uapi_siginfo) &&
		   offsetof(siginfo_t, si_pid) == offsetof(struct uapi_siginfo, pid) &&
		   offsetof(siginfo_t, si_addr) == offsetof(struct uapi_siginfo, addr) &&
		   offsetof(siginfo_t, si_value) == offsetof(struct uapi_siginfo, value),
	       "siginfo_t");
_Static_assert(sizeof(sigset_t) == sizeof(uapi_sigset_t), "sigset_t");

extern const char __signal_restorer[]; /* code: restorer.S */

static int invalid(void)
{
	errno = EINVAL;
	return -1;
}

static int is_signal(int sig)
{
	return sig > 0 && sig < NSIG;
}

int sigemptyset(sigset_t *set)
{
	*set = 0;
	return 0;
}

int sigfillset(sigset_t *set)
{
	*set = ~(sigset_t)0;
	return 0;
}

int sigaddset(sigset_t *set, const int sig)
{
	if (!is_signal(sig))
		return invalid();
	*set |= UAPI_SIGBIT(sig);
	return 0;
}

int sigdelset(sigset_t *set, const int sig)
{
	if (!is_signal(sig))
		return invalid();
	*set &= ~UAPI_SIGBIT(sig);
	return 0;
}

int sigismember(const sigset_t *set, int sig)
{
	return is_signal(sig) ? (*set & UAPI_SIGBIT(sig)) != 0 : invalid();
}

int sigaction(int sig, const struct sigaction *act, struct sigaction *old)
{
	struct uapi_sigaction new, before;

	if (act)
		new = (struct uapi_sigaction){
		    .handler = (uintptr_t)act->sa_handler,
		    .restorer = (uintptr_t)__signal_restorer,
		    .mask = act->sa_mask,
		    .flags = act->sa_flags,
		};
	if (SYSCALL(sigaction, sig, act ? &new : NULL, old ? &before : NULL) < 0)
		return -1;
	if (old) {
		old->sa_handler = (_sig_func_ptr)(uintptr_t)before.handler;
		old->sa_mask = before.mask;
		old->sa_flags = before.flags;
	}
	return 0;
}

_sig_func_ptr signal(int sig, _sig_func_ptr handler)
{
	const struct sigaction act = {.sa_handler = handler, .sa_flags = SA_RESTART};
	struct sigaction old;

	return sigaction(sig, &act, &old) < 0 ? SIG_ERR : old.sa_handler;
}

int siginterrupt(int sig, int flag)
{
	struct sigaction act;

	if (sigaction(sig, NULL, &act) < 0)
		return -1;
	act.sa_flags = flag ? act.sa_flags & ~SA_RESTART : act.sa_flags | SA_RESTART;
	return sigaction(sig, &act, NULL);
}

int sigprocmask(int how, const sigset_t *set, sigset_t *old)
{
	return SYSCALL(sigprocmask, how, set, old);
}

int pthread_sigmask(int how, const sigset_t *set, sigset_t *old)
{
	return -raw_syscall3(SYS_sigprocmask, how, (long)set, (long)old);
}

int pthread_kill(pthread_t thread, int sig)
{
	return -raw_syscall3(SYS_tgkill, getpid(), thread_number(thread), sig);
}

void __sigjmp_save(sigjmp_buf env, int save_mask)
{
	env->has_mask = save_mask;
	if (save_mask)
		sigprocmask(SIG_BLOCK, NULL, &env->mask);
}

void siglongjmp(sigjmp_buf env, int value)
{
	if (env->has_mask)
		sigprocmask(SIG_SETMASK, &env->mask, NULL);
	longjmp(env->registers, value);
}

int sigpending(sigset_t *set)
{
	return SYSCALL(sigpending, set);
}

int sigsuspend(const sigset_t *set)
{
	return SYSCALL(sigsuspend, set);
}

int pause(void)
{
	sigset_t set;

	sigprocmask(SIG_BLOCK, NULL, &set);
	return sigsuspend(&set);
}

int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
	struct uapi_timespec k;

	if (timeout)
		k = (struct uapi_timespec){.sec = timeout->tv_sec, .nsec = timeout->tv_nsec};
	return SYSCALL(sigtimedwait, set, info, timeout ? &k : NULL);
}

int sigwaitinfo(const sigset_t *set, siginfo_t *info)
{
	return sigtimedwait(set, info, NULL);
}

/* Unlike the others it returns errors, and goes on after handlers. */
int sigwait(const sigset_t *set, int *sig)
{
	do
		*sig = raw_syscall3(SYS_sigtimedwait, (long)set, 0, 0);
	while (*sig == -EINTR);
	return *sig < 0 ? -*sig : 0;
}

int sigaltstack(const stack_t *restrict stack, stack_t *restrict old)
{
	struct uapi_sigaltstack new, before;

	if (stack)
		new = (struct uapi_sigaltstack){
		    .base = (uintptr_t)stack->ss_sp,
		    .size = stack->ss_size,
		    .flags = stack->ss_flags,
		};
	if (SYSCALL(sigaltstack, stack ? &new : NULL, old ? &before : NULL) < 0)
		return -1;
	if (old)
		*old = (stack_t){
		    .ss_sp = (void *)(uintptr_t)before.base,
		    .ss_size = before.size,
		    .ss_flags = before.flags,
		};
	return 0;
}

int kill(pid_t pid, int sig)
{
	return SYSCALL(kill, pid, sig);
}

int killpg(pid_t pgid, int sig)
{
	return pgid < 0 ? invalid() : kill(-pgid, sig);
}

int tgkill(pid_t pid, pid_t tid, int sig)
{
	return SYSCALL(tgkill, pid, tid, sig);
}

int sigqueue(pid_t pid, int sig, const union sigval value)
{
	return SYSCALL(sigqueue, pid, sig, value.sival_ptr);
}

int raise(int sig)
{
	return tgkill(getpid(), SYSCALL(gettid), sig);
}

/* The signal ends the process even if its handler returns. */
void abort(void)
{
	const sigset_t aborts = UAPI_SIGBIT(SIGABRT);

	sigprocmask(SIG_UNBLOCK, &aborts, NULL);
	raise(SIGABRT);
	signal(SIGABRT, SIG_DFL);
	raise(SIGABRT);
	__builtin_trap();
}
