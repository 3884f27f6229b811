/* SPDX-License-Identifier: MIT */
/*
 * Taking signals on the way back to user mode: default actions, handlers, and what becomes of the
 * system call that was interrupted.
 */
#include <hotregs/string.h>
#include <hotregs/time.h>
#include <uapi/futex.h>
#include <uapi/syscall.h>

#include <arch/signal.h>
#include <arch/syscall.h>

#include "signals.h"

/* A signal that was taken, and what is to be done about it. */
struct taken {
	struct uapi_siginfo info;
	struct uapi_sigaction action;
	const char *name; /* of a fault; NULL: none */
};

/* A fault is told whatever the program thinks of the signal: what it blocks or ignores ends it. */
static void take_fault(struct taken *t)
{
	struct task_signals *own = &current->signals;
	struct uapi_sigaction *action = signal_action(current->process, own->fault.signo);
	uapi_sigset_t bit = UAPI_SIGBIT(own->fault.signo);

	t->info = own->fault;
	t->name = own->fault_name;
	own->fault.signo = 0;
	if ((own->blocked & bit) || action->handler == UAPI_SIG_IGN) {
		own->blocked &= ~bit;
		*action = (struct uapi_sigaction){.handler = UAPI_SIG_DFL};
	}
}

/* The next signal for current; false: there is none. */
static bool take(struct taken *t)
{
	struct process *process = current->process;
	unsigned long flags = spin_lock_irqsave(&process->signals.lock);
	struct uapi_sigaction *action;
	int signal;

	t->name = NULL;
	if (current->signals.fault.signo)
		take_fault(t);
	else if (!signal_take(~current->signals.blocked, &t->info))
		t->info.signo = 0;
	signal = t->info.signo;
	if (signal) {
		action = signal_action(process, signal);
		t->action = *action;
		if (action->handler > UAPI_SIG_IGN && (action->flags & UAPI_SA_RESETHAND))
			action->handler = UAPI_SIG_DFL;
		if (action->handler == UAPI_SIG_DFL && signal_default(signal) == DEFAULT_STOP)
			process->signals.stopping = true;
	} else {
		task_clear_work(current, TASK_WORK_SIGNAL);
	}
	spin_unlock_irqrestore(&process->signals.lock, flags);
	return signal;
}

static void default_action(struct pt_regs *regs, const struct taken *t)
{
	int signal = t->info.signo;

	switch (signal_default(signal)) {
	case DEFAULT_REPORT:
		process_report(regs, &t->info, t->name);
		process_exit(WAIT_STATUS_SIGNAL(signal));
		break;
	case DEFAULT_END:
		process_exit(WAIT_STATUS_SIGNAL(signal));
		break;
	case DEFAULT_STOP:
		signal_stop(signal);
		break;
	case DEFAULT_IGNORE:
		break;
	}
}

/* Is @sp on the alternate stack? Its upper end is, its lower end belongs to what lies below. */
static bool on_stack(const struct task_signals *s, unsigned long sp)
{
	return sp - s->stack_base - 1 < s->stack_size;
}

void signal_altstack(const struct pt_regs *regs, struct uapi_sigaltstack *stack)
{
	const struct task_signals *s = &current->signals;

	*stack = (struct uapi_sigaltstack){.base = s->stack_base, .size = s->stack_size};
	if (on_stack(s, regs_sp(regs)))
		stack->flags = UAPI_SS_ONSTACK;
	else if (!s->stack_size)
		stack->flags = UAPI_SS_DISABLE;
}

/* Lets @regs enter the handler. Without room for its frame, that is a fault of its own. */
static void call_handler(struct pt_regs *regs, const struct taken *t)
{
	struct task_signals *s = &current->signals;
	struct signal_call call = {
	    .info = &t->info,
	    .action = &t->action,
	    .mask = s->restore_mask ? s->saved_mask : s->blocked,
	};
	uapi_sigset_t blocked = s->blocked | t->action.mask;

	signal_altstack(regs, &call.altstack);
	if (on_stack(s, regs_sp(regs))) {
		call.stack_low = s->stack_base;
	} else if ((t->action.flags & UAPI_SA_ONSTACK) && s->stack_size) {
		call.stack_low = s->stack_base;
		call.stack_top = s->stack_base + s->stack_size;
	}
	if (arch_signal_call(regs, &call)) {
		/* If it was about that signal already, its handler is of no use. */
		if (t->info.signo == UAPI_SIGSEGV)
			signal_set_blocked(blocked | UAPI_SIGBIT(UAPI_SIGSEGV));
		signal_fault(UAPI_SIGSEGV, UAPI_SI_KERNEL, 0, "no stack for a signal handler");
		return;
	}
	s->restore_mask = false;
	if (!(t->action.flags & UAPI_SA_NODEFER))
		blocked |= UAPI_SIGBIT(t->info.signo);
	signal_set_blocked(blocked);
}

/* Waiting for a length of time? Takes the arguments of the call. */
static long is_timed_futex(unsigned long addr, unsigned long op, unsigned long value,
			   unsigned long timeout, unsigned long addr2, unsigned long bits)
{
	return timeout && (op & ~UAPI_FUTEX_PRIVATE) == UAPI_FUTEX_WAIT;
}

/* After these a handler is always told, for their time would begin anew, or waiting is their
 * purpose (signal(7)). */
static bool is_made_again(const struct pt_regs *regs)
{
	switch (syscall_nr(regs)) {
	case SYS_futex:
		return !syscall_call(is_timed_futex, regs);
	case SYS_clock_nanosleep:
	case SYS_nanosleep:
	case SYS_poll:
	case SYS_sigsuspend:
	case SYS_sigtimedwait:
		return false;
	default:
		return true;
	}
}

/* No handler has run: the call that was interrupted goes on. */
static void resume_call(struct pt_regs *regs)
{
	syscall_undo(regs);
	current->signals.again = true;
	do_syscall(regs);
	current->signals.again = false;
}

u64 signal_deadline(u64 ns)
{
	struct task_signals *s = &current->signals;
	u64 now = clock_ns();

	if (!s->again)
		s->deadline = now + MIN(ns, UINT64_MAX - now);
	return s->deadline;
}

void signal_deliver(struct pt_regs *regs, bool interrupted)
{
	struct taken t;

	if (unlikely(READ_ONCE(current->work) & TASK_WORK_TRAP))
		signal_take_traps();
	for (;;) {
		signal_park();
		if (signal_fatal_pending())
			thread_exit(current->process->exit_status);
		if (!take(&t))
			break;
		if (t.action.handler == UAPI_SIG_IGN)
			continue;
		if (t.action.handler == UAPI_SIG_DFL) {
			default_action(regs, &t);
			continue;
		}
		if (interrupted && (t.action.flags & UAPI_SA_RESTART) && is_made_again(regs))
			syscall_rewind(regs);
		interrupted = false;
		call_handler(regs, &t);
	}
	if (current->signals.restore_mask) {
		current->signals.restore_mask = false;
		signal_set_blocked(current->signals.saved_mask);
	}
	if (interrupted)
		resume_call(regs);
}
