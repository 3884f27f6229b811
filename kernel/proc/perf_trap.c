/* SPDX-License-Identifier: MIT */
/* SIGTRAP for samples of events with sigtrap. */
#include <hotregs/device.h>
#include <hotregs/perf_event.h>
#include <hotregs/process.h>

#include <arch/irq.h>

/* A debug exception may return by another way than one that looks for signals. */
static void trap(const struct perf_event_attr *attr, u64 addr)
{
	struct uapi_siginfo *info = &current->signals.fault;

	signal_fault(UAPI_SIGTRAP, UAPI_TRAP_PERF, addr, "perf event");
	info->perf_type = attr->type;
	info->perf_data = attr->sig_data;
	arch_raise_irq_work();
}

static void trap_init(void)
{
	perf_trap = trap;
}
INITCALL(0, trap_init);
