/* SPDX-License-Identifier: MIT */
/* SIGTRAP for samples of events with sigtrap. */
#include <hotregs/device.h>
#include <hotregs/perf_event.h>

#include <arch/breakpoint.h>

#include "signals.h"

static void trap(void)
{
	task_set_work(current, TASK_WORK_TRAP | TASK_WORK_SIGNAL);
	bp_exit_to_work();
}

static void trap_init(void)
{
	perf_trap = trap;
}
INITCALL(0, trap_init);

/* Breakpoints alone have sigtrap. */
static inline struct uapi_siginfo info_of(const struct perf_event_attr *attr, u32 flags)
{
	return (struct uapi_siginfo){.signo = UAPI_SIGTRAP,
				     .code = UAPI_TRAP_PERF,
				     .addr = attr->bp_addr,
				     .perf_type = attr->type,
				     .perf_flags = flags,
				     .perf_data = attr->sig_data};
}

/*
 * What is blocked waits as any standard signal does, one for all; and of several with one cause the
 * second until the handler of the first has returned.
 */
static noinline void tell_later(const struct perf_event_attr *attr, bool blocked)
{
	struct signal_queue *queue = &current->signals.queue;
	const struct uapi_siginfo info = info_of(attr, blocked ? UAPI_TRAP_PERF_FLAG_ASYNC : 0);

	if (!blocked || signal_queue_wants(queue, UAPI_SIGTRAP))
		signal_queue_info(current->process, queue, &info);
}

/* The first one comes as a fault does, whose registers are those of its cause. */
static void tell(const struct perf_event_attr *attr)
{
	struct process *process = current->process;
	struct task_signals *own = &current->signals;
	bool blocked = own->blocked & UAPI_SIGBIT(UAPI_SIGTRAP);

	spin_lock(&process->signals.lock);
	if (blocked || own->fault.signo) {
		tell_later(attr, blocked);
	} else if (!signal_ignored(process, UAPI_SIGTRAP)) {
		own->fault = info_of(attr, 0);
		own->fault_name = "perf event";
	}
	spin_unlock(&process->signals.lock);
}

void signal_take_traps(void)
{
	task_clear_work(current, TASK_WORK_TRAP);
	perf_traps_take(tell);
}
