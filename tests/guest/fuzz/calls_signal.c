/* SPDX-License-Identifier: MIT */
/*
 * Calls about signals. Every process that fuzzes has handlers for all signals that can have one,
 * and keeps them, so that whatever is sent is taken; only a wild child goes without.
 */
#include <string.h>
#include <uapi/signal.h>

#include "calls.h"

extern const char __signal_restorer[]; /* of the C library */

/* --- Handlers --- */

static volatile bool counting;

void signals_count(bool may)
{
	counting = may;
}

/* It was not asked for, but its return is a call like others. */
static void handle(int signal)
{
	if (!counting)
		return;
	__atomic_fetch_add(&shared->calls[SYS_sigreturn].calls, 1, __ATOMIC_RELAXED);
	__atomic_fetch_add(&shared->calls[SYS_sigreturn].successes, 1, __ATOMIC_RELAXED);
}

static struct uapi_sigaction safe_action(int signal)
{
	static const uint32_t flags[] = {UAPI_SA_RESTART, UAPI_SA_SIGINFO, UAPI_SA_ONSTACK,
					 UAPI_SA_NODEFER};
	struct uapi_sigaction action = {.handler = (unsigned long)handle,
					.restorer = (unsigned long)__signal_restorer};

	for (unsigned i = 0; i < ARRAY_SIZE(flags); i++)
		if (one_in(3))
			action.flags |= flags[i];
	/* Who reads the terminal in the background would be told so for ever. */
	if (signal == UAPI_SIGTTIN || signal == UAPI_SIGTTOU)
		action.flags &= ~UAPI_SA_RESTART;
	if (one_in(3))
		action.mask = rand64() & rand64();
	return action;
}

void signals_init(void)
{
	for (int signal = 1; signal < UAPI_NSIG; signal++) {
		struct uapi_sigaction action = safe_action(signal);
		long err = raw(SYS_sigaction, signal, &action, 0);
		bool has_none = signal == UAPI_SIGKILL || signal == UAPI_SIGSTOP;

		CHECK(err == (has_none ? -EINVAL : 0), "sigaction of %d: %ld", signal, err);
	}
}

void signals_block(void)
{
	uapi_sigset_t all = ~(uapi_sigset_t)0;

	CHECK(!raw(SYS_sigprocmask, UAPI_SIG_SETMASK, &all, 0), "sigprocmask");
}

/* --- Arguments --- */

static unsigned long gen_signal(struct op *op)
{
	static const unsigned char signals[] = {
	    0, UAPI_SIGKILL, UAPI_SIGTERM, UAPI_SIGSTOP, UAPI_SIGCONT, UAPI_SIGUSR1};

	return one_in(2) ? below(UAPI_NSIG + 1) : one_in(16) ? hostile_word() : PICK(signals);
}

static unsigned long gen_action(struct op *op)
{
	struct uapi_sigaction action = safe_action(op->arg[0]);

	if (one_in(6))
		return 0;
	if (one_in(4))
		action.handler = UAPI_SIG_IGN;
	if (one_in(8))
		((uint32_t *)&action)[below(sizeof(action) / sizeof(uint32_t))] = hostile_word();
	return in_or_hostile(memcpy(in_bytes(sizeof(action)), &action, sizeof(action)));
}

static unsigned long gen_set(struct op *op)
{
	uapi_sigset_t set = one_in(2) ? rand64() & rand64() & rand64() : rand64();

	/* By this one the supervisor wakes whoever waits for ever. */
	if (!one_in(8))
		set &= ~UAPI_SIGBIT(UAPI_SIGUSR2);
	return one_in(8) ? 0 : in_or_hostile(memcpy(in_bytes(sizeof(set)), &set, sizeof(set)));
}

static unsigned long gen_how(struct op *op)
{
	return one_in(8) ? hostile_word() : below(3);
}

static unsigned long gen_altstack(struct op *op)
{
	struct uapi_sigaltstack stack = {.base = SIGNAL_STACK, .size = SIGNAL_STACK_SIZE};

	if (one_in(4))
		stack.flags = UAPI_SS_DISABLE;
	if (one_in(8))
		((uint32_t *)&stack)[below(sizeof(stack) / sizeof(uint32_t))] = hostile_word();
	if (one_in(8))
		return 0;
	return in_or_hostile(memcpy(in_bytes(sizeof(stack)), &stack, sizeof(stack)));
}

OUT(old_action, struct uapi_sigaction)
OUT(old_set, uapi_sigset_t)
OUT(siginfo, struct uapi_siginfo)
OUT(old_stack, struct uapi_sigaltstack)

/* --- What a call may not be asked for, since the fuzzer would end --- */

/* Signals that handlers take, to whom has handlers; those that none takes, to children only. */
static bool may_send(int pid, int signal)
{
	bool deadly = signal == UAPI_SIGKILL || signal == UAPI_SIGSTOP;

	if (!signal || signal < 0 || signal >= UAPI_NSIG || find_child(pid))
		return true;
	if (pid > MAX_PID || pid < -MAX_PID)
		return true;
	return !deadly && (!pid || pid == self.pid || pid == -self.pid);
}

static bool kill_allowed(const struct op *op)
{
	return may_send(op->arg[0], op->arg[1]);
}

static bool tgkill_allowed(const struct op *op)
{
	return may_send(op->arg[0], op->arg[2]);
}

/* What is at the address of an argument, as far as the arena goes; false: it is somewhere else. */
static bool arena_contents(unsigned long addr, void *to, size_t n)
{
	if (addr - ARENA >= ARENA_SIZE)
		return false;
	memset(to, 0, n);
	memcpy(to, (void *)addr, MIN(n, ARENA + ARENA_SIZE - addr));
	return true;
}

/* A handler that is none, or the default action, is for the wild. */
static bool action_allowed(const struct op *op)
{
	struct uapi_sigaction action;

	if (self.wild || !op->arg[1])
		return true;
	if (!arena_contents(op->arg[1], &action, sizeof(action)))
		return !overlaps_region(op->arg[1]) && !overlaps_own(op->arg[1], 1);
	return (action.handler == (unsigned long)handle || action.handler == UAPI_SIG_IGN) &&
	       action.restorer == (unsigned long)__signal_restorer &&
	       !(action.flags & (UAPI_SA_RESETHAND | UAPI_SA_NOCLDWAIT)) &&
	       !((int)op->arg[0] == UAPI_SIGCHLD && action.handler == UAPI_SIG_IGN);
}

static bool altstack_allowed(const struct op *op)
{
	struct uapi_sigaltstack stack;

	if (self.wild || !op->arg[0])
		return true;
	if (!arena_contents(op->arg[0], &stack, sizeof(stack)))
		return !overlaps_region(op->arg[0]) && !overlaps_own(op->arg[0], 1);
	return stack.flags & UAPI_SS_DISABLE ||
	       (stack.base == SIGNAL_STACK && stack.size <= SIGNAL_STACK_SIZE);
}

static bool wild(const struct op *op)
{
	return self.wild;
}

/* --- What comes of it --- */

static void sent(const struct op *op)
{
	struct child *c = find_child(op->arg[0]);

	CHECK(!op->result, "result %ld", op->result);
	if (c)
		c->killed = true;
}

static void signal_done(const struct op *op)
{
	CHECK(op->result > 0 && op->result < UAPI_NSIG, "signal %ld", op->result);
}

CALL(kill, ARGS(gen_pid, gen_signal), .weight = 4, .allowed = kill_allowed, .done = sent);
CALL(tgkill, ARGS(gen_pid, gen_pid, gen_signal), .weight = 2, .allowed = tgkill_allowed,
     .done = sent);
CALL(sigqueue, ARGS(gen_pid, gen_signal, gen_word), .weight = 4, .allowed = kill_allowed,
     .done = sent);
CALL(sigaction, ARGS(gen_signal, gen_action, gen_old_action), .allowed = action_allowed);
CALL(sigprocmask, ARGS(gen_how, gen_set, gen_old_set));
CALL(sigpending, ARGS(gen_old_set), .weight = 2);
CALL(sigsuspend, ARGS(gen_set), .weight = 1, .until_signal = true);
CALL(sigtimedwait, ARGS(gen_set, gen_siginfo, gen_short_time), .weight = 4, .done = signal_done);
CALL(sigaltstack, ARGS(gen_altstack, gen_old_stack), .weight = 4, .allowed = altstack_allowed);
CALL(sigreturn, ARGS(gen_word), .weight = 4, .allowed = wild, .done = value);
