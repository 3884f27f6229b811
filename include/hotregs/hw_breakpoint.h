/* SPDX-License-Identifier: MIT */
/*
 * Breakpoints as events of kernel code's own, by the names that these calls have on Linux. What
 * needs no event has hotregs/breakpoint.h.
 */
#pragma once

#include <hotregs/perf_event.h>
#include <uapi/hw_breakpoint.h>

struct task;

/*
 * An event of @task's, struck by what bp_type, bp_addr and bp_len of @attr, PERF_TYPE_BREAKPOINT,
 * say; its sample_period, 0 being 1, tells how often @triggered is called. @task is held by the
 * caller. ERR_PTR(-EINVAL, -EOPNOTSUPP): there is no such breakpoint, or not here; -EPERM: it is
 * about the kernel's addresses; -ENOSPC: no slot is left; -ENOMEM. May sleep.
 */
struct perf_event *register_user_hw_breakpoint(const struct perf_event_attr *attr,
					       perf_overflow_handler_t triggered, void *context,
					       struct task *task);
/*
 * @event is to watch what @attr says, in its copies too, and to be enabled or not as that says:
 * those errors, or -ESRCH when its task has ended; then nothing has changed. What else @attr has is
 * as it was, or -EINVAL. May sleep.
 */
int modify_user_hw_breakpoint(struct perf_event *event, const struct perf_event_attr *attr);
void unregister_hw_breakpoint(struct perf_event *event); /* May sleep. */

/*
 * One event for each CPU that runs, whatever runs there; the kernel's addresses, too. The array is
 * by CPU. ERR_PTR() as above. May sleep.
 */
struct perf_event **register_wide_hw_breakpoint(const struct perf_event_attr *attr,
						perf_overflow_handler_t triggered, void *context);
void unregister_wide_hw_breakpoint(struct perf_event **events); /* May sleep. */
