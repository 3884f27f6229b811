/* SPDX-License-Identifier: MIT */
/*
 * The kernel's chain where frame records alone do not lead on, for perf_callchain_kernel() of
 * ARMv7-A and AArch64, each of which has the steps by records inline.
 */
#pragma once

#include <hotregs/cpu.h>
#include <hotregs/unwind.h>

#include <arch/perf.h>

/* Appends the frame of @u, and its callers. */
static void kernel_walk(struct callchain *chain, struct unwind *u)
{
	while (callchain_add(chain, u->ip) && unwind_next(u))
		;
}

/* From where it was interrupted. */
static noinline void kernel_walk_from(struct callchain *chain, const struct pt_regs *regs)
{
	struct unwind u;

	if (unwind_start(&u, current, regs))
		kernel_walk(chain, &u);
}

/* Goes on where records have led to @ip, which leaves none, if it is code at all. */
static noinline void kernel_walk_on(struct callchain *chain, unsigned long ip, unsigned long sp,
				    unsigned long fp)
{
	struct unwind u = {.ip = ip, .sp = sp, .fp = fp, .task = current};

	u.high = u.task->stack + KERNEL_STACK_SIZE;
	if (kernel_text_address(ip))
		kernel_walk(chain, &u);
}
