/* SPDX-License-Identifier: MIT */
/*
 * Architecture contract with perf (contract C4): two functions that append frames, and registers by
 * number. Nothing here knows of events or of policy.
 */
#pragma once

#include <hotregs/types.h>

struct pt_regs;

/* Where a chain grows; kernel/perf owns it. */
struct callchain {
	u64 *ip;
	u32 nr;  /* entries, context markers included */
	u32 max; /* capacity */
};

/* Appends @ip; false when the chain is full. NMI-safe. */
static inline bool callchain_add(struct callchain *chain, u64 ip)
{
	if (unlikely(chain->nr >= chain->max))
		return false;
	chain->ip[chain->nr++] = ip;
	return true;
}

/* Appends the kernel frames from kernel-mode @regs, its own IP first. NMI-safe. */
void perf_callchain_kernel(struct callchain *chain, const struct pt_regs *regs);

/*
 * Appends the user frames from user-mode @regs, its own IP first. The task's address space must be
 * the loaded one. Never faults, sleeps or takes a lock. NMI-safe.
 */
void perf_callchain_user(struct callchain *chain, const struct pt_regs *regs);

/*
 * Registers as samples number them: as asm/perf_regs.h does on Linux, so that perf knows their
 * names. Which numbers there are, as bits; the PERF_SAMPLE_REGS_ABI_* of their values; and the
 * value of number @nr, one of those, in @regs. What @regs do not hold is 0 there. NMI-safe.
 */
extern const u64 perf_reg_mask;
extern const u32 perf_reg_abi;
u64 perf_reg_value(const struct pt_regs *regs, unsigned nr);
