/* SPDX-License-Identifier: MIT */
/*
 * Architecture contract: the frame that a signal handler finds on its stack, which has all that the
 * handler may change: core registers, flags, FPU. Programs see it as struct uapi_ucontext.
 */
#pragma once

#include <hotregs/types.h>
#include <uapi/signal.h>

struct pt_regs;

/* How a handler is to be called. */
struct signal_call {
	const struct uapi_siginfo *info;
	const struct uapi_sigaction *action; /* whose handler and restorer it is */
	uapi_sigset_t mask;                  /* goes into the frame, for sigreturn */
	struct uapi_sigaltstack altstack;    /* the same, to be read */
	unsigned long stack_low;             /* the frame does not reach below this */
	unsigned long stack_top;             /* it begins here; 0: where @regs have their stack */
};

/*
 * Puts the frame on the user stack and lets @regs, a user trap frame, begin the handler. -EFAULT,
 * @regs as they were: the stack does not take it, or the handler is not in user space. May sleep.
 */
int arch_signal_call(struct pt_regs *regs, const struct signal_call *call);

/*
 * Makes @regs what the frame at their stack pointer says, and gives its mask. The frame may be of
 * anybody's making: nothing of it but what programs can change anyway is taken over (contract C10).
 * -EFAULT, @regs as they were: there is none. May sleep.
 */
int arch_signal_return(struct pt_regs *regs, uapi_sigset_t *mask);
