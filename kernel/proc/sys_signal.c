/* SPDX-License-Identifier: MIT */
/* System calls about signals: actions, masks, waiting. */
#include <hotregs/syscalls.h>
#include <hotregs/time.h>

#include <arch/irq.h>
#include <arch/signal.h>
#include <arch/switch.h>
#include <arch/uaccess.h>

#include "signals.h"

#define KNOWN_FLAGS                                                                  \
	(UAPI_SA_NOCLDSTOP | UAPI_SA_NOCLDWAIT | UAPI_SA_SIGINFO | UAPI_SA_ONSTACK | \
	 UAPI_SA_RESTART | UAPI_SA_NODEFER | UAPI_SA_RESETHAND)

static bool is_signal(int signal)
{
	return signal > 0 && signal < UAPI_NSIG;
}

/* Exchanges an action. What is ignored from now on is not pending, either. */
static void exchange_action(int signal, const struct uapi_sigaction *new,
			    struct uapi_sigaction *old)
{
	struct process *process = current->process;
	unsigned long flags = spin_lock_irqsave(&task_list_lock);
	struct uapi_sigaction *action = signal_action(process, signal);

	spin_lock(&process->signals.lock);
	*old = *action;
	if (new) {
		*action = *new;
		action->mask &= ~UNBLOCKABLE;
		if (signal_ignored(process, signal))
			signal_discard(process, UAPI_SIGBIT(signal));
	}
	spin_unlock(&process->signals.lock);
	spin_unlock_irqrestore(&task_list_lock, flags);
}

long sys_sigaction(int signal, const struct uapi_sigaction __user *user_new,
		   struct uapi_sigaction __user *user_old)
{
	struct uapi_sigaction new, old;

	if (!is_signal(signal))
		return -EINVAL;
	if (user_new) {
		if (copy_from_user(&new, user_new, sizeof(new)))
			return -EFAULT;
		if ((new.flags & ~KNOWN_FLAGS) || new.zero || (UAPI_SIGBIT(signal) & UNBLOCKABLE))
			return -EINVAL;
	}
	exchange_action(signal, user_new ? &new : NULL, &old);
	return user_old ? copy_to_user(user_old, &old, sizeof(old)) : 0;
}

long sys_sigprocmask(int how, const uapi_sigset_t __user *user_set, uapi_sigset_t __user *user_old)
{
	uapi_sigset_t old = current->signals.blocked, set, blocked = old;

	if (user_set) {
		if (copy_from_user(&set, user_set, sizeof(set)))
			return -EFAULT;
		switch (how) {
		case UAPI_SIG_SETMASK:
			blocked = set;
			break;
		case UAPI_SIG_BLOCK:
			blocked |= set;
			break;
		case UAPI_SIG_UNBLOCK:
			blocked &= ~set;
			break;
		default:
			return -EINVAL;
		}
	}
	/* The answer first: with an error, nothing has changed. */
	if (user_old && copy_to_user(user_old, &old, sizeof(old)))
		return -EFAULT;
	if (blocked != old)
		signal_set_blocked(blocked);
	return 0;
}

long sys_sigpending(uapi_sigset_t __user *user_set)
{
	struct process_signals *s = &current->process->signals;
	unsigned long flags = spin_lock_irqsave(&s->lock);
	uapi_sigset_t set = (s->queue.set | current->signals.queue.set) & current->signals.blocked;

	spin_unlock_irqrestore(&s->lock, flags);
	return copy_to_user(user_set, &set, sizeof(set));
}

/* The mask comes back when a handler returns, or when none has run: see signal_deliver(). */
long sys_sigsuspend(const uapi_sigset_t __user *user_set)
{
	struct wait_queue nothing;
	uapi_sigset_t set;

	if (copy_from_user(&set, user_set, sizeof(set)))
		return -EFAULT;
	wait_queue_init(&nothing);
	current->signals.saved_mask = current->signals.blocked;
	current->signals.restore_mask = true;
	signal_set_blocked(set);
	return wait_event(&nothing, false);
}

/* Takes one of @set, if there is one; else they wake the caller from now on. */
static int take_or_wait(uapi_sigset_t set, struct uapi_siginfo *info)
{
	struct process_signals *s = &current->process->signals;
	unsigned long flags = spin_lock_irqsave(&s->lock);
	int signal = signal_take(set, info);

	current->signals.waits_for = signal ? 0 : set;
	spin_unlock_irqrestore(&s->lock, flags);
	return signal;
}

static int wait_for_signal(uapi_sigset_t set, u64 deadline, struct uapi_siginfo *info)
{
	int signal = take_or_wait(set, info);
	int err = 0;

	if (!signal) {
		err = sleep_until(deadline);
		signal = take_or_wait(set, info);
		current->signals.waits_for = 0;
	}
	if (signal)
		return signal;
	return err ? err : -EAGAIN;
}

long sys_sigtimedwait(const uapi_sigset_t __user *user_set, struct uapi_siginfo __user *user_info,
		      const struct uapi_timespec __user *user_timeout)
{
	struct uapi_siginfo info;
	u64 ns = UINT64_MAX;
	uapi_sigset_t set;
	int signal;

	if (copy_from_user(&set, user_set, sizeof(set)))
		return -EFAULT;
	if (user_timeout) {
		int err = timespec_from_user(&ns, user_timeout);

		if (err)
			return err;
	}
	signal = wait_for_signal(set & ~UNBLOCKABLE, signal_deadline(ns), &info);
	if (signal > 0 && user_info && copy_to_user(user_info, &info, sizeof(info)))
		return -EFAULT;
	return signal;
}

long sys_sigaltstack(const struct uapi_sigaltstack __user *user_new,
		     struct uapi_sigaltstack __user *user_old)
{
	struct task_signals *s = &current->signals;
	struct uapi_sigaltstack new, old;

	signal_altstack(task_user_regs(current), &old);
	if (user_new) {
		if (copy_from_user(&new, user_new, sizeof(new)))
			return -EFAULT;
		if (old.flags & UAPI_SS_ONSTACK)
			return -EPERM;
		if ((new.flags & ~UAPI_SS_DISABLE) || new.zero)
			return -EINVAL;
		if (!(new.flags &UAPI_SS_DISABLE)) {
			if (new.size < UAPI_MINSIGSTKSZ)
				return -ENOMEM;
			if (new.base > USER_END || new.size > USER_END ||
			    !user_range_ok(new.base, new.size))
				return -EFAULT;
		}
	}
	if (user_old && copy_to_user(user_old, &old, sizeof(old)))
		return -EFAULT;
	if (user_new) {
		s->stack_base = new.flags &UAPI_SS_DISABLE ? 0 : new.base;
		s->stack_size = new.flags &UAPI_SS_DISABLE ? 0 : new.size;
	}
	return 0;
}

/* Leaves by the way on which every register is loaded; this call has no result. */
long sys_sigreturn(void)
{
	struct pt_regs *regs = task_user_regs(current);
	uapi_sigset_t mask;

	if (arch_signal_return(regs, &mask))
		signal_fault(UAPI_SIGSEGV, UAPI_SI_KERNEL, regs_sp(regs), "bad signal frame");
	else
		signal_set_blocked(mask);
	irq_disable();
	arch_return_to_user();
}
