/* SPDX-License-Identifier: MIT */
/* What breakpoint.c here and those of ARMv7-A and AArch64 need of each other. */
#pragma once

#include <uapi/errno.h>

#include <arch/breakpoint.h>
#include <asm/breakpoint_limits.h>

static inline int bp_refuse(const char **why, const char *reason)
{
	*why = reason;
	return -EINVAL;
}

/* May what lies there be watched at all? -EINVAL: not. Pure. */
static inline int bp_check_range(unsigned long first, unsigned long last, const char **why)
{
	const char *wrong;

	if (last < first || last & ~BP_ADDRESS)
		return bp_refuse(why, "the range goes beyond the end of addresses");
	if (last >= USER_END && first < USER_END)
		return bp_refuse(why, "beyond user space");
	wrong = bp_wrong_place(first);
	return wrong ? bp_refuse(why, wrong) : 0;
}

/* -EOPNOTSUPP: there are none. */
static inline int bp_check_slots(unsigned pool, const char **why)
{
	if (arm_breakpoints.slots[pool])
		return 0;
	*why = arm_breakpoints.why;
	return -EOPNOTSUPP;
}

/* --- breakpoint.c here --- */
/* Turns a slot of each pool on, on the kernel itself, and strikes it; *@probing is set meanwhile.
 */
void bp_strike_once(bool *probing);

/* --- The architecture's --- */
/* bp_check() and bp_parse() of an instruction. Pure. */
int bp_check_exec(const struct bp_form *form, const char **why);
int bp_parse_exec(unsigned long addr, u64 len, struct bp_parts *parts, const char **why);
